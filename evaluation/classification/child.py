"""The process that reads one file of classes: ``python -m evaluation.classification.child ORDER``."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from evaluation.reading import child
from kbpo_formats.classification.reader import Reading, read
from kbpo_formats.corpus import Documents
from kbpo_formats.problems import Problem, Recorder


@dataclass(frozen=True, slots=True)
class ClassFile:
    """A file of classes that was read: an `evaluation.reading.child.FileRead`."""

    reading: Reading

    @property
    def accepted(self) -> bool:
        """Say whether it has no error."""
        return self.reading.accepted

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return what is wrong with it, by line."""
        return self.reading.problems

    @property
    def counts(self) -> Mapping[str, Any]:
        """Return what became of it, in numbers."""
        return self.reading.counts

    def send(self, answer: BinaryIO) -> None:
        """Write its predictions as JSON."""
        answer.write(json.dumps(self.reading.read).encode())

    def lines(self) -> Iterator[str]:
        """Write it as one without faults."""
        return self.reading.lines()


def read_file(
    file: BinaryIO, format: str, documents: Documents, *, recorder: Recorder | None = None
) -> ClassFile:
    """Read a file of classes, as `kbpo_formats.classification.reader.read` does."""
    return ClassFile(read(file, format, documents, recorder=recorder))


if __name__ == "__main__":
    child.main(read_file)
