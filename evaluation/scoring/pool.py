"""From rows to arrays: the systems of an epoch, their sample and its labels."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from annotations.kinds.relation import claim_sql
from annotations.models import Corpus
from evaluation.design import columns
from evaluation.estimators import weighting
from evaluation.estimators.scores import CoordinatedSample, IidSample, Labels, System
from evaluation.models import Epoch, SampleBatch, Submission
from kbpo.core.coded import Coded, unpack, unpack_coded
from kbpo.core.columns import read_columns

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
LabelColumn = Literal["value", "corrected"]


@dataclass(frozen=True, eq=False)
class Pool:
    """The systems of an epoch's fully labelled batches and the instances that they predict.

    The N instances stand in the order in which systems brought them in, and those of one system in the order
    of their keys: an order that is the same in every database.

    Attributes
    ----------
    epoch : Epoch
    batches : list of SampleBatch
        1 to B; the last is the one whose design counts.
    submissions : list of Submission
        In the order of their arrival.
    systems : list of System
        Their rows in the order of their keys.
    folds : int[N]
    pi : float[N]
        π after the last batch, under `coordinated`; NaN under `iid`.
    sorted_ids : int[N]
        The instances' row ids, ascending.
    position : int[N]
        Where each of these stands in the pool.
    """

    epoch: Epoch
    batches: list[SampleBatch]
    submissions: list[Submission]
    systems: list[System]
    folds: IntArray
    pi: FloatArray
    sorted_ids: IntArray
    position: IntArray

    @property
    def size(self) -> int:
        """N."""
        return self.sorted_ids.size

    def positions(self, instance_ids: IntArray) -> IntArray:
        """Return where instances of the pool stand in it."""
        return np.asarray(self.position[np.searchsorted(self.sorted_ids, instance_ids)])


class _Weights(Mapping[str, FloatArray]):
    """p under each weighting, decoded when it is asked for: four of them would fill the memory."""

    def __init__(self, coded: Mapping[str, Coded]) -> None:
        self._coded = coded

    def __getitem__(self, name: str) -> FloatArray:
        return self._coded[name].column()

    def __iter__(self) -> Iterator[str]:
        return iter(self._coded)

    def __len__(self) -> int:
        return len(self._coded)


def read_pool(epoch: Epoch, through: int) -> Pool:
    """Read the systems of batches 1 to `through`, with p_i under every weighting as it was stored."""
    batches = list(epoch.batches.filter(number__lte=through).order_by("number").select_related("submission"))
    stored = list(columns.read([batch.pk for batch in batches], columns.FIGURES))
    own_ids = [unpack(one[columns.INSTANCES]) for one in stored]
    sorted_ids = np.sort(np.concatenate(own_ids))  # np.unique takes ten times as long
    sorted_ids = sorted_ids[np.append(True, sorted_ids[1:] != sorted_ids[:-1])]
    position = np.full(sorted_ids.size, -1, dtype=np.int64)
    folds = np.zeros(sorted_ids.size, dtype=np.int64)
    pi = np.full(sorted_ids.size, np.nan)
    systems = []
    seen = 0
    for batch, ids, one in zip(batches, own_ids, stored, strict=True):
        at = _found(ids, sorted_ids)
        new = at[position[at] < 0]
        position[new] = seen + np.arange(new.size)
        seen += new.size
        rows = position[at]
        folds[rows] = unpack(one[columns.FOLDS])
        if columns.PI in one:
            pi[rows] = unpack(one[columns.PI])  # batch after batch: the last that changed it counts
        systems.append(
            System(
                rows=rows,
                weights=_Weights(
                    {name: unpack_coded(one[columns.weight(name)]) for name in weighting.WEIGHTINGS}
                ),
                confidence=unpack_coded(one[columns.CONFIDENCE]).column(),
                team=batch.submission.team_id,
            )
        )
    submissions = [batch.submission for batch in batches]
    return Pool(epoch, batches, submissions, systems, folds, pi, sorted_ids, position)


def _found(ids: IntArray, sorted_ids: IntArray) -> IntArray:
    """Return where each id stands: in their own order first, five times as fast among millions."""
    order = np.argsort(ids)
    at = np.empty(ids.size, dtype=np.int64)
    at[order] = np.searchsorted(sorted_ids, ids[order])
    return at


def read_sample(pool: Pool) -> CoordinatedSample | IidSample:
    """Read which of the pool's instances were drawn, by the design of its corpus."""
    drawn = read_columns(
        "SELECT batch.number, sampled.instance_id, COALESCE(sampled.draws, 1)"
        " FROM evaluation_sampledinstance AS sampled"
        " JOIN evaluation_samplebatch AS batch ON batch.id = sampled.batch_id"
        " WHERE sampled.epoch_id = %s AND batch.number <= %s",
        [pool.epoch.pk, len(pool.batches)],
        {"batch": "bigint", "instance": "bigint", "draws": "bigint"},
    )
    positions = pool.positions(drawn["instance"])
    if pool.epoch.corpus.design == Corpus.Design.COORDINATED:
        sampled = np.zeros(pool.size, dtype=np.bool_)
        sampled[positions] = True
        return CoordinatedSample(pool.pi, sampled, pool.folds)
    order = np.lexsort((positions, drawn["batch"]))
    positions, counts = positions[order], drawn["draws"][order]
    ends = np.searchsorted(drawn["batch"][order], np.arange(2, len(pool.batches) + 1))
    by_batch = zip(np.split(positions, ends), np.split(counts, ends), strict=True)
    return IidSample([np.repeat(rows, times) for rows, times in by_batch])


