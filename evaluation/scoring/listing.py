"""Which systems a leaderboard lists, and in which order: pure, on rows that are read already.

Nothing here moves a rank: ranks are over all systems of the corpus, whichever are listed (ADR 18).
"""

import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil
from typing import NamedTuple

from evaluation.choices import Choices
from evaluation.scoring.leaderboard import Row

PAGE = 50
ALL, ONE = "all", "one"
SHOWN, HIDDEN, ALONE = "", "hide", "only"
#: Columns that every task's leaderboard has, beside its measures, labels and counts.
FACTS: Mapping[str, str] = {"epoch": "epoch", "date": "uploaded"}
#: What rows can be sorted by that is no column to choose.
NAMES: Mapping[str, str] = {"rank": "rank", "name": "system", "team": "team"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What somebody wants to see of a leaderboard's rows.

    Attributes
    ----------
    sort : str
        A column, or one of `NAMES`; empty: by the measure that ranks.
    is_descending : bool
    search : str
        Part of a system's or a team's name.
    team : str
        A team's name.
    labels : int
        How many labels a system must have; 0 lists those without a score as well.
    baselines : str
        `SHOWN`, `HIDDEN` or `ALONE`.
    is_own : bool
        Only those of the viewer's teams.
    runs : str
        `ALL`, or `ONE` of each team: the chosen one, or else the best.
    page : int
        From 1.
    """

    sort: str = ""
    is_descending: bool = False
    search: str = ""
    team: str = ""
    labels: int = 0
    baselines: str = SHOWN
    is_own: bool = False
    runs: str = ALL
    page: int = 1

    @property
    def is_narrowed(self) -> bool:
        """Whether some rows may be left out."""
        return self != Listing(sort=self.sort, is_descending=self.is_descending, page=self.page)


class Listed(NamedTuple):
    """A row as it is listed; `standing` says why it stands for its team where one of each is listed."""

    row: Row
    standing: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """A page of a leaderboard's rows.

    Attributes
    ----------
    scored, unscored : tuple of Listed
        Of this page.
    every : tuple of Row
        All scored rows that are listed, on whichever page.
    total, of : int
        How many rows are listed, and how many there are.
    page, pages, first, last : int
        Its number and how many there are, from 1; the places of its first and last row.
    """

    scored: tuple[Listed, ...]
    unscored: tuple[Listed, ...]
    every: tuple[Row, ...]
    total: int
    of: int
    page: int
    pages: int
    first: int
    last: int


def find(
    rows: Sequence[Row],
    listing: Listing,
    choices: Choices,
    *,
    ranked_by: str,
    runs_of: Mapping[str, int] | None = None,
    size: int = PAGE,
) -> Found:
    """Return the page of rows that a listing asks for.

    Parameters
    ----------
    rows : sequence of Row
        As `leaderboard.rows` orders them.
    listing : Listing
    choices : Choices
    ranked_by : str
        The measure that ranks.
    runs_of : mapping of str to int, optional
        By team, how many of its runs have scores, shown or not; for one run of each.
    size : int
        Rows of a page. A page beyond the last one is the last one.
    """
    scored, unscored = _select(rows, listing, choices, ranked_by, runs_of)
    ordered = [*scored, *unscored]
    pages = max(1, ceil(len(ordered) / size))
    page = min(listing.page, pages)
    start = (page - 1) * size
    shown = ordered[start : start + size]
    return Found(
        scored=tuple(scored[start : start + size]),
        unscored=tuple(unscored[max(0, start - len(scored)) : max(0, start + size - len(scored))]),
        every=tuple(one.row for one in scored),
        total=len(ordered),
        of=len(rows),
        page=page,
        pages=pages,
        first=start + 1 if shown else 0,
        last=start + len(shown),
    )


def select(
    rows: Sequence[Row],
    listing: Listing,
    choices: Choices,
    *,
    ranked_by: str,
    runs_of: Mapping[str, int] | None = None,
) -> list[Listed]:
    """Return all rows that a listing asks for, on whichever page; those with scores first. As `find`."""
    scored, unscored = _select(rows, listing, choices, ranked_by, runs_of)
    return [*scored, *unscored]


def _select(
    rows: Sequence[Row],
    listing: Listing,
    choices: Choices,
    ranked_by: str,
    runs_of: Mapping[str, int] | None,
) -> tuple[list[Listed], list[Listed]]:
    """Return the rows that a listing asks for, those with scores apart from those without."""
    listed = _one_of_each(rows, choices, ranked_by, runs_of or {}) if listing.runs == ONE else _all(rows)
    if listing.is_narrowed:
        listed = [one for one in listed if _is_wanted(one.row, listing)]
    parts: tuple[list[Listed], list[Listed]] = ([], [])
    for one in listed:
        parts[not one.row.is_scored].append(one)
    scored, unscored = (_sorted(part, listing, choices) for part in parts)
    return scored, unscored


@lru_cache(maxsize=20_000)
def folded(text: str) -> str:
    """Return a text as it is searched: without case and accents.

    Examples
    --------
    >>> folded("Universität Zürich")
    'universitat zurich'
    """
    if text.isascii():
        return text.casefold()
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(one for one in apart if not unicodedata.combining(one))


def chosen_words(known: int) -> str:
    """Say what a team knew when it chose the run that stands for it.

    Examples
    --------
    >>> chosen_words(0), chosen_words(1)
    ('chosen by its team before it knew a score here', 'chosen by its team, which knew the scores of 1 run')
    """
    if known == 0:
        return "chosen by its team before it knew a score here"
    return f"chosen by its team, which knew the scores of {known} run{'s' if known > 1 else ''}"


def _all(rows: Sequence[Row]) -> list[Listed]:
    return [Listed(row, "" if row.chosen_after is None else chosen_words(row.chosen_after)) for row in rows]


def _one_of_each(
    rows: Sequence[Row], choices: Choices, ranked_by: str, runs_of: Mapping[str, int]
) -> list[Listed]:
    """Keep of each team the run that it chose, else its best one, in the rows' order."""
    chosen = {row.team: row for row in rows if row.chosen_after is not None}
    less_is_better = ranked_by in choices.less_is_better

    def merit(row: Row) -> tuple[bool, bool, bool, float, int]:
        value = row.measures[ranked_by].estimate
        ahead = value or 0.0
        has_rank = row.rank is not None  # a figure of few labels would win by chance
        return has_rank, value is not None, row.is_scored, -ahead if less_is_better else ahead, row.submission

    best: dict[str, Row] = {}
    for row in rows:
        if row.team not in best or merit(row) > merit(best[row.team]):
            best[row.team] = row
    keep = {row.submission: row for row in (best | chosen).values()}
    return [Listed(row, _standing(row, runs_of)) for row in rows if row.submission in keep]


def _standing(row: Row, runs_of: Mapping[str, int]) -> str:
    if row.chosen_after is not None:
        return chosen_words(row.chosen_after)
    runs = runs_of.get(row.team, 1)
    return f"the best of {runs} runs of its team" if row.is_scored and runs > 1 else ""


def _is_wanted(row: Row, listing: Listing) -> bool:
    if listing.is_own and not row.is_own:
        return False
    if listing.baselines and row.is_baseline != (listing.baselines == ALONE):
        return False
    if listing.labels and (row.labels or 0) < listing.labels:
        return False
    if listing.team and row.team != listing.team:
        return False
    wanted = folded(listing.search)
    return not wanted or wanted in folded(row.name) or wanted in folded(row.team)


def _sorted(listed: list[Listed], listing: Listing, choices: Choices) -> list[Listed]:
    """Sort by the listing's column, what has nothing there last; else leave the order."""
    if not listing.sort:
        return listed
    value = _value(listing.sort, choices)
    having = [one for one in listed if value(one.row) is not None]
    others = [one for one in listed if value(one.row) is None]
    having.sort(key=lambda one: value(one.row), reverse=listing.is_descending)  # type: ignore[arg-type, return-value]
    return [*having, *others]


def _value(column: str, choices: Choices) -> Callable[[Row], object]:
    if column in choices.measures:
        return lambda row: row.measures[column].estimate
    if column in choices.counts:
        return lambda row: row.counts[column]
    if column in ("name", "team"):
        return lambda row: folded(getattr(row, column))
    return lambda row: getattr(row, column)


def sortable(choices: Choices) -> Mapping[str, str]:
    """Return the columns by which rows can be sorted, with their names."""
    return {**NAMES, **columns(choices)}


def columns(choices: Choices) -> Mapping[str, str]:
    """Return the columns that can be shown or left out, with their names."""
    counts = {name: one.heading for name, one in choices.counts.items()}
    return {**choices.measures, "labels": choices.labelled, **counts, **FACTS}


def begins_descending(column: str, choices: Choices) -> bool:
    """Say whether a column is best read from its largest value down."""
    if column in choices.measures:
        return column not in choices.less_is_better
    return column not in ("rank", "name", "team")


def turned(listing: Listing, column: str, choices: Choices, default: str) -> Listing:
    """Return the listing that a column's heading leads to: sorted by it, or the other way round."""
    sort, is_descending = effective_sort(listing, choices, default)
    if sort == column:
        return replace(listing, sort=column, is_descending=not is_descending, page=1)
    return replace(listing, sort=column, is_descending=begins_descending(column, choices), page=1)


def effective_sort(listing: Listing, choices: Choices, default: str) -> tuple[str, bool]:
    """Return the column that rows are sorted by, and whether from its largest value down."""
    if listing.sort:
        return listing.sort, listing.is_descending
    return default, begins_descending(default, choices)


def teams(rows: Collection[Row]) -> list[str]:
    """Return the teams of rows, by name."""
    return sorted({row.team for row in rows}, key=folded)
