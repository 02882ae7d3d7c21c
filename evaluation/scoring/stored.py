"""Stored scores with whatever each estimates: reads only."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from math import isnan
from typing import NamedTuple

from annotations.models import Corpus
from evaluation.choices import Choices
from evaluation.models import Estimate, Score
from evaluation.models.score import Measured
from kbpo.core.database.bulk import array_literal, read_columns, read_rows


class Measure(NamedTuple):
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


class Standing(NamedTuple):
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


_NEWEST = """
SELECT DISTINCT ON (s.submission_id) s.submission_id, s.id, s.rank, s.labels, e.number, {counts}
FROM evaluation_score s
JOIN evaluation_epoch e ON e.id = s.epoch_id
JOIN evaluation_samplebatch b ON b.id = s.batch_id
WHERE e.corpus_id = %s AND s.part = %s AND s.level = %s AND s.weighting = %s AND s.estimator = %s
    AND s.standard = %s
ORDER BY s.submission_id, e.number DESC, b.number DESC, s.id
"""
_ESTIMATES = """
SELECT score_id, array_position(%s::text[], measure::text), estimate, COALESCE(low, 'NaN'),
    COALESCE(high, 'NaN')
FROM evaluation_estimate
WHERE score_id = ANY(%s::bigint[]) AND measure = ANY(%s::text[]) AND estimate IS NOT NULL
"""
_ESTIMATE = {"score": "bigint", "measure": "int", "estimate": "float8", "low": "float8", "high": "float8"}


def standings(
    choices: Choices,
    corpus: Corpus,
    *,
    part: str,
    level: int,
    weighting: str,
    estimator: str,
    standard: str,
) -> dict[int, Standing]:
    """Return the newest score of each submission of a corpus under one choice, by submission.

    It makes no model of any row: a thousand submissions have three thousand estimates, which are read as
    columns.
    """
    newest = _NEWEST.format(counts="s.counts" if choices.counts else "NULL")  # a thousand times JSON is dear
    scores = read_rows(newest, [corpus.pk, part, level, weighting, estimator, standard])
    names = list(choices.measures)
    found = _estimates([score for _, score, *_ in scores], names)
    missing = {name: Measure(None, None, None, choices.missing(part, name)) for name in names}
    return {
        submission: Standing(
            rank,
            labels,
            epoch,
            missing | found.get(score, {}),
            {name: one.read(counts) for name, one in choices.counts.items()},
        )
        for submission, score, rank, labels, epoch, counts in scores
    }


def _estimates(scores: list[int], names: list[str]) -> dict[int, dict[str, Measure]]:
    """Read of each score what is estimable, by score and by the measure's name."""
    columns = read_columns(_ESTIMATES, [names, array_literal(scores), names], _ESTIMATE)
    found: dict[int, dict[str, Measure]] = {}
    for score, place, estimate, low, high in zip(*(one.tolist() for one in columns.values()), strict=True):
        own = found.setdefault(score, {})
        own[names[place - 1]] = Measure(estimate, _number(low), _number(high))
    return found


def _number(value: float) -> float | None:
    return None if isnan(value) else value


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
