"""Read a file of metrics: a table with tabs, a line for each input and a column for each metric."""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import BinaryIO

from kbpo_formats.corpus import Documents
from kbpo_formats.generation.names import BUILT_IN, RENAMED, RESERVED, is_name
from kbpo_formats.generation.outputs import report_missing
from kbpo_formats.generation.problems import LARGEST_VALUE, MOST_METRICS
from kbpo_formats.lines import numbered_lines
from kbpo_formats.normal import normal_id
from kbpo_formats.problems import ProblemLog

ID = "input_id"

Columns = dict[str, "array[float]"]
"""The values of each metric."""


def read_metrics(file: BinaryIO, documents: Documents, log: ProblemLog) -> tuple[dict[str, int], Columns]:
    """Read the metrics of a file, in its order; log what is wrong.

    Returns
    -------
    dict of str to int
        The row of each input.
    dict of str to array of float64
        The values of each metric, by row; of use only where nothing is wrong.
    """
    rows: dict[str, int] = {}
    first: dict[str, int] = {}
    names: Sequence[str] | None = None
    columns: list[array[float]] = []
    for number, line in numbered_lines(file, log):
        if log.ends_at(number):
            break
        text = line.removesuffix("\r")
        if not text.strip():
            continue
        if names is None:
            names = _read_header(text, number, log)
            if names is None:
                return {}, {}
            columns = [array("d") for _ in names]
            continue
        cells = text.split("\t")
        input_id = normal_id(cells[0])
        if not _read_id(input_id, number, documents, first, log):
            continue
        first[input_id] = number
        if len(cells) != 1 + len(names):
            log.add("WRONG_COLUMNS", number, text, len(cells), 1 + len(names))
            continue
        values = _read_values(cells, names, number, log)
        if values is not None:
            rows[input_id] = len(rows)
            for column, value in zip(columns, values, strict=True):
                column.append(value)
    if log.is_cut_short:
        return {}, {}
    if names is None:
        log.add("NO_HEADER", 1, "")
        return {}, {}
    report_missing(first, documents, log)
    for place, (name, column) in enumerate(zip(names, columns, strict=True), 2):
        if len(column) > 1 and min(column) == max(column):
            log.add("METRIC_CONSTANT", 1, name, repr(name), f"{column[0]:g}", column=place)
    return rows, dict(zip(names, columns, strict=True))


def in_order(ids: Iterable[str], rows: Mapping[str, int], columns: Columns) -> Columns:
    """Return the values of each metric for some inputs, in their order."""
    order = [rows[one] for one in ids]
    return {name: array("d", (column[row] for row in order)) for name, column in columns.items()}


def write_metrics(ids: Sequence[str], columns: Mapping[str, Sequence[float]]) -> Iterator[str]:
    """Write a table of metrics as lines, with their ends; read again, the values are the same to the bit."""
    yield "\t".join((ID, *columns)) + "\n"
    for row, input_id in enumerate(ids):
        yield "\t".join((input_id, *(repr(column[row]) for column in columns.values()))) + "\n"


def _read_header(text: str, number: int, log: ProblemLog) -> Sequence[str] | None:
    """Return the names of the metrics, as they are stored; None where the table cannot be read by them."""
    cells = text.split("\t")
    if cells[0] != ID:
        log.add("WRONG_HEADER", number, text, repr(cells[0]), column=1)
        return None
    if len(cells) == 1:
        log.add("NO_METRICS", number, text)
        return None
    if len(cells) > 1 + MOST_METRICS:
        log.add("TOO_MANY_METRICS", number, text, len(cells) - 1, column=2 + MOST_METRICS)
        return None
    names: list[str] = []
    seen: dict[str, int] = {}
    for place, name in enumerate(cells[1:], 2):
        small = name.lower()
        if not is_name(name):
            log.add("METRIC_NAME", number, name, repr(name), column=place)
        elif small in RESERVED:
            log.add("METRIC_RESERVED", number, name, repr(name), column=place)
        elif small in BUILT_IN:
            name = RENAMED.format(small)
            log.add("METRIC_BUILT_IN", number, small, repr(small), repr(name), column=place)
            small = name
        if small in seen:
            log.add("METRIC_TWICE", number, name, repr(name), seen[small], column=place)
        seen.setdefault(small, place)
        names.append(name)
    return names


def _read_id(
    input_id: str, number: int, documents: Documents, first: Mapping[str, int], log: ProblemLog
) -> bool:
    """Say whether a line is about an input of the corpus that had none yet."""
    if input_id in first:
        log.add("INPUT_TWICE", number, input_id, repr(input_id), first[input_id], column=1)
        return False
    if documents.length(input_id) is None:
        log.add("UNKNOWN_INPUT", number, input_id, repr(input_id), column=1)
        return False
    return True


def _read_values(
    cells: Sequence[str], names: Sequence[str], number: int, log: ProblemLog
) -> list[float] | None:
    """Return the values of a line; None where one of them is wrong."""
    try:
        values = [float(cell) for cell in cells[1:]]
    except ValueError:
        values = []
    if (
        values
        and all(-LARGEST_VALUE <= value <= LARGEST_VALUE for value in values)
        and not any("_" in cell or not cell.isascii() for cell in cells[1:])
    ):
        return values
    errors = log.count_errors
    for place, (name, cell) in enumerate(zip(names, cells[1:], strict=True), 2):
        _report_value(name, cell, number, place, log)
    return None if log.count_errors > errors else values


def _report_value(name: str, cell: str, number: int, place: int, log: ProblemLog) -> None:
    """Log what is wrong with a value, if anything is."""
    if not cell.strip():
        log.add("METRIC_MISSING", number, cell, repr(name), column=place)
        return
    try:
        value = float(cell) if cell.isascii() and "_" not in cell else None
    except ValueError:
        value = None
    if value is None:
        log.add("METRIC_NOT_A_NUMBER", number, cell, repr(name), repr(cell), column=place)
    elif not isfinite(value) or abs(value) > LARGEST_VALUE:
        log.add("METRIC_NOT_FINITE", number, cell, repr(name), cell.strip(), column=place)
