"""What a submission's page says beyond its scores: parts of it, the errors of workers, what it cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from types import MappingProxyType

from django.db.models import Count, Q

from evaluation.estimators.subsets import LEAST_LABELS
from evaluation.kbp.choices import CHOICES
from evaluation.models import (
    AdjustedScore,
    InclusionProbability,
    SampledInstance,
    Submission,
    SubsetScore,
)
from evaluation.scoring.stored import Measure, Measures, measures, newest_scores
from kbpo.core.ontology import RELATIONS, TYPE_NAMES

TITLES: Mapping[str, str] = MappingProxyType(
    {
        SubsetScore.Division.PREDICATE: "By relation",
        SubsetScore.Division.TYPE: "By type of subject",
        SubsetScore.Division.FREQUENCY: "By how many documents contain the subject’s name",
    }
)


@dataclass(frozen=True, slots=True)
class SubsetRow:
    """One subset's scores; `labels` is None where they are too few for any."""

    name: str
    measures: Measures
    labels: int | None
    true: int | None


@dataclass(frozen=True, slots=True)
class SubsetTable:
    """A division of a submission's claims: the subsets that have scores, and the names of the others."""

    title: str
    rows: Sequence[SubsetRow]
    too_few: Sequence[str]


def subset_tables(submission: Submission, part: str) -> list[SubsetTable]:
    """Read a submission's scores by relation, type and frequency for one part; empty before it is scored."""
    rows = SubsetScore.objects.filter(submission=submission, part=part).order_by("division", "order")
    found: dict[str, list[list[SubsetScore]]] = {division: [] for division in TITLES}
    for (division, _), of_subset in groupby(rows, key=lambda row: (row.division, row.name)):
        found[division].append(list(of_subset))
    return [
        SubsetTable(
            TITLES[division],
            [_subset_row(rows) for rows in subsets if rows[0].labels is not None],
            [_subset_name(rows[0]) for rows in subsets if rows[0].labels is None],
        )
        for division, subsets in found.items()
        if subsets
    ]


def _subset_row(rows: Sequence[SubsetScore]) -> SubsetRow:
    score = rows[0]
    shown = dict(measures(rows, score.part))
    if score.true is None:
        few = f"fewer than {LEAST_LABELS} true relations of this kind are known"
        for name in CHOICES.parts[score.part].measures:
            if name != "precision":  # which rests on labels alone
                shown[name] = Measure(None, None, None, few)
    return SubsetRow(_subset_name(score), shown, score.labels, score.true)


def _subset_name(score: SubsetScore) -> str:
    if score.division == SubsetScore.Division.PREDICATE:
        return RELATIONS[score.name].name
    return TYPE_NAMES.get(score.name, score.name)


@dataclass(frozen=True, slots=True)
class Spread:
    """A measure from the labels as they stand, and from labels corrected for workers' errors.

    `difference` is the second less the first, as a fraction.
    """

    words: str
    majority: Measure
    adjusted: Measure
    difference: float


def spreads(submission: Submission, level: int) -> list[Spread]:
    """Read what workers' errors do to a submission's scores, by part; empty where nothing was corrected."""
    choice = {"submission": submission, "level": level, "weighting": CHOICES.weighting}
    rows = AdjustedScore.objects.filter(**choice).order_by("part")
    adjusted = {part: measures(own, part) for part, own in groupby(rows, key=lambda row: row.part)}
    estimator = CHOICES.estimators_of[submission.corpus.design][0]
    scores = {one.score.part: one.measures for one in newest_scores(estimator=estimator, **choice)}
    found = []
    for key, part in CHOICES.parts.items():
        if key not in adjusted or key not in scores:
            continue
        for name in CHOICES.corrected:
            before, after = scores[key][name], adjusted[key][name]
            if before.estimate is not None and after.estimate is not None:
                difference = after.estimate - before.estimate
                found.append(Spread(f"{part.name}: {CHOICES.measures[name]}", before, after, difference))
    return found


@dataclass(frozen=True, slots=True)
class Cost:
    """What a submission's scores took.

    Attributes
    ----------
    reused : int
        Its claims that had been sampled for systems before it.
    published : int
        Its further claims whose verdict was public before it came: they count exactly.
    new : int
        Its claims that were sampled for it.
    later : int
        Its claims that were sampled for systems after it and that its scores rest on as well.
    half_width, target : float or None
        Of precision as the sample is designed for it, in points; None before it is scored.
    level : int
        At which both are meant, in per cent.
    epoch : int
    is_released : bool
    """

    reused: int
    published: int
    new: int
    later: int
    half_width: float | None
    target: float
    level: int
    epoch: int
    is_released: bool

    @property
    def all(self) -> int:
        """The claims of the submission that its own batch has."""
        return self.reused + self.published + self.new


def cost(submission: Submission) -> Cost | None:
    """Count what a submission's sample reused and what it needed; None before its claims are sampled."""
    batch = getattr(submission, "batch", None)
    if batch is None:
        return None
    corpus, epoch = submission.corpus, batch.epoch
    claims = submission.predictions.values("instance")
    sampled = SampledInstance.objects.filter(epoch=epoch).aggregate(
        reused=Count(
            "instance", filter=Q(batch__number__lt=batch.number, instance__in=claims), distinct=True
        ),
        new=Count("pk", filter=Q(batch=batch)),
    )
    known = InclusionProbability.objects.filter(batch=batch, is_known=True)
    published = known.filter(instance__sampled__batch=batch).count() if epoch.number > 1 else 0
    level = round(100 * corpus.target_level)
    newest = newest_scores(
        submission=submission,
        part=CHOICES.part,
        weighting=CHOICES.weighting,
        estimator=CHOICES.estimators_of[corpus.design][0],
        level=level,
    )
    score = newest[0].score if newest else None
    precision = newest[0].measures["precision"] if newest else None
    half_width = None
    if precision is not None and precision.low is not None and precision.high is not None:
        half_width = 50 * (precision.high - precision.low)
    return Cost(
        reused=sampled["reused"],
        published=published,
        new=sampled["new"] - published,
        later=max(0, score.labels - sampled["reused"] - sampled["new"]) if score else 0,
        half_width=half_width,
        target=100 * corpus.target_half_width,
        level=level,
        epoch=epoch.number,
        is_released=epoch.released_at is not None,
    )
