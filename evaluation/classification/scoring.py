"""The scores of a pool of classifications, from labels of the items that all of them share, and an audit.

The pooled model learns from the systems that everybody may see alone. What it says of an item that nobody
judged follows from the classes that they give it, and scores have every digit: so did it know a hidden
system's classes, the scores of others would tell them. A hidden system's own scores rest on a model that
knows it too (ADR 20).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from types import MappingProxyType

import numpy as np

from evaluation.classification.choices import ESTIMATOR, PART, WEIGHTING
from evaluation.classification.items import LABELS
from evaluation.design import columns
from evaluation.models import Epoch, Score
from evaluation.scores import Choice, Divided, ReadSide, Scored, ScoredPart, ScoreRow, SubsetRow
from evaluation.scoring.pool import read_audit
from evaluation.submissions.visibility import visible
from evaluation.task import Sample, Subsets
from evaluation.units import FloatArray, IntArray, Pool
from kbpo.core.database.bulk import read_rows
from kbpo.core.database.coded import unpack_names
from kbpo_estimators.classification.apart import Apart
from kbpo_estimators.classification.estimates import FEW, Given, Scores, Totals, learn
from kbpo_estimators.classification.labels import AuditedItems
from kbpo_estimators.classification.sides import Side
from kbpo_estimators.intervals import DEFAULT_LEVEL, LEVELS, interval
from kbpo_estimators.pooled import PooledModel, UnitFeatures
from kbpo_estimators.scores import AUDIT, VOTES, CoordinatedSample

BY_CLASS = "class"
MODELLED = "modelled"
"""What `Score.counts` has 1 by where the pooled model learnt from the system, and else 0."""
SUBSETS = MappingProxyType({BY_CLASS: Subsets("By class", lambda corpus: str)})


def score(pool: Pool, sample: Sample, features: UnitFeatures) -> Scored:
    """Estimate accuracy and macro-averages of systems, by the votes and, once it is complete, by an audit."""
    modelled = _choose_modelled(pool)
    found, model = _scores(pool, sample, modelled)
    return Scored([_part(standard, scores, modelled, model) for standard, scores in found.items()], "")


def _part(standard: str, scores: Apart, modelled: Sequence[bool], model: PooledModel | None) -> ScoredPart:
    choice = Choice(ESTIMATOR, WEIGHTING, PART, standard)
    found = [scores.overall(system) for system in range(len(modelled))]
    rows = [
        ScoreRow(
            system,
            choice,
            round(100 * level),
            {name: interval(one, level) for name, one in overall.items()},
            scores.shared.pi.size,
            {MODELLED: int(modelled[system])},
        )
        for system, overall in enumerate(found)
        for level in LEVELS
    ]
    packed = BytesIO()
    np.savez(packed, allow_pickle=False, **scores.side(found).arrays)
    return ScoredPart(rows, [(choice, packed.getvalue())], PART, model)


def divide(pool: Pool, sample: Sample, features: UnitFeatures) -> Iterator[Divided]:
    """Score every system on each class, by every standard that `score` has."""
    found, _ = _scores(pool, sample, _read_modelled(pool))
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
    systems = _chosen(_read_given(pool, names), _choose_modelled(pool))
    q, _ = learn(systems, len(names), sample.sampled, sample.folds, truth)
    of_label = q[np.arange(pool.size), truth]
    return np.clip(np.where(truth < 0, q.sum(axis=1), of_label), 0.0, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Withheld:
    """What scores take of a system without what it gives each item.

    Attributes
    ----------
    by_shared, by_own : Totals
        Of it alone: sums over all items, by the shared model and by its own.
    q : float[S, C]
        What its own model says of the sampled items.
    """

    by_shared: Totals
    by_own: Totals
    q: FloatArray


def read_withheld(pool: Pool, sample: CoordinatedSample, places: Sequence[int]) -> list[Withheld]:
    """Return what scores take of some systems that the shared model does not know, by their places."""
    names = _classes(pool)
    systems, truth = _read_given(pool, names), _read_truth(pool, names)
    chosen = _chosen(systems, _read_modelled(pool))
    q, own, _ = _learn(systems, chosen, places, sample, truth, len(names))
    return [
        Withheld(
            Totals.of([systems[one]], sample.pi, q),
            Totals.of([systems[one]], sample.pi, own[one]),
            own[one][sample.sampled],
        )
        for one in places
    ]


def modelled_systems(epoch: Epoch) -> Mapping[int, bool]:
    """Return of each scored system of an epoch, by row id, whether the pooled model learnt from it.

    Those whose scores do not say it are left out.
    """
    rows = Score.objects.filter(epoch=epoch, counts__has_key=MODELLED)
    return {
        pk: bool(is_in) for pk, is_in in rows.values_list("submission_id", f"counts__{MODELLED}").distinct()
    }


def _read_modelled(pool: Pool) -> list[bool]:
    """Say of each system whether the stored scores' model learnt from it."""
    stored = modelled_systems(pool.epoch)
    return [stored.get(one.pk, False) for one in pool.submissions]


def _choose_modelled(pool: Pool) -> list[bool]:
    """Say of each system whether the model is to learn from it: everybody may see it, and always might.

    One that was hidden when scores were computed stays out until the epoch ends: else its team could choose
    the better of two models. Nothing changes once the epoch is released.
    """
    stored = modelled_systems(pool.epoch)
    if pool.epoch.released_at is not None and stored:
        return _read_modelled(pool)
    own = [one.pk for one in pool.submissions]
    shown = set(visible(None).filter(pk__in=own).values_list("pk", flat=True))
    return [pk in shown and stored.get(pk, True) for pk in own]


def _chosen(systems: Sequence[Given], modelled: Sequence[bool]) -> list[Given]:
    return [one for one, is_in in zip(systems, modelled, strict=True) if is_in]


def _rows_by_class(standard: str, apart: Apart, systems: int) -> Iterator[SubsetRow]:
    scores = apart.shared
    for system in range(systems):
        for number in range(scores.classes):
            measures = {
                name: interval(one, DEFAULT_LEVEL) for name, one in apart.by_class(system, number).items()
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


def _scores(
    pool: Pool, sample: Sample, modelled: Sequence[bool]
) -> tuple[dict[str, Apart], PooledModel | None]:
    """Return the scores by each standard: by the audit too where it is complete."""
    assert isinstance(sample, CoordinatedSample), "its corpora have no other design"
    names = _classes(pool)
    systems, truth = _read_given(pool, names), _read_truth(pool, names)
    others = [place for place, is_in in enumerate(modelled) if not is_in]
    q, own, model = _learn(systems, _chosen(systems, modelled), others, sample, truth, len(names))

    def of(audit: AuditedItems | None) -> Apart:
        rest = len(names), sample.pi, sample.sampled, truth
        return Apart(
            Scores.of(systems, *rest, q, audit),
            {place: Scores.of([systems[place]], *rest, by_own, audit) for place, by_own in own.items()},
        )

    audit = _read_audit(pool, sample, names)
    return {VOTES: of(None), **({} if audit is None else {AUDIT: of(audit)})}, model


def _learn(
    systems: Sequence[Given],
    shown: Sequence[Given],
    others: Sequence[int],
    sample: CoordinatedSample,
    truth: IntArray,
    classes: int,
) -> tuple[FloatArray, dict[int, FloatArray], PooledModel | None]:
    """Return q of shown systems, of these and each other by its place, and the model of the shown."""
    given = classes, sample.sampled, sample.folds, truth
    q, model = learn(shown, *given)
    return q, {place: learn([*shown, systems[place]], *given)[0] for place in others}, model


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
