"""From rows to arrays: the labels of a pool's instances, and which of them recall is not about."""

import numpy as np

from annotations.kinds import canonical, relation
from evaluation.scoring.pool import AUDITED_VALUE, read_audit, read_values
from evaluation.units import BoolArray, Pool
from kbpo.core.database.bulk import array_literal, read_columns
from kbpo_estimators.kbp.claims import SampledLabels, audited_labels, sample_labels
from kbpo_estimators.kbp.labels import Labels, NeededLabels

KINDS = (relation.NAME, canonical.NAME)
"""Of the questions about relations, and about canonical mentions."""


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


def read_claims(pool: Pool) -> SampledLabels:
    """Read them: each label once, though a hundred systems may claim what it is about."""
    claims = read_columns(
        "SELECT batch.number, claim.instance_id, claim.subject_question_id,"
        " COALESCE(claim.object_question_id, -1) FROM evaluation_sampledclaim AS claim"
        " JOIN evaluation_samplebatch AS batch ON batch.submission_id = claim.submission_id"
        " WHERE batch.epoch_id = %s AND batch.number <= %s",
        [pool.epoch.pk, len(pool.batches)],
        dict.fromkeys(("batch", "instance", "subject", "object"), "bigint"),
    )
    order = np.argsort(claims["batch"], kind="stable")
    asked = np.stack([claims["subject"], claims["object"]])[:, order]
    ids = np.unique(asked)
    labels = read_columns(
        "SELECT label.question_id,"  # noqa: S608 - a name of ours
        " CASE WHEN label.source = 'majority' THEN label.votes ELSE 0 END,"
        " CASE WHEN label.value = 1 THEN label.votes - label.votes_for ELSE label.votes_for END,"
        f" label.value, {AUDITED_VALUE}"
        " FROM unnest(%s::bigint[]) AS asked (id)"
        " JOIN annotations_label AS label ON label.question_id = asked.id"
        " LEFT JOIN annotations_question AS again ON again.audits_id = asked.id"
        " LEFT JOIN annotations_label AS answer"
        " ON answer.question_id = again.id AND answer.claim = label.claim",
        [array_literal(ids.tolist())],
        dict.fromkeys(("question", "votes", "dissenting"), "bigint")
        | dict.fromkeys(("value", "answer"), "float8"),
    )
    order_of_labels = np.argsort(labels["question"])
    labels = {name: column[order_of_labels] for name, column in labels.items()}
    known = labels["question"]
    at = np.searchsorted(known, asked)
    found = known.take(at, mode="clip") == asked if known.size else np.zeros(asked.shape, dtype=np.bool_)
    return SampledLabels(
        claims["batch"][order] - 1,
        pool.positions(claims["instance"][order]),
        np.where(asked < 0, -1, np.where(found, at, known.size)),
        *(labels[name] for name in ("value", "answer", "votes", "dissenting")),
    )


def read_labels(pool: Pool, sampled: SampledLabels | None = None) -> Labels:
    """Read the labels of the sampled instances; `sampled` where they are at hand."""
    return sample_labels(pool.systems, read_values(pool), read_claims(pool) if sampled is None else sampled)


def read_audited(
    pool: Pool, sampled: BoolArray, labels: Labels, claims: SampledLabels | None = None
) -> NeededLabels | None:
    """Read the audit of the labels of the sampled instances.

    Parameters
    ----------
    pool : Pool
    sampled : bool[N]
    labels : Labels
    claims : SampledLabels, optional
        Where they are at hand.

    Returns
    -------
    NeededLabels or None
        None unless the audit is complete: drawn for all, and answered wherever it was drawn.
    """
    audit = read_audit(pool, sampled)
    if audit is None:
        return None
    claims = read_claims(pool) if claims is None else claims
    return audited_labels(pool.systems, pool.pi, sampled, labels, claims, audit, KINDS)
