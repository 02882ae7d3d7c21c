"""Which rows of a leaderboard an address asks for, by which columns, and what its headings lead to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import HttpRequest

from annotations.models import Corpus
from evaluation.choices import Choices
from evaluation.registry import task_of
from evaluation.scoring import listing
from evaluation.scoring.listing import Listing
from kbpo.core.errors import InvalidInput

_NO = ("", "0", "false", "no", "off")


def read_listing(request: HttpRequest, corpus: Corpus) -> Listing:
    """Read from the address which rows are to be shown, and in which order.

    Raises
    ------
    InvalidInput
        A column, a number or a way to list does not exist.
    """
    asked = request.GET
    sort = asked.get("sort", "")
    is_descending = sort.startswith("-")
    sort = sort.removeprefix("-")
    _check_one_of("sort", sort, ("", *listing.sortable(task_of(corpus).choices)))
    baselines, runs = asked.get("baselines", listing.SHOWN), asked.get("runs", "") or listing.ALL
    _check_one_of("baselines", baselines, (listing.SHOWN, listing.HIDDEN, listing.ALONE))
    _check_one_of("runs", runs, (listing.ALL, listing.ONE))
    return Listing(
        sort=sort,
        is_descending=is_descending,
        search=asked.get("q", "").strip()[:100],
        team=asked.get("team", ""),
        labels=_read_number("labels", asked.get("labels", ""), otherwise=0),
        baselines=baselines,
        is_own=request.user.is_authenticated and asked.get("mine", "").lower() not in _NO,
        runs=runs,
        page=max(1, _read_number("page", asked.get("page", ""), otherwise=1)),
    )


def read_columns(request: HttpRequest, choices: Choices) -> frozenset[str]:
    """Read from the address which columns are to be shown: all of them, if it names none.

    Raises
    ------
    InvalidInput
        One does not exist.
    """
    known, asked = listing.columns(choices), request.GET.getlist("show")
    for one in asked:
        _check_one_of("show", one, tuple(known))
    return frozenset(asked or known)


def _check_one_of(name: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise InvalidInput(f"{value[:40]!r} is none of {', '.join(filter(None, known))}.", where=name)


def _read_number(name: str, value: str, *, otherwise: int) -> int:
    if not value:
        return otherwise
    if not (value.isascii() and value.isdecimal() and len(value) <= 9):
        raise InvalidInput(f"{value[:40]!r} is no whole number.", where=name)
    return int(value)


@dataclass(frozen=True, slots=True)
class Heading:
    """A column's heading: what it is called, and how a link sorts by it.

    Attributes
    ----------
    name, words : str
    sort : str
        What the link asks for.
    sorted : str
        As ``aria-sort`` has it; empty where rows are not sorted by it.
    natural : str
        What a list of columns asks for: this column as it is best read, or as it is sorted now.
    order : str
        That order, in words.
    is_asked : bool
        Whether the address asks for it.
    """

    name: str
    words: str
    sort: str
    sorted: str
    natural: str
    order: str
    is_asked: bool


_ORDER_OF_FIGURES = ("from the lowest", "from the highest")
_ORDERS = {
    "rank": ("from the first", "from the last"),
    "name": ("A to Z", "Z to A"),
    "team": ("A to Z", "Z to A"),
    "date": ("the oldest first", "the newest first"),
    "epoch": ("the oldest first", "the newest first"),
}  # rising, and falling


def headings(asked: Listing, choices: Choices, ranked_by: str) -> Mapping[str, Heading]:
    """Return the heading of each column."""
    by, is_descending = listing.effective_sort(asked, choices, ranked_by)
    found = {}
    for name, words in listing.sortable(choices).items():
        next_one = listing.turned(asked, name, choices, ranked_by)
        is_by = by == name
        is_down = is_descending if is_by else listing.begins_descending(name, choices)
        found[name] = Heading(
            name,
            words,
            sort=_sort(name, next_one.is_descending),
            sorted=("descending" if is_descending else "ascending") if is_by else "",
            natural=_sort(name, is_down),
            order=_ORDERS.get(name, _ORDER_OF_FIGURES)[is_down],
            is_asked=bool(asked.sort) and is_by,
        )
    return found


def _sort(name: str, is_descending: bool) -> str:
    return f"{'-' if is_descending else ''}{name}"
