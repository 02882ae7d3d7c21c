"""What an entity is linked to: a page of Wikipedia, no page, or for a date the date itself."""

import re
from collections.abc import Mapping
from datetime import date
from urllib.parse import quote, unquote

from kbpo.core.errors import InvalidInput

WIKIPEDIA = "https://en.wikipedia.org/wiki/"
LONGEST_TITLE = 255  # bytes, as MediaWiki has it
NO_PAGE: Mapping[str, object] = {"none": True}

_ADDRESS = re.compile(r"https?://(?:en\.)?(?:m\.)?wikipedia\.org/wiki/([^?#]+)", re.IGNORECASE)
_NOT_IN_TITLES = re.compile("[#<>\\[\\]{|}\x00-\x1f\x7f\ufffd\ud800-\udfff]")
_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", re.ASCII)

Link = dict[str, object]


def read_link(link: object) -> Link:
    """Validate a link and return its normal form.

    Parameters
    ----------
    link : object
        ``{"page": title or address}``, ``{"none": true}`` or ``{"date": "2016-11-03"}``, where the day, or
        month and day, may be missing.

    Raises
    ------
    InvalidInput
        If it is of another form, no page can have that title, or there is no such date.

    Examples
    --------
    >>> read_link({"page": "https://en.wikipedia.org/wiki/Ada_Lovelace"})
    {'page': 'Ada Lovelace'}
    """
    match link:
        case {"page": str(page), **rest} if not rest:
            return {"page": _title(page)}
        case {"none": True, **rest} if not rest:
            return dict(NO_PAGE)
        case {"date": str(written), **rest} if not rest:
            return {"date": _date(written)}
    raise InvalidInput('a link is {"page": title}, {"none": true} or {"date": "YYYY-MM-DD"}')


def link_text(link: Mapping[str, object]) -> str:
    """Return a link in its normal form as it stands beside a mention: an address, a date, or nothing."""
    if "page" in link:
        return WIKIPEDIA + quote(str(link["page"]).replace(" ", "_"), safe="/:@!$*,;'()")
    return str(link.get("date", ""))


def _title(page: str) -> str:
    address = _ADDRESS.fullmatch(page.strip())
    title = " ".join((unquote(address[1]) if address else page).replace("_", " ").split())
    if not title:
        raise InvalidInput("the title of its Wikipedia page is empty; without a page, say so")
    if _NOT_IN_TITLES.search(title) or title.strip(".") == "":
        raise InvalidInput(f"no Wikipedia page is called “{_short(title)}”")
    if len(title.encode()) > LONGEST_TITLE:
        raise InvalidInput(f"the title “{_short(title)}” is longer than {LONGEST_TITLE} bytes")
    return title[0].upper() + title[1:]


def _date(written: str) -> str:
    found = _DATE.fullmatch(written.strip())
    try:
        if found is None:
            raise ValueError
        year, month, day = (int(part) if part else 1 for part in found.groups())
        date(year, month, day)
    except ValueError:
        raise InvalidInput(
            f"“{_short(written)}” is no date; write 2016-11-03, 2016-11 or 2016, as exactly as it is known"
        ) from None
    return found[0]


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}…"
