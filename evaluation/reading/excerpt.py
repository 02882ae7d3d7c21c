"""The lines around one line of a file, however large the file is."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO

from kbpo_formats.lines import BYTE_ORDER_MARK, unpacked
from kbpo_formats.problems import ProblemLog, of_any_file

SHOWN = 2_000  # bytes of a line

_ANY = "any"  # format: what is wrong with the file is not listed here


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file, as it stands there.

    Attributes
    ----------
    number : int
        From 1.
    text : str
        Without its line end; what is no UTF-8 is replaced.
    is_cut : bool
        Whether the line goes on.
    """

    number: int
    text: str
    is_cut: bool = False


def excerpt(stream: BinaryIO, line: int, around: int = 5) -> tuple[Line, ...]:
    """Read a line and those around it.

    Parameters
    ----------
    stream : binary file
        Plain or gzip, from its start. Read in chunks and no further than needed; at most a chunk and the
        lines wanted are in memory.
    line : int
        From 1.
    around : int
        How many lines before it and after it.

    Returns
    -------
    tuple of Line
        None where the file has no such line, or is broken before it.
    """
    first, last = max(1, line - around), line + around
    lines = tuple(islice(_from(stream, first), last - first + 1))
    return lines if lines and lines[-1].number >= line else ()


def _from(stream: BinaryIO, first: int) -> Iterator[Line]:
    number, kept, size = 1, b"", 0  # of the line that is being read: its first bytes, and its size
    try:
        for chunk in unpacked(stream, ProblemLog({code.name: code for code in of_any_file((_ANY,))}, _ANY)):
            start = 0
            if number < first:
                start, number = _skip(chunk, number, first)
                if number < first:
                    continue
            while (end := chunk.find(b"\n", start)) >= 0:
                kept += chunk[start : min(end, start + SHOWN)]
                yield _line(number, kept, size + end - start)
                number, kept, size, start = number + 1, b"", 0, end + 1
            kept = (kept + chunk[start : start + SHOWN])[:SHOWN]
            size += len(chunk) - start
    except (EOFError, zlib.error):
        pass  # what was read before the damage is shown
    if size and number >= first:
        yield _line(number, kept, size)


def _skip(chunk: bytes, number: int, first: int) -> tuple[int, int]:
    """Return where line `first` starts in a chunk that starts in line `number`, or how far the chunk goes."""
    ends = chunk.count(b"\n")
    if number + ends < first:
        return len(chunk), number + ends
    start = 0
    while number < first:
        start = chunk.index(b"\n", start) + 1
        number += 1
    return start, number


def _line(number: int, kept: bytes, size: int) -> Line:
    text = kept[:SHOWN].decode("utf-8", "replace").removesuffix("\r")
    if number == 1:
        text = text.removeprefix(BYTE_ORDER_MARK)
    return Line(number, text, size > SHOWN)
