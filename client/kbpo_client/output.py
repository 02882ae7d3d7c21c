"""What the command prints: results on stdout; words and progress on stderr, bars on a terminal alone."""

import io
import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TextIO

WIDTH = 30  # characters of a bar
LONGEST = 60  # characters of a cell

Row = Mapping[str, Any]


@dataclass
class Output:
    """Where it goes.

    Attributes
    ----------
    as_json : bool
        Whether results are JSON: a list of flat objects, or one object.
    stdout, stderr : text file
    """

    as_json: bool = False
    stdout: TextIO = field(default_factory=lambda: _tolerant(sys.stdout))
    stderr: TextIO = field(default_factory=lambda: _tolerant(sys.stderr))

    def rows(self, rows: Sequence[Row], columns: Sequence[str] = ()) -> None:
        """Print rows; `columns` says which a table has, and in which order."""
        if self.as_json:
            return self._json(list(rows))
        names = [
            name for name in columns or _names(rows) if any(row.get(name) not in (None, "") for row in rows)
        ]
        cells = [names, *([_cell(row.get(name)) for name in names] for row in rows)]
        widths = [max(len(row[place]) for row in cells) for place in range(len(names))]
        for row in cells if rows else ():
            self.line("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        return None

    def one(self, row: Row, columns: Sequence[str] = ()) -> None:
        """Print one thing, a line for each of its fields."""
        if self.as_json:
            return self._json(row)
        names = [name for name in columns or row if row.get(name) not in (None, "")]
        width = max(map(len, names), default=0)
        for name in names:
            self.line(f"{name.ljust(width)}  {_cell(row[name], longest=500)}")
        return None

    def lines(self, rows: Iterable[Row]) -> None:
        """Print rows as they come, each an object of JSON on a line: there may be a million."""
        for row in rows:
            self.line(json.dumps(row, ensure_ascii=not self._takes_all))

    def line(self, text: str) -> None:
        """Print a line of the result."""
        self.stdout.write(text + "\n")

    def text(self, text: str) -> None:
        """Print what somebody wrote, line by line; what moves a terminal's cursor is left out."""
        for line in text.splitlines():
            self.line(_printable(line))

    def tell(self, words: str) -> None:
        """Print words that are no part of the result."""
        over = "\r\033[K" if self.stderr.isatty() else ""  # what was drawn there
        self.stderr.write(f"{over}{words}\n")

    def bar(self, done: int, total: int) -> None:
        """Draw how far something is, over what was drawn before; nothing where nobody looks."""
        if not self.stderr.isatty():
            return
        share = min(1.0, done / total) if total else 1.0
        drawn = ("=" * round(share * WIDTH)).ljust(WIDTH)
        self.stderr.write(f"\r\033[K[{drawn}] {share:4.0%} of {total / 1e6:,.1f} MB")
        if share == 1.0:
            self.stderr.write("\n")
        self.stderr.flush()

    def _json(self, value: Any) -> None:
        self.line(json.dumps(value, ensure_ascii=not self._takes_all, indent=1))

    @property
    def _takes_all(self) -> bool:
        """True if stdout can encode every character; otherwise JSON is written with escapes."""
        return (getattr(self.stdout, "encoding", None) or "utf-8").lower().startswith("utf")


def _tolerant(stream: TextIO | None) -> TextIO:
    """Return a stream of the process that takes any text: what it cannot encode becomes a question mark."""
    if stream is None:  # the process was started with it closed
        return open(os.devnull, "w", encoding="utf-8")
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")
    return stream


def _names(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def _printable(text: str) -> str:
    # What a server says may hold what moves a terminal's cursor.
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _cell(value: Any, longest: int = LONGEST) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, Mapping | list):
        value = ", ".join(map(str, value))
    text = _printable(str(value))
    return text if len(text) <= longest else text[: longest - 1] + "…"
