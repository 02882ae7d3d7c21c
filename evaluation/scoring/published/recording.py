"""Recording of score changes: what pages show of a system, whenever it changes."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import OuterRef, Subquery

from evaluation.choices import Choices
from evaluation.models import Audit, Epoch, Estimate, SampledUnit, ScoreRecord, Submission
from evaluation.submissions.visibility import is_published
from kbpo.core.database.bulk import copy_rows

Column = tuple[str, str, str, str, int, str]
"""Part, weighting, estimator, standard, level and measure."""
COLUMN = ("part", "weighting", "estimator", "standard", "level", "measure")
Figures = tuple[float | None, float | None, float | None]
"""Estimate, low and high."""


@dataclass(frozen=True, slots=True)
class Totals:
    """Totals that scores of an epoch rest on.

    Attributes
    ----------
    epoch : int
        Row id.
    systems : int
        Systems sampled in the epoch, hidden ones too.
    labels : int
        Labelled units of all of them.
    audits : int
        Questions that were asked again.
    code : str
        The version that computed the scores.
    """

    epoch: int
    systems: int
    labels: int
    audits: int
    code: str

    def since(self, before: "Totals | None", units: str) -> str:
        """Say why scores changed since earlier totals, in words; `units` are those that the task samples."""
        if before is None or before.epoch != self.epoch:
            return "first score in this epoch"
        said = []
        if systems := self.systems - before.systems:
            said.append(f"{systems:,} system{'s' * (systems != 1)} arrived")
        if (labels := self.labels - before.labels) > 0:
            said.append(f"{labels:,} more {units} judged")
        if (audits := self.audits - before.audits) > 0:
            said.append(f"{audits:,} more question{'s' * (audits != 1)} asked again")
        if before.code != self.code:
            said.append(f"the code changed from {before.code} to {self.code}")
        return ", ".join(said) or "labels or documents were corrected"


def rounded(value: float | None) -> float | None:
    """Round a fraction to a tenth of a hundredth, as pages round it.

    Examples
    --------
    >>> rounded(0.43962), rounded(-0.0006), rounded(None)
    (0.44, -0.001, None)
    """
    return None if value is None else int(f"{100 * value:.1f}".replace(".", "")) / 1000


def record_changes(
    *,
    epoch: Epoch,
    submissions: Sequence[Submission],
    choices: Choices,
    through: int,
    code: str,
    now: datetime,
) -> int:
    """Record the scores of an epoch that changed since they were last recorded; return of how many systems.

    Call it in the transaction that stores the scores, with the corpus locked.

    Parameters
    ----------
    epoch : Epoch
    submissions : sequence of Submission
        Its systems.
    choices : Choices
        Its task's.
    through : int
        The last batch that its scores rest on.
    code : str
        The version that computed them.
    now : datetime
    """
    found, labels = _read(epoch, choices)
    last = _last(list(found))
    changed = []
    for one in submissions:
        figures = found.get(one.pk, {})
        before = last.get(one.pk)
        if figures.items() - (before.figures.items() if before else set()):
            changed.append((one, before))
    if not changed:
        return 0
    totals = _totals(epoch, through, code)
    copy_rows(
        ScoreRecord,
        (
            *("submission_id", "change", "at", "reason", "epoch_id", "code_version", "is_public"),
            *("systems", "labels", "sample_labels", "audits", *COLUMN, "estimate", "low", "high"),
        ),
        (
            (
                *(one.pk, 1 + (before.change if before else 0), now),
                *(
                    totals.since(before.totals if before else None, choices.units),
                    epoch.pk,
                    code,
                    is_published(one),
                ),
                *(totals.systems, labels[one.pk], totals.labels, totals.audits, *column, *figures),
            )
            for one, before in changed
            for column, figures in sorted(found[one.pk].items(), key=lambda item: _order(choices, item[0]))
        ),
    )
    return len(changed)


@dataclass(frozen=True, slots=True)
class _Last:
    """The last recorded change of a system."""

    change: int
    totals: Totals
    figures: dict[Column, Figures]


def _totals(epoch: Epoch, through: int, code: str) -> Totals:
    units = SampledUnit.objects.filter(batch__epoch=epoch, batch__number__lte=through).values("unit")
    audits = Audit.objects.filter(epoch=epoch, batch__number__lte=through, is_drawn=True)
    return Totals(epoch.pk, through, units.distinct().count(), audits.count(), code)


def _read(epoch: Epoch, choices: Choices) -> tuple[Mapping[int, dict[Column, Figures]], dict[int, int]]:
    """Read the scores of an epoch that pages show first, and the number of labels under each system's."""
    design = epoch.corpus.design
    rows = Estimate.objects.filter(
        score__epoch=epoch,
        score__part__in=choices.parts_of_scores,
        score__weighting=choices.default_weighting(design),
        score__estimator=choices.estimators_of[design][0],
        score__level=choices.level,
    ).values_list(
        *("score__submission_id", "score__labels", "score__part", "score__weighting", "score__estimator"),
        *("score__standard", "score__level", "measure", "estimate", "low", "high"),
    )
    found: dict[int, dict[Column, Figures]] = defaultdict(dict)
    labels: dict[int, int] = {}
    for pk, of_system, *column, estimate, low, high in rows:
        found[pk][tuple(column)] = rounded(estimate), rounded(low), rounded(high)
        if column[0] == choices.part or pk not in labels:
            labels[pk] = of_system
    return found, labels


def _order(choices: Choices, column: Column) -> tuple[int, int, int]:
    """Return the order of a column: by part, standard and measure, in the order of the task's choices."""
    part, _, _, standard, _, measure = column
    return tuple(  # type: ignore[return-value]
        list(of).index(name)
        for of, name in ((choices.parts, part), (choices.standards, standard), (choices.measures, measure))
    )


def _last(submissions: Sequence[int]) -> dict[int, _Last]:
    """Read the last change of each submission."""
    newest = ScoreRecord.objects.filter(submission=OuterRef("submission")).order_by("-change")
    rows = ScoreRecord.objects.filter(
        submission__in=submissions, change=Subquery(newest.values("change")[:1])
    ).values_list(
        *("submission_id", "change", "epoch_id", "systems", "sample_labels", "audits", "code_version"),
        *(*COLUMN, "estimate", "low", "high"),
    )
    found: dict[int, _Last] = {}
    for pk, change, epoch, systems, labels, audits, code, *figure in rows:
        one = found.setdefault(pk, _Last(change, Totals(epoch, systems, labels, audits, code), {}))
        one.figures[tuple(figure[:6])] = tuple(figure[6:])
    return found