def read_outside(pool: Pool) -> BoolArray:
    """Say which of the pool's instances stand in documents that recall is not about.

    Those were retired before the epoch's exhaustive documents were drawn, and everybody knows what is true
    in them: in the share of the pool's correct instances that a system has they would count all the same.
    """
    found = read_columns(
        "SELECT instance.id FROM evaluation_retireddocument AS retired"
        " JOIN evaluation_documentsample AS sample ON sample.id = retired.sample_id"
        " JOIN evaluation_documentsample AS own ON own.corpus_id = sample.corpus_id"
        " JOIN evaluation_instance AS instance ON instance.document_id = retired.document_id"
        " WHERE own.id = %s AND sample.number < own.number",
        [pool.epoch.document_sample_id],
        {"instance": "bigint"},
    )
    outside = np.zeros(pool.size, dtype=np.bool_)
    outside[pool.positions(np.intersect1d(found["instance"], pool.sorted_ids))] = True
    return outside


def read_labels(pool: Pool, column: LabelColumn = "value") -> Labels:
    """Read the labels of the sampled instances.

    Parameters
    ----------
    column : {"value", "corrected"}
        The labels as they stand, or corrected for workers' errors; NaN where one was never corrected.
    """
    value, right = (f"COALESCE({label}.{column}, 'NaN')" for label in ("label", "right_object"))
    relation = np.full(pool.size, np.nan)
    found = read_columns(
        f"SELECT sampled.instance_id, {value}"  # noqa: S608 - names of ours
        " FROM evaluation_sampledinstance AS sampled"
        " JOIN evaluation_samplebatch AS batch ON batch.id = sampled.batch_id"
        " JOIN evaluation_instance AS instance ON instance.id = sampled.instance_id"
        " JOIN annotations_label AS label ON label.question_id = sampled.question_id"
        f" AND label.claim = {claim_sql('instance.predicate', 'sampled.subject')}"
        " WHERE sampled.epoch_id = %s AND batch.number <= %s",
        [pool.epoch.pk, len(pool.batches)],
        {"instance": "bigint", "value": "float8"},
    )
    relation[pool.positions(found["instance"])] = found["value"]
    found = read_columns(
        "SELECT batch.number, claim.instance_id,"  # noqa: S608 - names of ours
        f" {value} * CASE WHEN claim.object_question_id IS NULL THEN 1 ELSE {right} END"
        " FROM evaluation_sampledclaim AS claim"
        " JOIN evaluation_samplebatch AS batch ON batch.submission_id = claim.submission_id"
        " JOIN annotations_label AS label ON label.question_id = claim.subject_question_id"
        " LEFT JOIN annotations_label AS right_object ON right_object.question_id = claim.object_question_id"
        " WHERE batch.epoch_id = %s AND batch.number <= %s ORDER BY batch.number",
        [pool.epoch.pk, len(pool.batches)],
        {"batch": "bigint", "instance": "bigint", "right": "float8"},
    )
    return Labels(relation, _by_system(pool, found["batch"], found["instance"], found["right"]))


def _by_system(pool: Pool, batch: IntArray, instance: IntArray, values: FloatArray) -> Sequence[FloatArray]:
    """Return for each system the values of its instances, NaN where there is none; `batch` ascends."""
    positions = pool.positions(instance)
    ends = np.searchsorted(batch, np.arange(2, len(pool.batches) + 1))
    over_pool = np.full(pool.size, np.nan)
    found = []
    for system, own, given in zip(
        pool.systems, np.split(positions, ends), np.split(values, ends), strict=True
    ):
        over_pool[own] = given
        found.append(over_pool[system.rows])
        over_pool[own] = np.nan
    return found
