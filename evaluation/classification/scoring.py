"""The scores of a pool of classifications, from the labels of the items that all of them share."""

from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from types import MappingProxyType

import numpy as np

from evaluation.classification.choices import ESTIMATOR, PART, STANDARD, WEIGHTING
from evaluation.classification.estimates import FEW, MEASURES, Given, Scores, learn
from evaluation.classification.items import LABELS
from evaluation.design import columns
from evaluation.estimators.differences import Differences
from evaluation.estimators.intervals import DEFAULT_LEVEL, LEVELS, interval
from evaluation.estimators.pooled import PooledModel, UnitFeatures
from evaluation.estimators.scores import CoordinatedSample
from evaluation.models import Epoch
from evaluation.scores import Choice, Divided, ReadSide, Scored, ScoredPart, ScoreRow, SubsetRow
from evaluation.task import Sample, Subsets
from evaluation.units import FloatArray, IntArray, Pool
from kbpo.core.database.bulk import read_rows
from kbpo.core.database.coded import unpack_names

CHOICE = Choice(ESTIMATOR, WEIGHTING, PART, STANDARD)
BY_CLASS = "class"
SUBSETS = MappingProxyType({BY_CLASS: Subsets("By class", lambda corpus: str)})


def score(pool: Pool, sample: Sample, features: UnitFeatures) -> Scored:
    """Estimate accuracy and macro-averages of a pool's systems."""
    scores, model = _scores(pool, sample)
    m = len(pool.systems)
    found = [scores.overall(system) for system in range(m)]

    def rows() -> Iterator[ScoreRow]:
        for system, overall in enumerate(found):
            for level in LEVELS:
                measures = {name: interval(one, level) for name, one in overall.items()}
                yield ScoreRow(system, CHOICE, round(100 * level), measures, scores.pi.size, {})

    packed = BytesIO()
    arrays: dict[str, FloatArray] = {}
    for name in MEASURES:
        estimates = [one[name] for one in found]
        if any(one is None for one in estimates):
            continue  # too little is known of a class: of all systems alike
        added = np.array([scores.contributions(system, name) for system in range(m)])
        arrays[name] = np.array([one.estimate for one in estimates if one is not None])
        arrays[f"covariance of {name}"] = (added * scores.weights) @ added.T
    np.savez(packed, allow_pickle=False, **arrays)
    return Scored([ScoredPart(rows(), [(CHOICE, packed.getvalue())], PART, model)], "")


def divide(pool: Pool, sample: Sample, features: UnitFeatures) -> Iterator[Divided]:
    """Score every system on each class."""
    scores, _ = _scores(pool, sample)
    yield Divided(BY_CLASS, _classes(pool), _rows_by_class(scores, len(pool.systems)))


def _rows_by_class(scores: Scores, systems: int) -> Iterator[SubsetRow]:
    for system in range(systems):
        for number in range(scores.classes):
            measures = {
                name: interval(one, DEFAULT_LEVEL) for name, one in scores.by_class(system, number).items()
            }
            some = any(one is not None for one in measures.values())
            judged = int(scores.judged[number])
            labels = scores.labels(system, number) if some else None
            yield SubsetRow(system, number, PART, measures, labels, judged if judged >= FEW else None)


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """An epoch's systems: estimates and their covariance, by measure."""

    arrays: dict[str, FloatArray]
    size: int

    def differences(self, other: "Side", measure: str) -> Differences:
        """Return what `evaluation.scores.Side.differences` says: of one epoch, paired on its sample."""
        if measure not in self.arrays or measure not in other.arrays:
            nothing = np.full((self.size, other.size), np.nan)
            return Differences(nothing, nothing, nothing[:, 0], nothing[0], None)
        covariance = self.arrays[f"covariance of {measure}"]
        own, others = np.diagonal(covariance), np.diagonal(other.arrays[f"covariance of {measure}"])
        shared = covariance if other is self else 0.0
        variances = np.maximum(0.0, own[:, None] + others - 2 * shared)
        gaps = self.arrays[measure][:, None] - other.arrays[measure]
        return Differences(gaps, variances, own, others, None)


def sides() -> ReadSide:
    """Return what makes sides of stored arrays."""

    def read(arrays: bytes | memoryview, epoch: Epoch) -> Side:
        with np.load(BytesIO(arrays), allow_pickle=False) as stored:
            found = {name: stored[name] for name in stored.files}
        return Side(found, found["accuracy"].size)

    return read


def _classes(pool: Pool) -> list[str]:
    classes = pool.epoch.corpus.classes
    assert classes is not None, "a corpus for classification has classes"
    return classes.names


def _scores(pool: Pool, sample: Sample) -> tuple[Scores, PooledModel | None]:
    assert isinstance(sample, CoordinatedSample), "its corpora have no other design"
    names = _classes(pool)
    systems = []
    for own, stored in zip(
        pool.systems, columns.read([batch.pk for batch in pool.batches], [LABELS]), strict=True
    ):
        column = unpack_names(stored[LABELS])
        given = np.empty(pool.size, dtype=np.int64)
        given[own.rows] = np.array([names.index(name) for name in column.values.tolist()])[column.codes]
        confidence = np.empty(pool.size)
        confidence[own.rows] = own.confidence
        systems.append(Given(given, confidence, own.team))
    truth = _read_truth(pool, names)
    q, model = learn(systems, len(names), sample.sampled, sample.folds, truth)
    return Scores(systems, len(names), sample.pi, sample.sampled, truth, q), model


def _read_truth(pool: Pool, names: list[str]) -> IntArray:
    """Read the label of each sampled item, −1 where people say that it is of no class, or cannot tell."""
    found = read_rows(
        "SELECT sampled.unit_id, label.claim FROM evaluation_sampledunit AS sampled"
        " JOIN evaluation_samplebatch AS batch ON batch.id = sampled.batch_id"
        " JOIN annotations_label AS label ON label.question_id = sampled.question_id AND label.value = 1"
        " WHERE sampled.epoch_id = %s AND batch.number <= %s",
        [pool.epoch.pk, len(pool.batches)],
    )
    truth = np.full(pool.size, -1, dtype=np.int64)
    if found:
        ids, claims = zip(*found, strict=True)
        truth[pool.positions(np.array(ids, dtype=np.int64))] = [names.index(claim) for claim in claims]
    return truth
