"""Writing down which scores a computation changed."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial

from django.db.models import Max

from evaluation.choices import Choices
from evaluation.models import Audit, Computation, Epoch, Estimate, SampledUnit, ScoreChange, Submission
from evaluation.submissions.visibility import is_published
from kbpo.core.database.bulk import copy_rows

Column = tuple[str, str, str, str, int, str]
"""Part, weighting, estimator, standard, level and measure."""
Figures = tuple[int | None, int | None, int | None]
NONE: Figures = (None, None, None)


def tenths(value: float | None) -> int | None:
    """Return a fraction in tenths of a hundredth, rounded as pages round it.

    Examples
    --------
    >>> tenths(0.43962), tenths(-0.0006), tenths(None)
    (440, -1, None)
    """
    return None if value is None else int(f"{100 * value:.1f}".replace(".", ""))


def record_changes(
    *,
    epoch: Epoch,
    submissions: Sequence[Submission],
    choices: Choices,
    through: int,
    code: str,
    now: datetime,
) -> int:
    """Write down which scores of an epoch a computation changed, as shown; return of how many systems.

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
    columns = sorted(
        {column for figures in found.values() for column in figures}, key=partial(_place, choices)
    )
    changed = [
        one for one in submissions if one.pk in found and found[one.pk].items() - last.get(one.pk, {}).items()
    ]
    if not changed:
        return 0
    computation = Computation.objects.create(
        corpus_id=epoch.corpus_id,
        number=1 + (epoch.corpus.computations.aggregate(last=Max("number"))["last"] or 0),
        epoch=epoch,
        at=now,
        code_version=code,
        systems=through,
        labels=SampledUnit.objects.filter(batch__epoch=epoch, batch__number__lte=through)
        .values("unit")
        .distinct()
        .count(),
        audits=Audit.objects.filter(epoch=epoch, batch__number__lte=through, is_drawn=True).count(),
        columns=columns,
    )
    return copy_rows(
        ScoreChange,
        ("computation_id", "submission_id", "is_public", "labels", "figures"),
        (
            (
                computation.pk,
                one.pk,
                is_published(one),
                labels[one.pk],
                [value for column in columns for value in found[one.pk].get(column, NONE)],
            )
            for one in changed
        ),
    )


def read_figures(columns: Sequence[Column], figures: Sequence[int | None]) -> dict[Column, Figures]:
    """Return what a change says, by column."""
    return dict(zip(columns, zip(figures[::3], figures[1::3], figures[2::3], strict=True), strict=True))


def _read(epoch: Epoch, choices: Choices) -> tuple[Mapping[int, dict[Column, Figures]], dict[int, int]]:
    """Read what pages show first of an epoch's scores, and how many labels they rest on."""
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
        figures = tenths(estimate), tenths(low), tenths(high)
        found[pk][tuple(column)] = figures
        if column[0] == choices.part or pk not in labels:
            labels[pk] = of_system
    return found, labels


def _place(choices: Choices, column: Column) -> tuple[int, int, int]:
    """Return where a column stands: by part, standard and measure, in the order of the task's choices."""
    part, _, _, standard, _, measure = column
    return tuple(  # type: ignore[return-value]
        list(of).index(name)
        for of, name in ((choices.parts, part), (choices.standards, standard), (choices.measures, measure))
    )


def _last(submissions: Sequence[int]) -> dict[int, dict[Column, Figures]]:
    """Read the last change of each submission."""
    newest = (
        ScoreChange.objects.filter(submission__in=submissions)
        .order_by("submission_id", "-computation_id")
        .distinct("submission_id")
        .values_list("submission_id", "computation_id", "figures")
    )
    rows = list(newest)
    made = Computation.objects.filter(pk__in={computation for _, computation, _ in rows})
    columns = {pk: [tuple(one) for one in listed] for pk, listed in made.values_list("pk", "columns")}
    return {pk: read_figures(columns[computation], figures) for pk, computation, figures in rows}
