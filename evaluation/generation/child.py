"""The process that reads what a system wrote: ``python -m evaluation.generation.child ORDER``."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from evaluation.reading import child
from kbpo_formats.corpus import Documents
from kbpo_formats.generation.reader import Reading, read
from kbpo_formats.problems import Problem, Recorder


@dataclass(frozen=True, slots=True)
class OutputFile:
    """Outputs that were read, and the metrics of them: an `evaluation.reading.child.FileRead`."""

    reading: Reading

    @property
    def accepted(self) -> bool:
        """Say whether neither has an error."""
        return self.reading.accepted

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return what is wrong with them, by file and line."""
        return self.reading.problems

    @property
    def counts(self) -> Mapping[str, Any]:
        """Return what became of them, in numbers."""
        return self.reading.counts

    def send(self, answer: BinaryIO) -> None:
        """Write a line of JSON that says what follows, a line for each output, and the values as they lie."""
        outputs, metrics = self.reading.read, self.reading.metrics
        answer.write(json.dumps({"outputs": len(outputs), "metrics": list(metrics)}).encode() + b"\n")
        for one in outputs:
            answer.write(json.dumps(one, ensure_ascii=False).encode() + b"\n")
        for values in metrics.values():
            answer.write(values)

    def lines(self) -> Iterator[str]:
        """Write the outputs as a file without faults."""
        return self.reading.lines()


def read_file(
    file: BinaryIO,
    format: str,
    documents: Documents,
    *,
    metrics: BinaryIO | None = None,
    recorder: Recorder | None = None,
) -> OutputFile:
    """Read outputs, as `kbpo_formats.generation.reader.read` does."""
    return OutputFile(read(file, format, documents, metrics=metrics, recorder=recorder))


if __name__ == "__main__":
    child.main(read_file)
