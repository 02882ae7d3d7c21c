"""History of the scores of a system, as pages showed them: reads only."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from django.db.models import Max, Q, QuerySet, Subquery

from evaluation.choices import Choices
from evaluation.models import ScoreRecord, Submission
from evaluation.scoring.published.recording import COLUMN, Column, Figures
from evaluation.scoring.stored import Measure, Measures


@dataclass(frozen=True, slots=True)
class Change:
    """A system's scores from one change to the next, as pages show them.

    Attributes
    ----------
    number : int
        From 1, in its submission; the last part of the address of these scores.
    at : datetime
    reason : str
    epoch : int
        Its number.
    code_version : str
    systems : int
        Systems sampled in the epoch by then.
    labels : int
        Labelled units of the system.
    is_public : bool
        Whether everybody could see the system then.
    figures : mapping of Column to (float, float, float)
        Estimate, low and high.
    """

    number: int
    at: datetime
    reason: str
    epoch: int
    code_version: str
    systems: int
    labels: int
    is_public: bool
    figures: Mapping[Column, Figures]

    def measures(self, choices: Choices, part: str, standard: str) -> Measures:
        """Return the measures of a part by a standard."""
        found = {column[5]: one for column, one in self.figures.items() if column[::3] == (part, standard)}
        return {name: _measure(found.get(name), choices.missing(part, name)) for name in choices.measures}

    def standard(self, choices: Choices, design: str) -> str:
        """Return the standard that pages show first, of those recorded."""
        has = {column[3] for column in self.figures}
        return next(one for one in choices.standards_of[design] if one in has)


def _measure(figures: Figures | None, reason: str) -> Measure:
    estimate, low, high = figures or (None, None, None)
    return Measure(estimate, low, high, reason if estimate is None else "")


def changes(submission: Submission, *, newest: int | None = None) -> list[Change]:
    """Read the changes of a submission's scores, the first change first.

    Parameters
    ----------
    submission : Submission
    newest : int, optional
        Read so many of the newest changes, and the very first before them; all if left out.
    """
    rows = _rows_of(submission)
    if newest is not None:
        last = rows.values("submission").annotate(last=Max("change")).values("last")
        rows = rows.filter(Q(change=1) | Q(change__gt=Subquery(last) - newest))
    return _read(rows)


def count_changes(submission: Submission) -> int:
    """Count the changes of a submission's scores."""
    return _rows_of(submission).aggregate(last=Max("change"))["last"] or 0


def find_newest(submission: Submission) -> Change | None:
    """Read the newest recorded scores of a submission; None if there are none."""
    return find_change(submission, count_changes(submission))


def find_change(submission: Submission, number: int) -> Change | None:
    """Read the scores of a submission from a change on; None if there is no such change."""
    return next(iter(_read(_rows_of(submission).filter(change=number))), None)


def _rows_of(submission: Submission) -> QuerySet[ScoreRecord]:
    return ScoreRecord.objects.filter(submission=submission)


def _read(found: QuerySet[ScoreRecord]) -> list[Change]:
    """Read changes of one submission, the first change first."""
    rows = found.order_by("change", "pk").values_list(
        *("change", "at", "reason", "epoch__number", "code_version", "systems", "labels", "is_public"),
        *(*COLUMN, "estimate", "low", "high"),
    )
    read = []
    for about, of_change in groupby(rows, key=lambda row: row[:8]):
        number, at, reason, epoch, code_version, systems, labels, is_public = about
        figures = {tuple(row[8:14]): tuple(row[14:]) for row in of_change}
        read.append(Change(number, at, reason, epoch, code_version, systems, labels, is_public, figures))
    return read


def table(submission: Submission, found: Sequence[Change]) -> Iterator[dict[str, object]]:
    """Yield the history of a submission as flat rows, one a change and figure, for files and the API."""
    for one in found:
        shared = {
            "submission": submission.pk,
            "number": one.number,
            "at": one.at.isoformat(),
            "epoch": one.epoch,
            "reason": one.reason,
            "systems": one.systems,
            "code_version": one.code_version,
            "labels": one.labels,
        }
        for column, figures in one.figures.items():
            yield {**shared, **dict(zip(FIGURE_COLUMNS, (*column, *figures), strict=True))}


FIGURE_COLUMNS = (*COLUMN, "estimate", "low", "high")
COLUMNS = (
    *("submission", "number", "at", "epoch", "reason", "systems", "code_version", "labels"),
    *FIGURE_COLUMNS,
)
