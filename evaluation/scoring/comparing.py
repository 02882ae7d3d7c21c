"""Comparing two systems of a corpus, by what was stored with their scores."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.models import Comparison, Epoch, Ranking, Submission
from evaluation.scores import Choice
from evaluation.scoring.scales import Scale
from evaluation.scoring.stored import Measure, newest_scores
from evaluation.task import Task
from kbpo.core.database.bulk import insert_row, read_rows
from kbpo_estimators.intervals import Interval, difference_interval
from kbpo_estimators.pairs import Pairs, pair_level, pairs
from kbpo_estimators.ranks import last_level


@dataclass(frozen=True, slots=True)
class Among:
    """What becomes of a difference of two ranked systems when all pairs of ranked systems are compared.

    Attributes
    ----------
    systems : int
        How many are ranked, at least 2.
    difference : Interval
        Of a level so high that the intervals of all pairs hold together at the table's.
    is_significant : bool or None
        Whether it counts in the ranks; None for a measure that ranks nothing.
    """

    systems: int
    difference: Interval
    is_significant: bool | None


@dataclass(frozen=True, slots=True)
class Compared:
    """One measure of two systems.

    Attributes
    ----------
    measure : str
    first, second : Interval or None
        Each by itself; None where not estimable.
    difference : Interval or None
        The first less the second, with its paired interval; None where either is not estimable.
    among : Among or None
        None where the difference is, and where one of the two has no rank.
    """

    measure: str
    first: Interval | None
    second: Interval | None
    difference: Interval | None
    among: Among | None = None


def compare(
    first: Submission,
    second: Submission,
    task: Task,
    *,
    level: int,
    part: str,
    weighting: str,
    estimator: str,
    standard: str,
) -> list[Compared]:
    """Compare two systems of one corpus.

    Systems of one epoch are paired on the labels that they share and on the exhaustive documents; those of
    different epochs on the documents that both rest on.

    Parameters
    ----------
    first, second : Submission
    task : Task
        Their corpus'.
    level, part, weighting, estimator, standard
        A choice that `Choices.check` has let pass.

    Returns
    -------
    list of Compared
        All measures, in the order of `Choices.measures`; empty where one of the two has no score of this
        kind, or one of before scores were made comparable.
    """
    choice = Choice(estimator, weighting, part, standard)._asdict()
    scores = {
        one.score.submission_id: one
        for one in newest_scores(
            task.choices, "epoch__document_sample", submission__in=[first, second], level=level, **choice
        )
    }
    found = Comparison.objects.filter(
        epoch__in=[one.score.epoch_id for one in scores.values()], **choice
    ).defer("arrays")
    stored = {row.epoch_id: row for row in found}
    if not {first.pk, second.pk} <= scores.keys():
        return []
    one, other = scores[first.pk], scores[second.pk]
    if not {one.score.epoch_id, other.score.epoch_id} <= stored.keys():
        return []
    here, there = stored[one.score.epoch_id], stored[other.score.epoch_id]
    read = task.sides()
    mine = read(_arrays(here), one.score.epoch)
    others = mine if there is here else read(_arrays(there), other.score.epoch)
    place, other_place = here.submissions.index(first.pk), there.submissions.index(second.pk)
    ranking = None
    if one.score.rank is not None and other.score.rank is not None:
        ranking = Ranking.objects.filter(
            corpus=first.corpus_id, level=level, systems__gte=2, **choice
        ).first()
    compared = []
    for measure in task.choices.measures:
        a, b = _interval(one.measures[measure]), _interval(other.measures[measure])
        differences = mine.difference_of(place, others, other_place, measure)
        difference = differences.of(0, 0)
        if a is None or b is None or difference is None:
            compared.append(Compared(measure, a, b, None))
            continue
        scale = Scale.of(measure, task.choices)
        ours, theirs = scale.share(a), scale.share(b)
        apart = scale.back(difference_interval(scale.difference(difference), ours, theirs, level / 100))
        among = None
        if ranking is not None:
            alone = scale.shares(differences)
            is_ranked_by = measure == task.choices.parts[part].ranked_by
            pair = pairs(alone, [ours], [theirs], level / 100)
            among = _among(pair, ranking, scale, is_ranked_by=is_ranked_by)
        compared.append(Compared(measure, a, b, apart, among))
    return compared


def _arrays(row: Comparison) -> bytes:
    """Read what was stored as it is: megabytes of a thousand systems, which Django would read as text."""
    ((arrays,),) = read_rows("SELECT arrays FROM evaluation_comparison WHERE id = %s", [row.pk])
    return bytes(arrays)


def _among(pair: Pairs, ranking: Ranking, scale: Scale, *, is_ranked_by: bool) -> Among:
    level, gap = ranking.level / 100, float(pair.gaps[0, 0])
    down, up = (min(2.0, float(arm[0, 0])) for arm in pair.arms(pair_level(level, ranking.systems)))
    is_significant = None
    if is_ranked_by:
        left = math.comb(ranking.systems, 2) - ranking.apart
        is_significant = abs(gap) > float(pair.reach(last_level(level, left))[0, 0])
    whole = Interval(gap, max(-1.0, gap - down), min(1.0, gap + up))
    return Among(ranking.systems, scale.back(whole), is_significant)


def _interval(measure: Measure) -> Interval | None:
    if measure.estimate is None or measure.low is None or measure.high is None:
        return None
    return Interval(measure.estimate, measure.low, measure.high)


def store(arrays: bytes, *, epoch: Epoch, submissions: Sequence[int], choice: Choice) -> None:
    """Store what comparing the systems of an epoch under one choice needs.

    Parameters
    ----------
    arrays : bytes
        As the task packed them.
    epoch : Epoch
    submissions : sequence of int
        Their keys, in the order of the arrays.
    choice : Choice
    """
    insert_row(
        Comparison,
        {"epoch_id": epoch.pk, "submissions": list(submissions), "arrays": arrays, **choice._asdict()},
    )
