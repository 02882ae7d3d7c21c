"""Predictions as columns: a compact form in which a reading process hands them back."""

import json
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter, itemgetter
from typing import BinaryIO

from evaluation.tac.instances import ReadPrediction

NAMES = ("doc_id", "predicate", "subject_type", "object_type", "subject_entity", "object_entity")
SPANS = ("subject", "object", "subject_canonical", "object_canonical")
OFFSETS = tuple(f"{span}_{end}" for span in SPANS for end in ("start", "end"))
INTEGERS = (*NAMES, *OFFSETS, "line")
NONE = -1  # both offsets, where a string has no canonical mention


@dataclass(frozen=True, slots=True)
class Predictions:
    """The instances that a file claims, column by column.

    Attributes
    ----------
    strings : list of str
        Each name, once.
    integers : dict of str to array of int
        A column for each of `INTEGERS`: those of `NAMES` hold indices into `strings`, those of `OFFSETS`
        offsets or `NONE`.
    confidences : array of float
    """

    strings: list[str]
    integers: dict[str, "array[int]"]
    confidences: "array[float]"

    def __len__(self) -> int:
        return len(self.confidences)

    def names(self, column: str) -> list[str]:
        """Return a column of `NAMES` as strings."""
        strings = self.strings
        return [strings[index] for index in self.integers[column]]

    def offsets(self, column: str) -> Iterator[int | None]:
        """Yield a column of `OFFSETS`, None where there is none."""
        return (None if offset == NONE else offset for offset in self.integers[column])


def gather(predictions: Sequence[ReadPrediction]) -> Predictions:
    """Put predictions into columns."""
    indices: dict[str, int] = {}
    integers = {}
    for column in NAMES:
        names = list(map(attrgetter(column), predictions))
        for name in dict.fromkeys(names):
            indices.setdefault(name, len(indices))
        integers[column] = array("i", map(indices.__getitem__, names))
    for column in SPANS:
        spans = [span or (NONE, NONE) for span in map(attrgetter(column), predictions)]
        integers[f"{column}_start"] = array("i", map(itemgetter(0), spans))
        integers[f"{column}_end"] = array("i", map(itemgetter(1), spans))
    integers["line"] = array("i", [one.line for one in predictions])
    confidences = array("d", [one.confidence for one in predictions])
    return Predictions(list(indices), integers, confidences)


def write(predictions: Predictions, stream: BinaryIO) -> None:
    """Write columns to a file, for `read`."""
    header = {"strings": predictions.strings, "count": len(predictions)}
    stream.write(json.dumps(header, ensure_ascii=False).encode() + b"\n")
    for column in predictions.integers.values():
        column.tofile(stream)
    predictions.confidences.tofile(stream)


def read(stream: BinaryIO) -> Predictions:
    """Read the columns that `write` wrote.

    Raises
    ------
    EOFError
        If the file ends before they do.
    """
    header = json.loads(stream.readline())
    count = header["count"]
    integers = {column: array("i") for column in INTEGERS}
    confidences = array("d")
    for column in integers.values():
        column.fromfile(stream, count)
    confidences.fromfile(stream, count)
    return Predictions(header["strings"], integers, confidences)
