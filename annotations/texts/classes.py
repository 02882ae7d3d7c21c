"""A list of classes as a file has it: TOML, checked. Pure."""

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from kbpo.core.errors import InvalidInput
from kbpo_formats.normal import nfc
from kbpo_formats.ontologies.fields import shown
from kbpo_formats.ontologies.toml_text import toml_lines

FEWEST, MOST = 2, 50
LONGEST_NAME = 64
LONGEST_GUIDELINE = 300
MOST_BYTES = 256 * 1024
LONGEST_LINE = 4_000  # characters: a key of more parts would take `tomllib` minutes
_FIELDS = {"name", "version", "cannot_tell", "class"}


@dataclass(frozen=True, slots=True)
class ClassRecord:
    """A class: its name, and a line that says when a text is of it."""

    name: str
    guideline: str


@dataclass(frozen=True, slots=True)
class ClassListRecord:
    """A list of classes, in the order in which people see them.

    Attributes
    ----------
    name : str
    version : int
        From 1.
    cannot_tell : bool
        Whether people may answer that they cannot tell.
    classes : tuple of ClassRecord
    """

    name: str
    version: int
    cannot_tell: bool
    classes: tuple[ClassRecord, ...]

    @property
    def digest(self) -> str:
        """Return the SHA-256 of all that it says, in hexadecimal."""
        said = [self.name, self.version, self.cannot_tell, self.as_json()]
        return hashlib.sha256(json.dumps(said, ensure_ascii=False).encode()).hexdigest()

    def as_json(self) -> list[list[str]]:
        """Return name and guideline of each class."""
        return [[one.name, one.guideline] for one in self.classes]


def read_classes(toml: str, *, where: str) -> ClassListRecord:
    """Read a list of classes.

    Parameters
    ----------
    toml : str
        `name`, `version`, `cannot_tell` (true or false; false if left out), and for each class a table
        ``[[class]]`` with `name` and `guideline`.
    where : str
        The file, for errors.

    Raises
    ------
    InvalidInput
        Saying what is wrong, of which class, and what would be right.
    """
    for number, line in enumerate(toml.split("\n"), 1):
        if len(line) > LONGEST_LINE:
            _refuse(f"line {number} has more than {LONGEST_LINE:,} characters", where)
    try:
        data = tomllib.loads(toml)
    except RecursionError:
        raise InvalidInput("is no list of classes: its lists are nested too deep", where=where) from None
    except ValueError as error:
        raise InvalidInput(f"is no TOML: {error}", where=where) from None
    if unknown := sorted(set(data) - _FIELDS):
        _refuse(f"there is no field {shown(unknown[0])}; there are name, version, cannot_tell, class", where)
    version, cannot_tell = data.get("version"), data.get("cannot_tell", False)
    if type(version) is not int or not 1 <= version < 1 << 15:
        _refuse(f"the version is {shown(version)}; it must be a whole number from 1", where)
    if not isinstance(cannot_tell, bool):
        _refuse(f"cannot_tell is {shown(cannot_tell)}; it must be true or false", where)
    tables = data.get("class")
    if not isinstance(tables, list) or not FEWEST <= len(tables) <= MOST:
        _refuse(f"there must be {FEWEST} to {MOST} classes, each a table [[class]]", where)
    classes = tuple(_class(one, f"class {number}", where) for number, one in enumerate(tables, 1))
    seen: dict[str, int] = {}
    for number, one in enumerate(classes, 1):
        first = seen.setdefault(one.name.casefold(), number)
        if first != number:
            _refuse(f"class {number} is named {one.name!r}, as class {first} is; each needs another", where)
    return ClassListRecord(
        _words(data, "name", LONGEST_NAME, "the list", where), version, cannot_tell, classes
    )


def write_classes(record: ClassListRecord) -> str:
    """Return a list of classes as a file that `read_classes` reads as the same one."""
    head = {"name": record.name, "version": record.version, "cannot_tell": record.cannot_tell}
    tables = ({"name": one.name, "guideline": one.guideline} for one in record.classes)
    return toml_lines(head) + "".join(f"\n[[class]]\n{toml_lines(one)}" for one in tables)


def _class(table: object, which: str, where: str) -> ClassRecord:
    if not isinstance(table, Mapping):
        _refuse(f"{which} is {shown(table)}; it must be a table [[class]]", where)
    if unknown := sorted(set(table) - {"name", "guideline"}):
        _refuse(f"{which} has no field {shown(unknown[0])}; it has name and guideline", where)
    return ClassRecord(
        _words(table, "name", LONGEST_NAME, which, where),
        _words(table, "guideline", LONGEST_GUIDELINE, which, where),
    )


def _words(table: Mapping[str, Any], field: str, longest: int, which: str, where: str) -> str:
    text = table.get(field)
    if not isinstance(text, str) or not text.strip() or len(text) > longest or not text.isprintable():
        _refuse(
            f"the {field} of {which} is {shown(text)}; it must be one line of 1 to {longest} characters",
            where,
        )
    return nfc(" ".join(text.split()))


def _refuse(message: str, where: str) -> NoReturn:
    raise InvalidInput(message, where=where)
