"""The process that reads what a system wrote: ``python -m evaluation.generation.child ORDER``."""

import json
from typing import BinaryIO

from evaluation.reading import child
from kbpo_formats.generation.reader import Reading, read


def send(reading: Reading, answer: BinaryIO) -> None:
    """Write a line of JSON that says what follows, a line for each output, and the values as they lie."""
    outputs, metrics = reading.read, reading.metrics
    answer.write(json.dumps({"outputs": len(outputs), "metrics": list(metrics)}).encode() + b"\n")
    for one in outputs:
        answer.write(json.dumps(one, ensure_ascii=False).encode() + b"\n")
    for values in metrics.values():
        answer.write(values)


if __name__ == "__main__":
    child.main(read, send)
