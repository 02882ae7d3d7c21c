"""What is submitted: outputs, and beside them a table of metrics."""

import json
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, BinaryIO

from evaluation.reading.reader import AttachmentKind, Reader
from kbpo_formats.generation.problems import CODES, FORMATS, METRICS, MOST_METRICS, TABLE

NO_COUNTS: Mapping[str, Any] = MappingProxyType(
    {"lines": 0, "items": 0, "empty": 0, "metrics": [], "warnings": 0}
)


@dataclass(frozen=True, slots=True)
class SubmittedOutputs:
    """What a system wrote, as it was submitted.

    Attributes
    ----------
    outputs : sequence of tuple of str and str
        The id of each input, which is that of its document, and what the system wrote for it; in the order of
        the file. There is one for every input of the corpus.
    metrics : mapping of str to array of float64
        The values of each metric that came with it, in the same order: all are there, and finite.
    """

    outputs: Sequence[tuple[str, str]] = ()
    metrics: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.outputs)


def receive(answer: BinaryIO) -> SubmittedOutputs:
    """Read what the child sent."""
    header = json.loads(answer.readline())
    outputs: list[tuple[str, str]] = []
    for _ in range(header["outputs"]):
        input_id, output = json.loads(answer.readline())
        outputs.append((input_id, output))
    metrics: dict[str, array[float]] = {}
    for name in header["metrics"]:
        values = metrics[name] = array("d")
        values.frombytes(answer.read(values.itemsize * len(outputs)))
    return SubmittedOutputs(outputs, metrics)


READER = Reader(
    child="evaluation.generation.child",
    formats=FORMATS,
    codes=CODES,
    no_counts=NO_COUNTS,
    receive=receive,
    nothing=SubmittedOutputs(),
    attachments=(
        AttachmentKind(
            name=METRICS,
            label="Metrics of the outputs",
            words=(
                "A table with tabs: input_id, and a column for each of at most"
                f" {MOST_METRICS} metrics. May stay empty. What is computed here need not be in it."
            ),
            format=TABLE,
        ),
    ),
)
