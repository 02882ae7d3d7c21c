"""How the shown scores of a system changed: reads only."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast

from evaluation.choices import Choices
from evaluation.models import Computation, ScoreChange, Submission
from evaluation.scoring.published.recording import Column, Figures, read_figures
from evaluation.scoring.stored import Measure, Measures

DEPTH = 1000.0
"""Tenths of a hundredth in 1."""


@dataclass(frozen=True, slots=True)
class Why:
    """What a computation had that the one before it in its epoch had not; totals, never which.

    Attributes
    ----------
    systems : int
        That arrived, hidden ones too.
    labels, audits : int or None
        Labels in samples; questions that were asked again. None where one of the two was not written down.
    code_before : str
        Another version that computed the one before; empty where it is the same.
    is_first : bool
        Whether there was none before.
    """

    systems: int
    labels: int | None
    audits: int | None
    code_before: str
    is_first: bool

    def words(self, units: str) -> str:
        """Say it, with what the task samples."""
        said = []
        if self.systems:
            said.append(f"{self.systems:,} system{'s' * (self.systems != 1)} arrived")
        if self.labels:
            said.append(f"{self.labels:,} more {units} judged")
        if self.audits:
            said.append(f"{self.audits:,} more question{'s' * (self.audits != 1)} asked again")
        if self.code_before:
            said.append("other code")
        if not said:
            return "the first that is kept" if self.is_first else "labels or documents were corrected"
        return ", ".join(said)


@dataclass(frozen=True, slots=True)
class Change:
    """A system's scores from one change to the next, as pages show them.

    Attributes
    ----------
    number : int
        Of the computation, in its corpus: what the address of these scores ends with.
    at : datetime
    epoch : int
        Its number.
    code_version : str
    why : Why
    systems : int
        How many had arrived in the epoch: the last batch that the scores rest on.
    labels : int
        Of the system.
    is_public : bool
        Whether everybody could see the system then.
    figures : mapping of Column to (int, int, int)
        Estimate, low and high, in tenths of a hundredth.
    """

    number: int
    at: datetime
    epoch: int
    code_version: str
    why: Why
    systems: int
    labels: int
    is_public: bool
    figures: Mapping[Column, Figures]

    def measures(self, choices: Choices, part: str, standard: str) -> Measures:
        """Return what it says of a part by a standard."""
        found = {column[5]: one for column, one in self.figures.items() if column[::3] == (part, standard)}
        return {
            name: measure_of(found[name], choices.missing(part, name))
            if name in found
            else Measure(None, None, None, choices.missing(part, name))
            for name in choices.measures
        }

    def standard(self, choices: Choices, design: str) -> str:
        """Return the standard that pages show first, of those that it has."""
        has = {column[3] for column in self.figures}
        return next(one for one in choices.standards_of[design] if one in has)


def measure_of(figures: Figures, reason: str = "") -> Measure:
    """Return figures in tenths of a hundredth as a measure."""
    estimate, low, high = (None if one is None else one / DEPTH for one in figures)
    return Measure(estimate, low, high, reason if estimate is None else "")


def changes(submission: Submission, *, newest: int | None = None) -> list[Change]:
    """Read how the scores of a submission changed, the first change first, in three queries.

    Parameters
    ----------
    submission : Submission
    newest : int, optional
        How many of the newest ones; the first of all stands before them where it is none of them. All, where
        it is left out.
    """
    rows = _rows_of(submission)
    if newest is None:
        return _read(rows.order_by("computation_id"))
    last = _read(rows.order_by("-computation_id")[:newest])[::-1]
    if len(last) < newest:
        return last
    first = _read(rows.order_by("computation_id")[:1])
    return last if newest and first[0].number == last[0].number else [*first, *last]


def count_changes(submission: Submission) -> int:
    """Count how often the scores of a submission changed."""
    return _rows_of(submission).count()


def find_newest(submission: Submission) -> Change | None:
    """Read the newest scores that are kept of a submission; None where none are."""
    return next(iter(_read(_rows_of(submission).order_by("-computation_id")[:1])), None)


def find_change(submission: Submission, number: int) -> Change | None:
    """Read the scores of a submission as a computation left them; None where it changed none of them."""
    return next(iter(_read(_rows_of(submission).filter(computation__number=number))), None)


def _rows_of(submission: Submission) -> QuerySet[ScoreChange]:
    return ScoreChange.objects.filter(submission=submission)


def _read(found: QuerySet[ScoreChange]) -> list[Change]:
    """Read changes of one submission, in the order in which they come.

    What the figures are of is decoded once for all computations that have the same columns: nearly all.
    """
    rows = list(found.values_list("computation_id", "labels", "is_public", "figures"))
    if not rows:
        return []
    made = {
        pk: computation
        for pk, *computation in Computation.objects.filter(pk__in=[pk for pk, *_ in rows]).values_list(
            *("pk", "number", "at", "epoch_id", "epoch__number", "code_version", "systems"),
            Cast("columns", TextField()),
        )
    }
    whys = _whys({epoch for _, _, epoch, *_ in made.values()}, max(made))
    columns: dict[str, list[Column]] = {
        text: [tuple(column) for column in json.loads(text)] for text in {one[-1] for one in made.values()}
    }
    changes = []
    for pk, labels, is_public, figures in rows:
        number, at, _, epoch, code_version, systems, text = made[pk]
        changes.append(
            Change(
                number=number,
                at=at,
                epoch=epoch,
                code_version=code_version,
                why=whys[pk],
                systems=systems,
                labels=labels,
                is_public=is_public,
                figures=read_figures(columns[text], figures),
            )
        )
    return changes


def _whys(epochs: set[int], last: int) -> dict[int, Why]:
    found: dict[int, Why] = {}
    before: dict[int, tuple[int, int | None, int | None, str]] = {}
    rows = Computation.objects.filter(epoch__in=epochs, pk__lte=last).order_by("pk")
    for pk, epoch, systems, labels, audits, code in rows.values_list(
        "pk", "epoch_id", "systems", "labels", "audits", "code_version"
    ):
        was_systems, was_labels, was_audits, was_code = before.get(epoch, (0, 0, 0, ""))
        found[pk] = Why(
            systems=systems - was_systems,
            labels=_more(labels, was_labels),
            audits=_more(audits, was_audits),
            code_before=was_code if was_code not in ("", code) else "",
            is_first=epoch not in before,
        )
        before[epoch] = (systems, labels, audits, code)
    return found


def _more(now: int | None, before: int | None) -> int | None:
    return None if now is None or before is None else now - before


def table(submission: Submission, found: Sequence[Change], units: str) -> Iterator[dict[str, object]]:
    """Yield the history of a submission as flat rows, one a change and figure, for files and the API."""
    for one in found:
        shared = {
            "submission": submission.pk,
            "number": one.number,
            "at": one.at.isoformat(),
            "epoch": one.epoch,
            "why": one.why.words(units),
            "systems": one.systems,
            "systems_arrived": one.why.systems,
            "labels_more": one.why.labels,
            "audits_more": one.why.audits,
            "code_version": one.code_version,
            "labels": one.labels,
        }
        for column, figures in one.figures.items():
            shares = (None if value is None else value / DEPTH for value in figures)
            yield {**shared, **dict(zip(FIGURE_COLUMNS, (*column, *shares), strict=True))}


FIGURE_COLUMNS = (
    *("part", "weighting", "estimator", "standard", "level", "measure"),
    *("estimate", "low", "high"),
)
COLUMNS = (
    *(
        "submission",
        "number",
        "at",
        "epoch",
        "why",
        "systems",
        "systems_arrived",
        "labels_more",
        "audits_more",
        "code_version",
        "labels",
    ),
    *FIGURE_COLUMNS,
)
