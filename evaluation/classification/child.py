"""The process that reads one file of classes: ``python -m evaluation.classification.child ORDER``."""

import json
from typing import BinaryIO

from evaluation.reading import child
from kbpo_formats.classification.reader import Reading, read


def send(reading: Reading, answer: BinaryIO) -> None:
    """Write what a file predicts as JSON."""
    answer.write(json.dumps(reading.read).encode())


if __name__ == "__main__":
    child.main(read, send)
