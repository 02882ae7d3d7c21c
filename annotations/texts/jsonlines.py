"""JSON Lines, plain or gzip, read one object at a time."""

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from kbpo.core.errors import InvalidInput
from kbpo.core.json_text import DuplicateKey, read_json

LONGEST_LINE = 64 * 1024 * 1024
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a file may hold; by default, as much as whoever has a shell on the server may load.

    Attributes
    ----------
    line, total : int
        Bytes of one line, and of all of them, unpacked.
    lines : int
    """

    line: int = LONGEST_LINE
    total: int = 2**62
    lines: int = 2**62


def read(path: Path | str, limits: Limits | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
    """Read the objects of a file, holding one line at a time.

    Parameters
    ----------
    path : path-like
        JSON Lines in UTF-8; compressed if its first bytes say so. Blank lines, and byte-order marks at the
        beginning of lines, are passed over.
    limits : Limits, optional

    Yields
    ------
    line : int
        Counted from 1.
    value : dict
        The object on that line.

    Raises
    ------
    InvalidInput
        If the file cannot be read or exceeds the limits, or a line holds no JSON object; it names the file
        and the line.
    """
    path, limits = Path(path), limits or Limits()
    number = total = 0
    try:
        with _open(path) as lines:
            while line := lines.readline(limits.line + 1):
                number, total = number + 1, total + len(line)
                if len(line) > limits.line:
                    raise InvalidInput(
                        f"the line is longer than {limits.line // 2**20} MiB; write one document a line",
                        where=place(path, number),
                    )
                if total > limits.total or number > limits.lines:
                    raise InvalidInput(
                        f"the file has more than {limits.lines:,} lines or {limits.total // 2**20} MiB,"
                        " unpacked; load it in parts, or ask an operator to",
                        where=place(path, number),
                    )
                if line.strip():
                    yield number, _parse(line, place(path, number))
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        # What is not there is named as it was given; what was sent to a page has another folder by now.
        named = str(path) if getattr(error, "strerror", None) else path.name
        where = place(path, number + 1) if number else named
        raise InvalidInput(f"it cannot be read: {reason}", where=where) from error


def place(path: Path | str, line: int) -> str:
    """Say where a line is, for an error."""
    return f"{Path(path).name}, line {line}"


def _open(path: Path) -> BinaryIO | gzip.GzipFile:
    with path.open("rb") as file:
        compressed = file.read(2) == _GZIP
    return gzip.open(path, "rb") if compressed else path.open("rb")


def _parse(line: bytes, where: str) -> dict[str, Any]:
    try:
        value = read_json(line.decode("utf-8").removeprefix("\ufeff"), unique_keys=True)
    except UnicodeDecodeError as error:
        raise InvalidInput(f"byte {error.start + 1} is not UTF-8", where=where) from None
    except DuplicateKey as error:
        raise InvalidInput(str(error), where=where) from None
    except ValueError as error:
        raise InvalidInput(f"this is not JSON: {error}", where=where) from None
    if not isinstance(value, dict):
        raise InvalidInput("a line must hold a JSON object", where=where)
    return value
