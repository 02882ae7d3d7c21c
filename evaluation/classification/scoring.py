"""The scores of a pool of classifications, from labels of the items that all of them share, and an audit."""

from collections.abc import Iterator
from functools import partial
from io import BytesIO
from types import MappingProxyType

import numpy as np

from evaluation.classification.choices import ESTIMATOR, PART, WEIGHTING
from evaluation.classification.items import LABELS
from evaluation.design import columns
from evaluation.models import Epoch
from evaluation.scores import Choice, Divided, ReadSide, Scored, ScoredPart, ScoreRow, SubsetRow
from evaluation.scoring.pool import read_audit
from evaluation.task import Sample, Subsets
from evaluation.units import FloatArray, IntArray, Pool
from kbpo.core.database.bulk import read_rows
from kbpo.core.database.coded import unpack_names
from kbpo_estimators.classification.estimates import FEW, Given, Scores, Totals, learn
from kbpo_estimators.classification.labels import AuditedItems
from kbpo_estimators.classification.sides import Side
from kbpo_estimators.intervals import DEFAULT_LEVEL, LEVELS, interval
from kbpo_estimators.pooled import PooledModel, UnitFeatures
from kbpo_estimators.scores import AUDIT, VOTES, CoordinatedSample

BY_CLASS = "class"
SUBSETS = MappingProxyType({BY_CLASS: Subsets("By class", lambda corpus: str)})


def score(pool: Pool, sample: Sample, features: UnitFeatures) -> Scored:
    """Estimate accuracy and macro-averages of systems, by the votes and, once it is complete, by an audit."""
    found, model = _scores(pool, sample)
    m = len(pool.systems)
    return Scored([_part(standard, scores, m, model) for standard, scores in found.items()], "")


def _part(standard: str, scores: Scores, systems: int, model: PooledModel | None) -> ScoredPart:
    choice = Choice(ESTIMATOR, WEIGHTING, PART, standard)
    found = [scores.overall(system) for system in range(systems)]
    rows = [
        ScoreRow(
            system,
            choice,
            round(100 * level),
            {name: interval(one, level) for name, one in overall.items()},
            scores.pi.size,
            {},
        )
        for system, overall in enumerate(found)
        for level in LEVELS
    ]
    packed = BytesIO()
    np.savez(packed, allow_pickle=False, **Side.of(scores, found).arrays)
    return ScoredPart(rows, [(choice, packed.getvalue())], PART, model)


def divide(pool: Pool, sample: Sample, features: UnitFeatures) -> Iterator[Divided]:
    """Score every system on each class, by every standard that `score` has."""
    found, _ = _scores(pool, sample)
    rows = (
        row
        for standard, scores in found.items()
        for row in _rows_by_class(standard, scores, len(pool.systems))
    )
    yield Divided(BY_CLASS, _classes(pool), rows)


def prior(pool: Pool, sample: CoordinatedSample) -> FloatArray:
    """Say how likely each sampled item was of the class that it is labelled; of any, where it is of none."""
    names = _classes(pool)
    truth = _read_truth(pool, names)
    q, _ = learn(_read_given(pool, names), len(names), sample.sampled, sample.folds, truth)
    of_label = q[np.arange(pool.size), truth]
    return np.clip(np.where(truth < 0, q.sum(axis=1), of_label), 0.0, 1.0)


def read_totals(pool: Pool, sample: CoordinatedSample) -> tuple[FloatArray, Totals]:
    """Return q of each sampled item, float[S, C], and the sums over all items that scores take."""
    names = _classes(pool)
    systems = _read_given(pool, names)
    q, _ = learn(systems, len(names), sample.sampled, sample.folds, _read_truth(pool, names))
    return q[sample.sampled], Totals.of(systems, sample.pi, q)


def _rows_by_class(standard: str, scores: Scores, systems: int) -> Iterator[SubsetRow]:
    for system in range(systems):
        for number in range(scores.classes):
            measures = {
                name: interval(one, DEFAULT_LEVEL) for name, one in scores.by_class(system, number).items()
            }
            some = any(one is not None for one in measures.values())
            judged = int(scores.judged[number])
            labels = scores.labels(system, number) if some else None
            true = judged if judged >= FEW else None
            yield SubsetRow(system, number, PART, measures, labels, true, standard)


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


def _scores(pool: Pool, sample: Sample) -> tuple[dict[str, Scores], PooledModel | None]:
    """Return the scores by each standard: by the audit too where it is complete."""
    assert isinstance(sample, CoordinatedSample), "its corpora have no other design"
    names = _classes(pool)
    systems, truth = _read_given(pool, names), _read_truth(pool, names)
    q, model = learn(systems, len(names), sample.sampled, sample.folds, truth)
    of = partial(Scores.of, systems, len(names), sample.pi, sample.sampled, truth, q)
    audit = _read_audit(pool, sample, names)
    return {VOTES: of(), **({} if audit is None else {AUDIT: of(audit)})}, model


def _read_audit(pool: Pool, sample: CoordinatedSample, names: list[str]) -> AuditedItems | None:
    found = read_audit(pool, sample.sampled)
    if found is None:
        return None
    # Answers are numbers of classes in the order of their names, from 1; 0 of none.
    number = np.array([-1, *(names.index(name) for name in sorted(names))])
    truth = number[np.nan_to_num(found.answers).astype(np.int64)]
    return AuditedItems(found.rho, found.audited, truth, found.doubts)


def _read_given(pool: Pool, names: list[str]) -> list[Given]:
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
    return systems


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
