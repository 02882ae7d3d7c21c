"""Comparing two systems of a corpus, by what was stored with their scores."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.estimators.intervals import Interval, difference_interval
from evaluation.models import Comparison, Epoch, Submission
from evaluation.scores import Choice
from evaluation.scoring.stored import Measure, newest_scores
from evaluation.task import Task
from kbpo.core.database.bulk import insert_row


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
    """

    measure: str
    first: Interval | None
    second: Interval | None
    difference: Interval | None


def compare(
    first: Submission,
    second: Submission,
    task: Task,
    *,
    level: int,
    part: str,
    weighting: str,
    estimator: str,
) -> list[Compared]:
    """Compare two systems of one corpus.

    Systems of one epoch are paired on the labels that they share and on the exhaustive documents; those of
    different epochs on the documents that both rest on.

    Parameters
    ----------
    first, second : Submission
    task : Task
        Their corpus'.
    level, part, weighting, estimator
        A choice that `Choices.check` has let pass.

    Returns
    -------
    list of Compared
        All measures, in the order of `Choices.measures`; empty where one of the two has no score of this
        kind, or one of before scores were made comparable.
    """
    choice = {"estimator": estimator, "weighting": weighting, "part": part}
    scores = {
        one.score.submission_id: one
        for one in newest_scores(
            task.choices, "epoch__document_sample", submission__in=[first, second], level=level, **choice
        )
    }
    stored = {
        row.epoch_id: row
        for row in Comparison.objects.filter(
            epoch__in=[one.score.epoch_id for one in scores.values()], **choice
        )
    }
    if not {first.pk, second.pk} <= scores.keys():
        return []
    one, other = scores[first.pk], scores[second.pk]
    if not {one.score.epoch_id, other.score.epoch_id} <= stored.keys():
        return []
    here, there = stored[one.score.epoch_id], stored[other.score.epoch_id]
    read = task.sides()
    mine = read(here.arrays, one.score.epoch)
    others = mine if there is here else read(there.arrays, other.score.epoch)
    compared = []
    for measure in task.choices.measures:
        a, b = _interval(one.measures[measure]), _interval(other.measures[measure])
        differences = mine.differences(here.submissions.index(first.pk), others, measure)
        difference = differences[there.submissions.index(second.pk)]
        apart = None
        if a is not None and b is not None and difference is not None:
            apart = difference_interval(difference, a, b, level / 100)
        compared.append(Compared(measure, a, b, apart))
    return compared


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
