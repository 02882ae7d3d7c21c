"""From rows to arrays: the labels of a pool's instances, and which of them recall is not about."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from annotations.kinds import canonical, relation
from evaluation.scoring.pool import AUDITED_VALUE, numbered, read_audit, read_values
from evaluation.units import BoolArray, FloatArray, IntArray, Pool
from kbpo.core.database.bulk import array_literal, read_columns
from kbpo_estimators.judging.audited import Audit, AuditedLabels
from kbpo_estimators.judging.drawing import doubts
from kbpo_estimators.kbp.labels import Labels, NeededLabels


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


@dataclass(frozen=True, eq=False)
class SampledLabels:
    """What is known of a pool's sample: C claims, and the Q questions that settle their canonical mentions.

    Attributes
    ----------
    batch, instance : int[C]
        `batch` ascends.
    sides : int[2, C]
        Which question settles the canonical mention of subject and object; −1 for an object that has none, Q
        where it has no label.
    ids : int[Q]
        The questions' row ids.
    values, answers : float[Q]
        Of each one's label, and what an audit says, NaN where it says nothing.
    votes, dissenting : int[Q]
        The votes, 0 where none decided, and how many dissent.
    """

    batch: IntArray
    instance: IntArray
    sides: IntArray
    ids: IntArray
    values: FloatArray
    answers: FloatArray
    votes: IntArray
    dissenting: IntArray

    @classmethod
    def read(cls, pool: Pool) -> "SampledLabels":
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
        return cls(
            claims["batch"][order],
            claims["instance"][order],
            np.where(asked < 0, -1, np.where(found, at, known.size)),
            known,
            *(labels[name] for name in ("value", "answer", "votes", "dissenting")),
        )

    def take(self, chosen: IntArray) -> "SampledLabels":
        """Return some of the claims."""
        return replace(
            self, batch=self.batch[chosen], instance=self.instance[chosen], sides=self.sides[:, chosen]
        )

    def right(self) -> FloatArray:
        """Say whether both canonical mentions of each claim are right: 0 or 1, NaN where one has no label."""
        subject, object_ = np.append(self.values, [np.nan, 1.0])[self.sides]  # −1 is the last
        return np.asarray(subject * object_)


def read_labels(pool: Pool, sampled: SampledLabels | None = None) -> Labels:
    """Read the labels of the sampled instances; `sampled` where they are at hand."""
    claims = SampledLabels.read(pool) if sampled is None else sampled
    values = read_values(pool)
    claims = claims.take(np.flatnonzero(claims.sides[0] < claims.ids.size))
    claims = claims.take(_at_sampled(pool, ~np.isnan(values), claims))
    return Labels(values, _by_system(pool, claims.batch, claims.instance, claims.right()))


def read_audited(
    pool: Pool, sampled: BoolArray, labels: Labels, claims: SampledLabels | None = None
) -> NeededLabels | None:
    """Read the audit of the labels of the sampled instances.

    What a canonical mention's label is about is one instance: the same question at two instances is two
    labels, each audited where its instance is.

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
    if claims is None:
        claims = SampledLabels.read(pool)
    claims = claims.take(_at_sampled(pool, sampled, claims))
    position = (np.cumsum(sampled) - 1)[pool.positions(claims.instance)]
    claim, side = (((claims.sides >= 0) & (claims.sides < claims.ids.size)).T).nonzero()
    # One claim after the other, by system, then instance: whatever order Postgres has them in.
    order = np.lexsort((side, position[claim], claims.batch[claim]))
    claim, side = claim[order], side[order]
    place, question = position[claim], claims.sides[side, claim]
    asked = numbered(question)
    _, first, unit = np.unique(
        place * (asked.max(initial=0) + 1) + asked, return_index=True, return_inverse=True
    )
    of_unit, instances = question[first], place[first]
    value = claims.values[of_unit]
    answers = np.where(audit.audited[instances], claims.answers[of_unit], np.nan)
    if (audit.audited[instances] & np.isnan(answers)).any():
        return None
    votes = claims.votes[of_unit]
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
                np.minimum(claims.dissenting[of_unit], votes),
                np.full(value.size, value.mean() if value.size else 0.5),
            ),
        ),
    )
    of_sides = [
        _by_system(pool, claims.batch[claim[own]], claims.instance[claim[own]], unit[own])
        for own in (side == 0, side == 1)
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
        [[np.nan_to_num(own, nan=-1).astype(np.int64) for own in of_side] for of_side in of_sides],
    )


def _at_sampled(pool: Pool, sampled: BoolArray, claims: SampledLabels) -> IntArray:
    """Return the claims at the pool's sample: a later batch may wait for labels at what it has drawn.

    Postgres, asked for these alone, looks for the claims at each instance once for each system.
    """
    return np.flatnonzero(sampled[pool.positions(claims.instance)])


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
