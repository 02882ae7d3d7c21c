"""Stored scores with whatever each estimates: reads only."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

from annotations.models import Corpus
from evaluation.choices import Choices
from evaluation.models import Estimate, Score
from evaluation.models.score import Measured


@dataclass(frozen=True, slots=True)
class Measure:
    """An estimate with its interval, as fractions; all three None where it is not estimable.

    Attributes
    ----------
    estimate, low, high : float or None
    reason : str
        Why there is no estimate; empty where there is one.
    """

    estimate: float | None
    low: float | None
    high: float | None
    reason: str = ""


Measures = Mapping[str, Measure]
"""By measure, in the order of `Choices.measures`: all of them."""


Counts = Mapping[str, float | None]
"""By name, in the order of `Choices.counts`; None where that is not estimable."""


@dataclass(frozen=True, slots=True)
class StoredScore:
    """A score with its measures, and what else `Choices.counts` says of what it rests on."""

    score: Score
    measures: Measures
    counts: Counts


def measures(rows: Iterable[Measured], part: str, choices: Choices) -> Measures:
    """Return the measures that rows of one score hold, each with the reason where it is not estimable."""
    found = {row.measure: row for row in rows}
    return {name: _measure(found.get(name), choices, part, name) for name in choices.measures}


def _measure(row: Measured | None, choices: Choices, part: str, name: str) -> Measure:
    if row is None or row.estimate is None:
        return Measure(None, None, None, choices.missing(part, name))
    return Measure(row.estimate, row.low, row.high)


def not_estimable(reason: str, choices: Choices) -> Measures:
    """Return all measures of which there is nothing, for one reason."""
    return dict.fromkeys(choices.measures, Measure(None, None, None, reason))


def shown_standard(corpus: Corpus, choices: Choices) -> str:
    """Return by which standard a corpus' scores are shown first: the first of the task's that some have."""
    offered = choices.standards_of[corpus.design]
    for standard in offered[:-1]:
        if Score.objects.filter(epoch__corpus=corpus, standard=standard).exists():
            return standard
    return offered[-1]


@dataclass(frozen=True, slots=True)
class Standing:
    """What a leaderboard shows of a submission's newest score.

    Attributes
    ----------
    rank : int or None
    labels : int
    epoch : int
        Its number.
    measures : Measures
    counts : Counts
    """

    rank: int | None
    labels: int
    epoch: int
    measures: Measures
    counts: Counts


def standings(choices: Choices, corpus: Corpus, *, part: str, **choice: object) -> dict[int, Standing]:
    """Read the newest score of each submission of a corpus under one choice, in one query.

    It makes no model of any row: a thousand submissions have three thousand estimates.
    """
    rows = (
        Estimate.objects.filter(
            score__submission__corpus=corpus,
            score__part=part,
            **{f"score__{name}": value for name, value in choice.items()},
        )
        .order_by("score__submission_id", "-score__epoch__number", "-score__batch__number", "score_id")
        .values_list(
            *("score__submission_id", "score_id", "score__rank", "score__labels", "score__epoch__number"),
            *("measure", "estimate", "low", "high"),
            *(("score__counts",) if choices.counts else ()),  # a thousand times JSON is dear
        )
    )
    found: dict[int, Standing] = {}
    for (submission_id, _), group in groupby(rows.iterator(chunk_size=5000), key=lambda row: row[:2]):
        if submission_id in found:
            continue
        own = list(group)
        _, _, rank, labels, epoch, *rest = own[0]
        stored = rest[4] if choices.counts else {}
        of_measure = {row[5]: row[6:9] for row in own if row[6] is not None}
        found[submission_id] = Standing(
            rank,
            labels,
            epoch,
            {
                name: Measure(*of_measure[name])
                if name in of_measure
                else Measure(None, None, None, choices.missing(part, name))
                for name in choices.measures
            },
            {name: one.read(stored) for name, one in choices.counts.items()},
        )
    return found


def newest_scores(choices: Choices, *related: str, **choice: object) -> list[StoredScore]:
    """Read the newest score of each submission under each choice, in one query.

    Parameters
    ----------
    choices : Choices
        The task's.
    *related : str
        What else of a score to read, beside its epoch, as for `select_related`.
    **choice
        What the scores have to be, as for `filter`.
    """
    # what is stored may be of a part or a weighting that is offered no more
    offered = {"score__part__in": choices.parts, "score__weighting__in": choices.weightings}
    rows = (
        Estimate.objects.filter(**offered, **{f"score__{name}": value for name, value in choice.items()})
        .select_related("score__epoch", *(f"score__{name}" for name in related))
        .order_by(
            *("score__submission_id", "score__part", "score__weighting"),
            *("-score__epoch__number", "-score__batch__number", "score_id"),
        )
    )
    found: dict[tuple[int | str, ...], StoredScore] = {}
    for _, group in groupby(rows, key=lambda row: row.score_id):
        own = list(group)
        score = own[0].score
        of_choice = score.level, score.estimator, score.standard
        key = score.submission_id, score.part, score.weighting, *of_choice
        if key not in found:
            counts = {name: one.read(score.counts) for name, one in choices.counts.items()}
            found[key] = StoredScore(score, measures(own, score.part, choices), counts)
    return list(found.values())
