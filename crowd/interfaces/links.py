"""The step that links a mention to a page of Wikipedia or to a date: as a page shows it, as a form says it.

Pure. Any interface may use it: the fields' names are made from a prefix of the interface's own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from annotations.kinds.links import read_date, read_title
from kbpo.core.errors import InvalidInput

NONE = "none"


@dataclass(frozen=True, slots=True)
class LinkField:
    """What the template part of a link needs.

    Attributes
    ----------
    name : str
        The prefix of its fields' names.
    kind : {"page", "date"}
    title, year, month, day : str
        What has been typed.
    is_none : bool
        Whether "no page" or "no date" is ticked.
    suggestion : str
        What to look up first: the mention's text.
    """

    name: str
    kind: str
    title: str
    year: str
    month: str
    day: str
    is_none: bool
    suggestion: str


def build_field(name: str, kind: str, suggestion: str, posted: Mapping[str, Sequence[str]]) -> LinkField:
    """Make a field, with what has been typed into it."""

    def typed(part: str) -> str:
        return next(iter(posted.get(f"{name}{part}", ())), "")

    return LinkField(
        name,
        kind,
        typed(""),
        typed("-year"),
        typed("-month"),
        typed("-day"),
        typed("-none") == NONE,
        suggestion,
    )


def read_field(field: LinkField) -> dict[str, Any]:
    """Return what a field says, as `annotations.kinds.links.read_link` wants it.

    Raises
    ------
    InvalidInput
        If it says nothing, two things, or half a date.
    """
    if field.kind == "date":
        return _read_date(field)
    title = field.title.strip()
    if field.is_none and title:
        raise InvalidInput("Either a page or “no page”: take one of them away.")
    if field.is_none:
        return {"none": True}
    if not title:
        raise InvalidInput("Choose the page, type its title, or tick “no page”.")
    return {"page": read_title(title_of(title))}


def title_of(text: str) -> str:
    """Return the title of a page that is given by its title, or by an address of Wikipedia.

    Examples
    --------
    >>> title_of("https://en.wikipedia.org/wiki/Port_of_Spain#History")
    'Port_of_Spain'
    """
    if text.startswith(("https://", "http://")):
        try:
            parts = urlsplit(text)
            host, path = parts.hostname or "", parts.path
        except ValueError:
            host, path = "", ""
        if not f".{host}".endswith(".wikipedia.org") or not path.startswith("/wiki/"):
            raise InvalidInput("That is no address of a page of Wikipedia; type the page's title.")
        return unquote(path.removeprefix("/wiki/"))
    return text


def _read_date(field: LinkField) -> dict[str, Any]:
    year, month, day = (part.strip() for part in (field.year, field.month, field.day))
    if field.is_none and (year or month or day):
        raise InvalidInput("Either a date or “no date”: take one of them away.")
    if field.is_none:
        return {"none": True}
    if not year:
        raise InvalidInput("Give the year, with month and day where the document tells, or tick “no date”.")
    if day and not month:
        raise InvalidInput("A day needs its month.")
    for words, part, digits in (("year", year, 4), ("month", month, 2), ("day", day, 2)):
        if part and not (part.isascii() and part.isdecimal() and len(part) <= digits):
            raise InvalidInput(f"The {words} must be a number, such as {'2016' if digits == 4 else '11'}.")
    parts = [year.zfill(4), *(part.zfill(2) for part in (month, day) if part)]
    return {"date": read_date("-".join(parts))}
