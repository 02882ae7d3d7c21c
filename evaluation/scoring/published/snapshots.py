"""Leaderboards in archive editions, with the names that systems have today: reads only."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.choices import Choices
from evaluation.models import Edition
from evaluation.scoring.published.files import Leaderboard
from evaluation.scoring.published.names import Named, name_systems
from evaluation.scoring.stored import Counts, Measure, Measures
from evaluation.submissions.visibility import Viewer
from kbpo.core.errors import InvalidInput

CHOSEN = ("part", "weighting", "estimator", "standard", "level")


@dataclass(frozen=True, slots=True)
class Row:
    """A system in a snapshot, under one choice: its numbers as they were, its name as it is.

    Attributes
    ----------
    named : Named
    rank : int or None
    epoch : int
        Its number.
    batch : int
        Of its epoch, the last that the score rests on.
    labels : int
    counts : Counts
    code : str
        The version that computed the score.
    measures : Measures
    """

    named: Named
    rank: int | None
    epoch: int
    batch: int
    labels: int
    counts: Counts
    code: str
    measures: Measures


@dataclass(frozen=True, slots=True)
class Board:
    """A snapshot under one choice.

    Attributes
    ----------
    snapshot : Edition
    head : mapping
        Its manifest.
    chosen : mapping
        Part, weighting, estimator, standard and level.
    offered : mapping of str to list
        Of each of these, what there is beside the chosen others.
    ranked : int
        Systems among which the ranks are.
    rows : list of Row
        By the measure that ranks, the best first.
    """

    snapshot: Edition
    head: Mapping[str, Any]
    chosen: Mapping[str, Any]
    offered: Mapping[str, list[Any]]
    ranked: int
    rows: list[Row]


def find_snapshot(tag: str, number: str) -> Edition | None:
    """Read a leaderboard edition of a corpus by its number, such as ``1.2``."""
    epoch, _, edition = number.partition(".")
    if not all(one.isascii() and one.isdecimal() and len(one) <= 9 for one in (epoch, edition)):
        return None
    editions = Edition.objects.filter(epoch__corpus__tag=tag, kind=Edition.Kind.LEADERBOARD)
    found = editions.select_related("epoch__corpus").filter(epoch__number=epoch, edition=edition)
    return found.first()


def read_board(
    snapshot: Edition, choices: Choices, *, viewer: Viewer = None, asked: Mapping[str, Any] | None = None
) -> Board:
    """Read a snapshot under a choice, by default the one that was shown.

    Parameters
    ----------
    snapshot : Edition
    choices : Choices
        Its task's.
    viewer : User, AnonymousUser or None
    asked : mapping, optional
        Some of `CHOSEN`.

    Raises
    ------
    InvalidInput
        If the snapshot has no such table; the message lists the tables.
    """
    kept = Leaderboard(snapshot)
    head = kept.manifest
    given = {name: value for name, value in (asked or {}).items() if value not in (None, "")}
    wanted = {**head["shown"], **given}
    keys = [{name: one[name] for name in (*CHOSEN, "file")} for one in head["tables"]]
    for name in CHOSEN:
        if not any(str(key[name]) == str(wanted[name]) for key in keys):
            there = ", ".join(dict.fromkeys(str(key[name]) for key in keys))
            raise InvalidInput(f"{str(wanted[name])[:80]!r} is none of {there}.", where=name)
    chosen = next((key for key in keys if all(str(key[one]) == str(wanted[one]) for one in CHOSEN)), None)
    if chosen is None:
        # no table has all of these: a part may not have each estimator
        raise InvalidInput("the snapshot has no scores of that kind", where=", ".join(given) or "part")
    offered = {
        name: list(
            dict.fromkeys(
                key[name]
                for key in keys
                if all(str(key[other]) == str(chosen[other]) for other in CHOSEN if other != name)
            )
        )
        for name in CHOSEN
    }
    table = kept.table(chosen["file"])
    return Board(snapshot, head, chosen, offered, table["ranked"], _rows(table, choices, viewer))


def _rows(table: Mapping[str, Any], choices: Choices, viewer: Viewer) -> list[Row]:
    named = name_systems([row["system"] for row in table["rows"]], viewer)
    part = table["part"]
    found = [
        Row(
            named=named[row["system"]],
            rank=row["rank"],
            epoch=row["epoch"],
            batch=row["batch"],
            labels=row["labels"],
            counts={name: row["counts"].get(name) for name in choices.counts},
            code=row["code"],
            measures={
                name: _measure(
                    row["measures"].get(name), choices.missing(part, name) if part in choices.parts else ""
                )
                for name in choices.measures
            },
        )
        for row in table["rows"]
    ]
    ranked_by = choices.parts[part].ranked_by if part in choices.parts else next(iter(choices.measures))
    return sorted(found, key=lambda row: _order(row, ranked_by, ranked_by in choices.less_is_better))


def _measure(figures: list[float | None] | None, reason: str) -> Measure:
    if figures is None or figures[0] is None:
        return Measure(None, None, None, reason)
    estimate, low, high = figures
    return Measure(estimate, low, high)


def _order(row: Row, measure: str, is_less_better: bool) -> tuple[bool, float, int]:
    value = row.measures[measure].estimate
    ahead = value or 0.0
    # not by name: where nothing else tells two apart, an order by names would tell of one that has none
    return value is None, ahead if is_less_better else -ahead, row.named.submission


def csv_columns(choices: Choices) -> tuple[str, ...]:
    """Return the columns of a board's file."""
    figures = [
        name for measure in choices.measures for name in (measure, f"{measure}_low", f"{measure}_high")
    ]
    return ("rank", "system", "name", "team", "epoch", "labels", *choices.counts, *figures, "code_version")


def csv_rows(board: Board, choices: Choices) -> Iterator[dict[str, object]]:
    """Yield a board as flat rows."""
    for row in board.rows:
        flat: dict[str, object] = {
            "rank": row.rank,
            "system": row.named.submission,
            "name": row.named.name,
            "team": row.named.team,
            "epoch": row.epoch,
            "labels": row.labels,
            **row.counts,
            "code_version": row.code,
        }
        for name, one in row.measures.items():
            flat |= {name: one.estimate, f"{name}_low": one.low, f"{name}_high": one.high}
        yield {name: _cell(value) for name, value in flat.items()}


def _cell(value: object) -> object:
    """Return a value as a spreadsheet shows it: a name that begins like a formula is none."""
    is_formula = isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r")
    return f"'{value}" if is_formula else value
