"""The fields of a table in a file: each is read, or its fault noted, so that all faults are found. Pure."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar

from kbpo_formats.ontologies.faults import Faults
from kbpo_formats.ontologies.toml_lines import Path

T = TypeVar("T")

_NOT_SHOWN = re.compile(r"[^\S \n]|\n{3,}")


def shown(value: object) -> str:
    """Show a value of unknown size in an error, on one line."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # an integer of thousands of digits; lists in lists
        text = f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}..."


class Fields:
    """A table of a file, and where it stands.

    Parameters
    ----------
    values : mapping
    path : tuple
        The way to the table.
    faults : Faults
        Receives what is wrong.

    Attributes
    ----------
    path : tuple
    faults : Faults
    """

    def __init__(self, values: Mapping[str, Any], path: Path, faults: Faults) -> None:
        self._values = values
        self._known: set[str] = set()
        self.path = path
        self.faults = faults

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def refuse(self, key: str, message: str) -> None:
        """Note that something is wrong with a key's value."""
        self.faults.add((*self.path, key), f"{key} {message}")

    def text(
        self,
        key: str,
        *,
        longest: int,
        is_needed: bool = True,
        pattern: re.Pattern[str] | None = None,
        made_of: str = "",
    ) -> str:
        """Return a text without white space around it, in normal form C; empty where it is missing or wrong.

        Parameters
        ----------
        key : str
        longest : int
            Characters.
        is_needed : bool
        pattern : re.Pattern, optional
            What it must be as a whole, if it is a name; any other text is of characters that can be seen.
        made_of : str
            The same in words.
        """
        value = self._take(key, str, "a text", is_needed)
        if value is None:
            return ""
        return check_text(
            value, key, (*self.path, key), self.faults, longest=longest, pattern=pattern, made_of=made_of
        )

    def truth(self, key: str, *, default: bool) -> bool:
        """Return true or false."""
        value = self._take(key, bool, "true or false", False)
        return default if value is None else value

    def number(self, key: str, *, least: int, most: int) -> int:
        """Return a whole number; 0 where it is missing or wrong."""
        value = self._take(key, int, "a whole number", True)
        if value is None:
            return 0
        if isinstance(value, bool) or not least <= value <= most:
            self.refuse(key, f"is {shown(value)}; it must be a whole number from {least} to {most}")
            return 0
        return value

    def one_of(self, key: str, choices: Collection[str], *, default: str | None = None) -> str:
        """Return one of some words; the default, or else the first, where it is missing or wrong."""
        value = self._take(key, str, "a text", default is None)
        if value is not None and value not in choices:
            self.refuse(key, f"is {shown(value)}; it must be one of {', '.join(choices)}")
            value = None
        return value or default or next(iter(choices))

    def names(self, key: str, *, is_needed: bool = True, most: int = 100) -> tuple[tuple[str, Path], ...]:
        """Return a list of different names, each with its place; those that are none are left out."""
        value = self._take(key, list, 'a list of names, as in ["ONE"]', is_needed)
        if value is None:
            return ()
        if not value and is_needed:
            self.refuse(key, "is empty; it must name one at least")
        if len(value) > most:
            self.refuse(key, f"has {len(value)} names; at most {most} are allowed")
        found: dict[str, Path] = {}
        for place, one in enumerate(value[:most]):
            path = (*self.path, key, place)
            if not isinstance(one, str) or not one:
                self.faults.add(path, f"{key} has {shown(one)}; it must be a name")
            elif one in found:
                self.faults.add(path, f"{key} has {shown(one)} twice")
            else:
                found[one] = path
        return tuple(found.items())

    def by_type(self, key: str) -> str | dict[str, str] | None:
        """Return one name for every type, or a table with one for each."""
        self._known.add(key)
        value = self._values.get(key)
        if isinstance(value, dict):
            for name, one in value.items():
                if not isinstance(one, str):
                    self.faults.add(
                        (*self.path, key, name), f"{key} of {shown(name)} is {shown(one)}; it must be a name"
                    )
            return {name: one for name, one in value.items() if isinstance(one, str)}
        if value is None or isinstance(value, str):
            return value
        self.refuse(key, f"is {shown(value)}; it must be a name, or a table with one for each type")
        return None

    def tables(self, key: str, *, is_needed: bool = True, most: int) -> Iterator["Fields"]:
        """Yield the tables of a list."""
        value = self._take(key, list, f"a list of tables: [[{key}]]", is_needed)
        if value is None:
            return
        if not value and is_needed:
            self.refuse(key, "is empty; one at least must be there")
        if len(value) > most:
            self.refuse(key, f"are {len(value)}; at most {most} are allowed")
        for place, one in enumerate(value[:most]):
            path = (*self.path, key, place)
            if isinstance(one, dict):
                yield Fields(one, path, self.faults)
            else:
                self.faults.add(path, f"{key} has {shown(one)}; it must be a table")

    def pairs(self, key: str, read: Callable[[str, Any, Path], T], *, most: int) -> dict[str, T]:
        """Return what `read` makes of each key of a table, its value and its place."""
        value = self._take(key, dict, f"a table: [{key}]", False) or {}
        if len(value) > most:
            self.refuse(key, f"has {len(value)} keys; at most {most} are allowed")
        return {name: read(name, one, (*self.path, key, name)) for name, one in list(value.items())[:most]}

    def finish(self) -> None:
        """Note the keys that nothing has asked for."""
        for key in self._values:
            if key not in self._known:
                close = get_close_matches(key, self._known, n=1)
                hint = f"is {close[0]} meant?" if close else f"known are {', '.join(sorted(self._known))}"
                self.faults.add((*self.path, key), f"unknown key {shown(key)}: {hint}")

    def _take(self, key: str, kind: type[T], what: str, is_needed: bool) -> T | None:
        self._known.add(key)
        if key not in self._values:
            if is_needed:
                self.faults.add(self.path, f"{key} is missing; it must be {what}")
            return None
        value = self._values[key]
        if not isinstance(value, kind):
            self.refuse(key, f"is {shown(value)}; it must be {what}")
            return None
        return value


def check_text(
    value: str,
    key: str,
    path: Path,
    faults: Faults,
    *,
    longest: int,
    pattern: re.Pattern[str] | None = None,
    made_of: str = "",
) -> str:
    """Return a text as it is kept, or note what is wrong and return nothing; see `Fields.text`."""
    text = unicodedata.normalize("NFC", value).strip()
    if not text:
        faults.add(path, f"{key} is empty")
    elif len(text) > longest:
        faults.add(path, f"{key} has {len(text)} characters; at most {longest} are allowed")
    elif pattern is not None and not pattern.fullmatch(text):
        faults.add(path, f"{key} is {shown(text)}; it must be {made_of}")
    elif _NOT_SHOWN.search(text) or not all(one == "\n" or one.isprintable() for one in text):
        bad = next((one for one in text if one != "\n" and not one.isprintable()), "\n")
        faults.add(path, f"{key} holds the character {shown(bad)}, or more empty lines than one together")
    else:
        return text
    return ""
