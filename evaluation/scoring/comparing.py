"""Comparing two systems of a corpus, by what was stored with their scores."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.models import Comparison, Epoch, Ranking, Submission
from evaluation.scores import Choice
from evaluation.scoring.stored import Measure, newest_scores
from evaluation.task import Task
from kbpo.core.database.bulk import insert_row, read_rows
from kbpo_estimators.intervals import Interval
from kbpo_estimators.share_scales import Scale
from kbpo_estimators.two_systems import Among, Ranked, compare_two


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
    ranked = None
    if one.score.rank is not None and other.score.rank is not None:
        ranking = Ranking.objects.filter(
            corpus=first.corpus_id, level=level, systems__gte=2, **choice
        ).first()
        ranked = None if ranking is None else Ranked(ranking.systems, ranking.apart)
    compared = []
    for measure in task.choices.measures:
        a, b = _interval(one.measures[measure]), _interval(other.measures[measure])
        differences = mine.difference_of(place, others, other_place, measure)
        both = None
        if a is not None and b is not None:
            scale = Scale.of(measure, task.choices.scales, task.choices.less_is_better)
            is_ranked_by = measure == task.choices.parts[part].ranked_by
            both = compare_two(differences, a, b, scale, level / 100, ranked, is_ranked_by=is_ranked_by)
        compared.append(Compared(measure, a, b, *(both or (None, None))))
    return compared


def _arrays(row: Comparison) -> bytes:
    """Read what was stored as it is: megabytes of a thousand systems, which Django would read as text."""
    ((arrays,),) = read_rows("SELECT arrays FROM evaluation_comparison WHERE id = %s", [row.pk])
    return bytes(arrays)


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
