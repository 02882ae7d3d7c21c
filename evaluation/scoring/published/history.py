"""How the shown scores of a system changed: reads only."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

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


def changes(submission: Submission) -> list[Change]:
    """Read how the scores of a submission changed, the first change first, in two queries."""
    rows = list(
        ScoreChange.objects.filter(submission=submission)
        .select_related("computation__epoch")
        .order_by("computation_id")
    )
    if not rows:
        return []
    whys = _whys({row.computation.epoch_id for row in rows}, rows[-1].computation_id)
    return [_change(row, whys[row.computation_id]) for row in rows]


def find_change(submission: Submission, number: int) -> Change | None:
    """Read the scores of a submission as a computation left them; None where it changed none of them."""
    row = (
        ScoreChange.objects.filter(submission=submission, computation__number=number)
        .select_related("computation__epoch")
        .first()
    )
    if row is None:
        return None
    return _change(row, _whys({row.computation.epoch_id}, row.computation_id)[row.computation_id])


def _change(row: ScoreChange, why: Why) -> Change:
    computation = row.computation
    return Change(
        number=computation.number,
        at=computation.at,
        epoch=computation.epoch.number,
        code_version=computation.code_version,
        why=why,
        systems=computation.systems,
        labels=row.labels,
        is_public=row.is_public,
        figures=read_figures(computation.columns, row.figures),
    )


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
        for (part, weighting, estimator, standard, level, measure), figures in one.figures.items():
            estimate, low, high = (None if value is None else value / DEPTH for value in figures)
            yield {
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
                "part": part,
                "weighting": weighting,
                "estimator": estimator,
                "standard": standard,
                "level": level,
                "measure": measure,
                "estimate": estimate,
                "low": low,
                "high": high,
            }


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
    *("part", "weighting", "estimator", "standard", "level", "measure", "estimate", "low", "high"),
)
