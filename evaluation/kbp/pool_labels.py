"""From rows to arrays: the labels of a pool's instances, and which of them recall is not about."""

from collections.abc import Sequence

import numpy as np

from evaluation.kbp.labels import Labels
from evaluation.scoring.pool import LabelColumn, read_values
from evaluation.units import BoolArray, FloatArray, IntArray, Pool
from kbpo.core.database.bulk import read_columns


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
    return Labels(
        read_values(pool, column), _by_system(pool, found["batch"], found["instance"], found["right"])
    )


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
