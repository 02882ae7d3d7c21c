"""What a submission's page says beyond its scores: parts of it, the errors of workers, what it cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from django.db.models import Count, Q

from evaluation.estimators.subsets import LEAST_LABELS
from evaluation.models import (
    AdjustedScore,
    InclusionProbability,
    SampledInstance,
    Score,
    Submission,
    SubsetScore,
)
from evaluation.scoring.leaderboard import PARTS, WEIGHTINGS, Measure, measure
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
    precision: Measure
    recall: Measure
    f1: Measure
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
    found: dict[str, list[SubsetScore]] = {division: [] for division in TITLES}
    for score in SubsetScore.objects.filter(submission=submission, part=part).order_by("division", "order"):
        found[score.division].append(score)
    return [
        SubsetTable(
            TITLES[division],
            [_subset_row(score) for score in scores if score.labels is not None],
            [_subset_name(score) for score in scores if score.labels is None],
        )
        for division, scores in found.items()
        if scores
    ]


def _subset_row(score: SubsetScore) -> SubsetRow:
    few = f"fewer than {LEAST_LABELS} true relations of this kind are known"
    recall, f1 = measure(score, "recall"), measure(score, "f1")
    if score.true is None and score.part != Score.Part.LINKING:
        recall = f1 = Measure(None, None, None, few)
    return SubsetRow(_subset_name(score), measure(score, "precision"), recall, f1, score.labels, score.true)


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
    choice = {"submission": submission, "level": level, "weighting": next(iter(WEIGHTINGS))}
    adjusted = {score.part: score for score in AdjustedScore.objects.filter(**choice)}
    scores = {score.part: score for score in Score.objects.filter(estimator="documents", **choice)}
    found = []
    for part, words in PARTS.items():
        if part not in adjusted or part not in scores:
            continue
        for name, title in (("precision", "precision"), ("f1", "F1")):
            before, after = measure(scores[part], name), measure(adjusted[part], name)  # type: ignore[arg-type]
            if before.estimate is not None and after.estimate is not None:
                difference = after.estimate - before.estimate
                found.append(Spread(f"{words}: {title}", before, after, difference))
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
    design = "documents" if corpus.design == corpus.Design.COORDINATED else "joint"
    score = Score.objects.filter(
        submission=submission,
        part=Score.Part.ALL,
        weighting=next(iter(WEIGHTINGS)),
        estimator=design,
        level=level,
    ).first()
    half_width = None
    if score is not None and score.precision_low is not None and score.precision_high is not None:
        half_width = 50 * (score.precision_high - score.precision_low)
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
