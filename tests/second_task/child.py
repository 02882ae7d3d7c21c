"""The process that reads one of its files: a document's id and a text for it in each line."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from evaluation.reading import child
from kbpo_formats.corpus import Documents
from kbpo_formats.problems import Problem, Recorder


@dataclass(frozen=True, slots=True)
class Read:
    rows: list[list[str]]
    problems: tuple[Problem, ...] = ()
    accepted: bool = True

    @property
    def counts(self) -> Mapping[str, Any]:
        return {"lines": len(self.rows), "errors": 0, "problems": {}}

    def lines(self) -> Iterator[str]:
        return ("\t".join(row) + "\n" for row in self.rows)


def read_file(file: BinaryIO, format: str, documents: Documents, *, recorder: Recorder | None = None) -> Read:
    return Read([line.rstrip("\n").split("\t") for line in file.read().decode().splitlines()])


def send(read: Read, answer: BinaryIO) -> None:
    answer.write(json.dumps(read.rows).encode())


if __name__ == "__main__":
    child.main(read_file, send)
