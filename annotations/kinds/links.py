"""What a mention is linked to: a page of Wikipedia, no page, or a date. Pure; validated here alone."""

import re
from collections.abc import Mapping
from datetime import date
from typing import Any
from urllib.parse import quote

from annotations.texts.languages import DEFAULT, read_language
from kbpo.core.errors import InvalidInput
from kbpo_formats.normal import nfc
from kbpo_formats.ontologies.ontology import MentionType

LONGEST_TITLE = 255  # bytes, as MediaWiki has it
_ILLEGAL = re.compile(r"[#<>\[\]|{}\x00-\x1f\x7f\ud800-\udfff]")
_DATE = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?", re.ASCII)


def read_link(link: object, mention_type: MentionType) -> dict[str, Any]:
    """Validate a link and return its normal form.

    Parameters
    ----------
    link : object
        ``{"page": title}``, ``{"date": "2016-11-03"}`` (or ``"2016-11"``, or ``"2016"``), or
        ``{"none": true}`` where there is no such page, or no such date.
    mention_type : MentionType
        The mention's: dates have dates, and entities have pages.

    Raises
    ------
    InvalidInput
        Saying what would be right.
    """
    kind = mention_type.link
    if kind is None:
        raise InvalidInput(f"a mention of type {mention_type.name} is not linked to anything")
    match link:
        case {"none": True, **rest} if not rest:
            return {"none": True}
        case {"page": str(title), **rest} if not rest and kind == "page":
            return {"page": read_title(title)}
        case {"date": str(text), **rest} if not rest and kind == "date":
            return {"date": read_date(text)}
    raise InvalidInput(
        f"{link!r:.80} is no link of a mention of type {mention_type.name}; "
        f'it must be {{"{kind}": …}} or {{"none": true}}'
    )


def link_text(link: Mapping[str, object], language: str = DEFAULT) -> str:
    """Return a link as it stands beside a mention: an address in a language's Wikipedia, a date, or nothing.

    Examples
    --------
    >>> link_text({"page": "Port Hallow"})
    'https://en.wikipedia.org/wiki/Port_Hallow'
    >>> link_text({"page": "Sevilla"}, "es")
    'https://es.wikipedia.org/wiki/Sevilla'
    """
    if "page" in link:
        return read_language(language).pages + quote(str(link["page"]).replace(" ", "_"), safe="/:@!$*,;'()")
    return str(link.get("date", ""))


def read_title(text: str) -> str:
    """Return a page's title as MediaWiki writes it: spaces for underscores, a capital first.

    Raises
    ------
    InvalidInput
        If it is empty, too long, or holds a character that no title has.

    Examples
    --------
    >>> read_title(" port_Hallow ")
    'Port Hallow'
    """
    title = " ".join(nfc(text).replace("_", " ").split())
    if found := _ILLEGAL.search(title):
        raise InvalidInput(f"a title of Wikipedia has no {found[0]!r}; type it as it stands over the page")
    if not title:
        raise InvalidInput("the title of a page is missing; type it, or say that there is no page")
    if len(title.encode()) > LONGEST_TITLE:
        raise InvalidInput(f"a title of Wikipedia has at most {LONGEST_TITLE} bytes")
    return title[0].upper() + title[1:]


def read_date(text: str) -> str:
    """Check a date of a year, of a year and a month, or in full, as ISO 8601 writes it.

    Raises
    ------
    InvalidInput
        If there is no such day.
    """
    found = _DATE.fullmatch(text)
    if found is None:
        raise InvalidInput(f"{text[:40]!r} is no date; it should be like 2016, 2016-11 or 2016-11-03")
    year, month, day = (int(part) if part else 1 for part in found.groups())
    try:
        date(year, month, day)
    except ValueError:
        raise InvalidInput(f"there is no {text}; check its year, month and day") from None
    return text


def read_links(links: object, types: Mapping[int, MentionType]) -> dict[str, dict[str, Any]]:
    """Validate the links of a question's mentions.

    Parameters
    ----------
    links : object
        ``{index: link}``, by the mention's index; JSON has no other keys than strings.
    types : mapping of int to MentionType
        The mentions' types, by index.

    Raises
    ------
    InvalidInput
        If an index is unknown, or a link is not valid.
    """
    if not isinstance(links, Mapping):
        raise InvalidInput('links must be an object such as {"0": {"page": "Port Hallow"}}')
    names = {str(index): kind for index, kind in types.items()}
    if unknown := [name for name in links if name not in names]:
        raise InvalidInput(f"links has {unknown[0]!r:.40}; the mentions are {', '.join(names)}")
    return {name: read_link(links[name], names[name]) for name in sorted(links, key=str)}
