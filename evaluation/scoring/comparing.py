"""Comparing two systems of a corpus, by what was stored with their scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from io import BytesIO
from typing import Any

import numpy as np

from evaluation.estimators.comparison import Comparable, OtherDocuments, differences
from evaluation.estimators.differences import Difference
from evaluation.estimators.intervals import Interval, difference_interval
from evaluation.models import Comparison, Epoch, Submission
from evaluation.scoring.stored import Measure, newest_scores
from evaluation.task import Task
from evaluation.units import AnnotatedDocuments
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


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """An epoch's systems under one choice, and the documents that their recall rests on.

    Attributes
    ----------
    comparable : Comparable
    sample_id : int or None
        The row id of the epoch's exhaustive sample.
    documents : AnnotatedDocuments or None
        As far as they are annotated.
    """

    comparable: Comparable
    sample_id: int | None
    documents: AnnotatedDocuments | None


def side_differences(first: Side, system: int, second: Side, measure: str) -> list[Difference | None]:
    """Return how much more one system has of a measure than each of an epoch, with what pairs them.

    Parameters and result are those of `evaluation.estimators.comparison.differences`.
    """
    if first.documents is None or second.documents is None:
        return differences(first.comparable, system, second.comparable, measure, None)
    other = None
    if first.sample_id != second.sample_id:
        place = {pk: column for column, pk in enumerate(second.documents.annotations)}
        here = [column for column, pk in enumerate(first.documents.annotations) if pk in place]
        there = [place[pk] for pk in first.documents.annotations if pk in place]
        other = OtherDocuments(
            second.documents.design, np.array(here, dtype=np.int64), np.array(there, dtype=np.int64)
        )
    return differences(first.comparable, system, second.comparable, measure, first.documents.design, other)


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
    mine = _side(here, one.score.epoch, task)
    others = mine if there is here else _side(there, other.score.epoch, task)
    compared = []
    for measure in task.choices.measures:
        a, b = _interval(one.measures[measure]), _interval(other.measures[measure])
        difference = side_differences(mine, here.submissions.index(first.pk), others, measure)[
            there.submissions.index(second.pk)
        ]
        apart = None
        if a is not None and b is not None and difference is not None:
            apart = difference_interval(difference, a, b, level / 100)
        compared.append(Compared(measure, a, b, apart))
    return compared


def _side(row: Comparison, epoch: Epoch, task: Task) -> Side:
    return Side(unpack(row.arrays), epoch.document_sample_id, task.read_documents(epoch.document_sample))


def _interval(measure: Measure) -> Interval | None:
    if measure.estimate is None or measure.low is None or measure.high is None:
        return None
    return Interval(measure.estimate, measure.low, measure.high)


def store(
    comparable: Comparable, *, epoch: Epoch, submissions: Sequence[int], choice: Mapping[str, str]
) -> None:
    """Store what comparing the systems of an epoch under one choice needs.

    Parameters
    ----------
    epoch : Epoch
    submissions : sequence of int
        Their keys, in the order of the arrays.
    choice : mapping
        The `estimator`, `weighting` and `part`.
    """
    insert_row(
        Comparison,
        {"epoch_id": epoch.pk, "submissions": list(submissions), "arrays": pack(comparable), **choice},
    )


def pack(comparable: Comparable) -> bytes:
    """Return the arrays of a Comparable as NumPy's npz; of one that is all 0, its shape alone."""
    stream = BytesIO()
    packed: dict[str, Any] = {}
    for name, array in _arrays(comparable).items():
        if array.ndim == 2 and not array.any():
            packed[f"shape of {name}"] = np.array(array.shape)
        else:
            packed[name] = array
    np.savez(stream, allow_pickle=False, **packed)
    return stream.getvalue()


def unpack(arrays: bytes | memoryview) -> Comparable:
    """Return what `pack` was given."""
    with np.load(BytesIO(arrays), allow_pickle=False) as stored:
        read = {name: stored[name] for name in stored.files}
    for name in [name for name in read if name.startswith("shape of ")]:
        read[name.removeprefix("shape of ")] = np.zeros(read.pop(name))
    return Comparable(**{**read, "documents": int(read["documents"])})


def _arrays(comparable: Comparable) -> dict[str, Any]:
    return {field.name: np.asarray(getattr(comparable, field.name)) for field in fields(comparable)}
