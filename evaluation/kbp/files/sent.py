"""Predictions as columns: a compact form in which a reading process hands them back."""

import json
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from evaluation.kbp.name_keys import Names
from kbpo_formats.corpus import Documents
from kbpo_formats.kbp.predictions import NONE, OFFSETS
from kbpo_formats.kbp.predictions import Predictions as Read

NAMES = (
    *("doc_id", "predicate", "subject_type", "object_type", "subject_entity", "object_entity"),
    *("subject_name", "object_name"),
)
INTEGERS = (*NAMES, *OFFSETS, "line")
BATCH = 10_000  # names in a line: whoever reads them holds one line beside them


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


def gather(predictions: Read, documents: Documents) -> Predictions:
    """Put what was read into columns that can be written, each name once.

    ``subject_name`` and ``object_name`` are the name keys of the two mentions.
    """
    indices: dict[str, int] = {}
    integers = {}
    names_of = name_columns(predictions, documents)
    for column in NAMES:
        names = names_of[column] if column in names_of else predictions.names(column)
        for name in dict.fromkeys(names):
            indices.setdefault(name, len(indices))
        integers[column] = array("i", map(indices.__getitem__, names))
    for column in (*OFFSETS, "line"):
        integers[column] = predictions.integers(column)
    return Predictions(list(indices), integers, predictions.confidences)


def name_columns(predictions: Read, documents: Documents) -> dict[str, list[str]]:
    """Return the name keys of the mentions of each prediction, in a column for each role."""
    places: dict[str, list[int]] = {}
    for place, doc_id in enumerate(predictions.names("doc_id")):
        places.setdefault(doc_id, []).append(place)
    columns = {f"{role}_name": [""] * len(predictions) for role in ("subject", "object")}
    spans = {
        name: (
            predictions.integers(name.replace("name", "start")),
            predictions.integers(name.replace("name", "end")),
        )
        for name in columns
    }
    for doc_id, own in places.items():
        names = Names(doc_id, documents.text(doc_id))
        known: dict[tuple[int, int], str] = {}
        for name, keys in columns.items():
            starts, ends = spans[name]
            for place in own:
                span = starts[place], ends[place]
                if span not in known:
                    known[span] = names.key(*span)
                keys[place] = known[span]
    return columns


def write(predictions: Predictions, stream: BinaryIO) -> None:
    """Write columns to a file, for `read`."""
    strings = predictions.strings
    _write_line({"strings": len(strings), "count": len(predictions)}, stream)
    for start in range(0, len(strings), BATCH):
        _write_line(strings[start : start + BATCH], stream)
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
    header = _read_line(stream)
    count = header["count"]
    strings: list[str] = []
    while len(strings) < header["strings"]:
        strings += _read_line(stream)
    integers = {column: array("i") for column in INTEGERS}
    confidences = array("d")
    try:
        for column in integers.values():
            column.fromfile(stream, count)
        confidences.fromfile(stream, count)
    except ValueError:
        raise EOFError("the columns are cut off in the middle of a number") from None
    return Predictions(strings, integers, confidences)


def _read_line(stream: BinaryIO) -> Any:
    line = stream.readline()
    if not line.endswith(b"\n"):
        raise EOFError("the columns are cut off")
    return json.loads(line)


def _write_line(value: object, stream: BinaryIO) -> None:
    stream.write(json.dumps(value, ensure_ascii=False).encode() + b"\n")
