"""From rows to arrays: the labels of a pool's instances, and which of them recall is not about."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from annotations.kinds import canonical, relation
from evaluation.estimators.judging.audited import Audit, AuditedLabels
from evaluation.estimators.judging.drawing import doubts
from evaluation.kbp.labels import Labels, NeededLabels
from evaluation.scoring.pool import AUDITED_VALUE, numbered, read_audit, read_values
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


def read_labels(pool: Pool) -> Labels:
    """Read the labels of the sampled instances."""
    found = read_columns(
        "SELECT batch.number, claim.instance_id, label.value *"
        " CASE WHEN claim.object_question_id IS NULL THEN 1 ELSE COALESCE(right_object.value, 'NaN') END"
        " FROM evaluation_sampledclaim AS claim"
        " JOIN evaluation_samplebatch AS batch ON batch.submission_id = claim.submission_id"
        " JOIN annotations_label AS label ON label.question_id = claim.subject_question_id"
        " LEFT JOIN annotations_label AS right_object ON right_object.question_id = claim.object_question_id"
        " WHERE batch.epoch_id = %s AND batch.number <= %s ORDER BY batch.number",
        [pool.epoch.pk, len(pool.batches)],
        {"batch": "bigint", "instance": "bigint", "right": "float8"},
    )
    values = read_values(pool)
    found = _at_sampled(pool, ~np.isnan(values), found)
    return Labels(values, _by_system(pool, found["batch"], found["instance"], found["right"]))


def read_audited(pool: Pool, sampled: BoolArray, labels: Labels) -> NeededLabels | None:
    """Read the audit of the labels of the sampled instances.

    What a canonical mention's label is about is one instance: the same question at two instances is two
    labels, each audited where its instance is.

    Returns
    -------
    NeededLabels or None
        None unless the audit is complete: drawn for all, and answered wherever it was drawn.
    """
    audit = read_audit(pool, sampled)
    if audit is None:
        return None
    found = read_columns(
        "SELECT batch.number, claim.instance_id, asked.side, asked.question_id,"  # noqa: S608 - a name of ours
        " label.value,"
        " CASE WHEN label.source = 'majority' THEN label.votes ELSE 0 END,"
        " CASE WHEN label.value = 1 THEN label.votes - label.votes_for ELSE label.votes_for END,"
        f" {AUDITED_VALUE}"
        " FROM evaluation_sampledclaim AS claim"
        " JOIN evaluation_samplebatch AS batch ON batch.submission_id = claim.submission_id"
        " CROSS JOIN LATERAL (VALUES (0, claim.subject_question_id), (1, claim.object_question_id))"
        " AS asked (side, question_id)"
        " JOIN annotations_label AS label ON label.question_id = asked.question_id"
        " LEFT JOIN annotations_question AS again ON again.audits_id = asked.question_id"
        " LEFT JOIN annotations_label AS answer"
        " ON answer.question_id = again.id AND answer.claim = label.claim"
        " WHERE batch.epoch_id = %s AND batch.number <= %s",
        [pool.epoch.pk, len(pool.batches)],
        dict.fromkeys(("batch", "instance", "side", "question"), "bigint")
        | {"value": "float8", "votes": "bigint", "dissenting": "bigint", "answer": "float8"},
    )
    found = _at_sampled(pool, sampled, found)
    place = (np.cumsum(sampled) - 1)[pool.positions(found["instance"])]
    order = np.lexsort((found["side"], place, found["batch"]))
    place, found = place[order], {name: column[order] for name, column in found.items()}
    asked = numbered(found["question"])
    _, first, unit = np.unique(
        place * (asked.max(initial=0) + 1) + asked, return_index=True, return_inverse=True
    )
    value, instances = found["value"][first], place[first]
    answers = np.where(audit.audited[instances], found["answer"][first], np.nan)
    if (audit.audited[instances] & np.isnan(answers)).any():
        return None
    votes = found["votes"][first]
    needed = (relation.NAME, canonical.NAME)
    audited = (
        AuditedLabels(np.arange(audit.rho.size), labels.relation[sampled], audit.answers, audit.doubts),
        AuditedLabels(
            instances,
            value,
            answers,
            doubts(
                value,
                votes,
                np.minimum(found["dissenting"][first], votes),
                np.full(value.size, value.mean() if value.size else 0.5),
            ),
        ),
    )
    sides = [
        _by_system(
            pool, *(column[found["side"] == side] for column in (found["batch"], found["instance"], unit))
        )
        for side in (0, 1)
    ]
    return NeededLabels(
        Audit(
            pool.pi[sampled],
            audit.questions,
            audit.rho,
            audit.audited,
            dict(zip(needed, audited, strict=True)),
        ),
        needed,
        [[np.nan_to_num(own, nan=-1).astype(np.int64) for own in of_side] for of_side in sides],
    )


def _at_sampled(pool: Pool, sampled: BoolArray, found: dict[str, Any]) -> dict[str, Any]:
    """Return the claims at the pool's sample: a later batch may wait for labels at what it has drawn.

    Postgres, asked for these alone, looks for the claims at each instance once for each system.
    """
    kept = sampled[pool.positions(found["instance"])]
    return {name: column[kept] for name, column in found.items()}


def _by_system(
    pool: Pool, batch: IntArray, instance: IntArray, values: FloatArray | IntArray
) -> Sequence[FloatArray]:
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
