"""On which line of a TOML file each key and each value stands: `tomllib` does not say. Pure.

It is given texts that `tomllib` has read, so it needs to know where things begin and end, and not whether
they are right.
"""

import re
import tomllib
from typing import NamedTuple

Path = tuple[str | int, ...]

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"{3,5}' r"|'''(?:[^']|'(?!''))*'{3,5}" r'|"(?:[^"\\\n]|\\.)*"' r"|'[^'\n]*'",
    re.DOTALL,
)
_PLAIN = re.compile(r"[^,\]}#\r\n]+")  # numbers, dates, true and false


class _Header(NamedTuple):
    keys: tuple[str, ...]
    is_of_list: bool


def find_lines(text: str) -> dict[Path, int]:
    """Find the line of every key, and of every value in a list.

    Parameters
    ----------
    text : str
        TOML that `tomllib.loads` reads.

    Returns
    -------
    dict of path to int
        Lines, from 1, by the way to the value in what `tomllib` returns: keys of tables, and places in
        lists. What is continued further down has the line on which it begins.

    Examples
    --------
    >>> find_lines('a = 1' + chr(10) + '[[b]]' + chr(10) + 'c = ["x", "y"]')[("b", 0, "c", 1)]
    3
    """
    return _Scanner(text).lines


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text.replace("\r\n", "\n")
        self._at = 0
        self._counted = (0, 1)  # a place in the text, and its line
        self._lengths: dict[Path, int] = {}  # of lists of tables
        self.lines: dict[Path, int] = {}
        table: Path = ()
        self._skip(_BLANK)
        while self._at < len(self._text):
            if self._text[self._at] == "[":
                table = self._header()
            else:
                self._pair(table)
            self._skip(_BLANK)

    def _skip(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self._at)
        if found is None:
            raise ValueError(f"unexpected {self._text[self._at : self._at + 20]!r} at character {self._at}")
        self._at = found.end()
        return found[0]

    def _note(self, path: Path, at: int) -> None:
        before, line = self._counted
        self._counted = (at, line + self._text.count("\n", before, at))
        self.lines.setdefault(path, self._counted[1])

    def _header(self) -> Path:
        start = self._at
        is_of_list = self._text.startswith("[[", start)
        self._at += 1 + is_of_list
        path: Path = ()
        keys = self._keys()
        self._at += 1 + is_of_list
        for place, key in enumerate(keys):
            path = (*path, key)
            self._note(path, start)
            if is_of_list and place == len(keys) - 1:
                self._lengths[path] = self._lengths.get(path, 0) + 1
            if path in self._lengths:
                path = (*path, self._lengths[path] - 1)
                self._note(path, start)
        if is_of_list:  # what stood in the last one with this name is another table
            for inner in [one for one in self._lengths if len(one) > len(path) and one[: len(path)] == path]:
                del self._lengths[inner]
        return path

    def _keys(self) -> list[str]:
        keys = []
        while True:
            self._skip(_SPACE)
            if self._text[self._at] in "\"'":
                keys.append(tomllib.loads(f"key = {self._skip(_STRING)}")["key"])
            else:
                keys.append(self._skip(_BARE))
            self._skip(_SPACE)
            if self._text[self._at] != ".":
                return keys
            self._at += 1

    def _pair(self, table: Path) -> None:
        start, path = self._at, table
        for key in self._keys():
            path = (*path, key)
            self._note(path, start)
        self._at += 1  # the sign of equality
        self._skip(_SPACE)
        self._value(path)

    def _value(self, path: Path) -> None:
        opening = self._text[self._at]
        if opening in "\"'":
            self._skip(_STRING)
        elif opening == "[":
            self._list(path)
        elif opening == "{":
            self._table(path)
        else:
            self._skip(_PLAIN)

    def _list(self, path: Path) -> None:
        self._at += 1
        place = 0
        self._skip(_BLANK)
        while self._text[self._at] != "]":
            self._note((*path, place), self._at)
            self._value((*path, place))
            place += 1
            self._skip(_BLANK)
            if self._text[self._at] == ",":
                self._at += 1
                self._skip(_BLANK)
        self._at += 1

    def _table(self, path: Path) -> None:
        self._at += 1
        self._skip(_BLANK)
        while self._text[self._at] != "}":
            self._pair(path)
            self._skip(_BLANK)
            if self._text[self._at] == ",":
                self._at += 1
                self._skip(_BLANK)
        self._at += 1
