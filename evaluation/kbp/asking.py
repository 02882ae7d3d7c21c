"""What is asked of people for a sample of claims."""

from collections.abc import Collection, Mapping, Sequence

from annotations import questions
from annotations.kinds.relation import Offer
from evaluation.kbp.claims import COLUMNS, ClaimRow, Claims
from evaluation.models import Epoch, Prediction, SampleBatch, SampledClaim, SampledUnit
from kbpo.core.database.analysing import analyse
from kbpo.core.database.bulk import array_literal, read_rows


def ask(batch: SampleBatch, claims: Claims, sampled: Mapping[int, int | None]) -> set[int]:
    """Store the sampled rows and ask whatever the batch's estimates need; return the ids of the questions.

    A batch needs the relation of each newly sampled instance, the canonical mentions that any system of the
    epoch claims there, and this system's own canonical mentions at instances that were sampled before.
    """
    rows = {row: claims.rows[row].relation() for row in sampled}
    asked = questions.ask_relations(list(rows.values()))
    SampledUnit.objects.bulk_create(
        (
            SampledUnit(
                batch=batch,
                epoch=batch.epoch,
                unit_id=claims.rows[row].instance_id,
                question=asked[claim][0],
                claim=Offer(claim.predicate, asked[claim][1]).claim,
                draws=sampled[row],
            )
            for row, claim in rows.items()
        ),
        batch_size=5000,
    )
    claimants = _read_claimants(batch, claims, [claims.rows[row].instance_id for row in sampled])
    canonicals = questions.ask_canonicals({claim for _, row in claimants for claim in row.canonicals()})
    SampledClaim.objects.bulk_create(
        (
            SampledClaim(
                submission_id=submission_id,
                instance_id=row.instance_id,
                subject_question=canonicals[named[0]],
                object_question=canonicals[named[1]] if len(named) > 1 else None,
            )
            for submission_id, row in claimants
            for named in [row.canonicals()]
        ),
        batch_size=5000,
        ignore_conflicts=True,  # under `iid` an instance may be drawn again for another system
    )
    needed = {question.pk for question, _ in asked.values()} | {
        question.pk for question in canonicals.values()
    }
    analyse({SampledUnit: len(rows), SampledClaim: len(claimants)})
    return needed


def asked_beside(epoch: Epoch, through: int, asked: Collection[int]) -> set[int]:
    """Return the questions about canonical mentions at sampled instances that some questions settle.

    Parameters
    ----------
    epoch : Epoch
    through : int
        The last batch whose instances, and whose systems' claims, count.
    asked : collection of int
        Row ids of relation questions.
    """
    rows = read_rows(
        "SELECT DISTINCT unnest(ARRAY[claim.subject_question_id, claim.object_question_id])"
        " FROM evaluation_sampledunit AS sampled"
        " JOIN evaluation_samplebatch AS own ON own.id = sampled.batch_id"
        " JOIN evaluation_sampledclaim AS claim ON claim.instance_id = sampled.unit_id"
        " JOIN evaluation_samplebatch AS batch ON batch.submission_id = claim.submission_id"
        " WHERE sampled.epoch_id = %s AND batch.epoch_id = sampled.epoch_id"
        " AND own.number <= %s AND batch.number <= %s AND sampled.question_id = ANY(%s::bigint[])",
        [epoch.pk, through, through, array_literal(asked)],
    )
    return {pk for (pk,) in rows if pk is not None}


def needed_beside(epoch: Epoch, through: int, units: Collection[int]) -> list[tuple[int, int, list[int]]]:
    """Return the questions about canonical mentions that systems' claims of sampled instances need.

    Parameters
    ----------
    epoch : Epoch
    through : int
        The last batch whose systems' claims count.
    units : collection of int
        Row ids of instances.

    Returns
    -------
    list of (unit, batch, questions)
        One for each system that claims the instance.
    """
    rows = read_rows(
        "SELECT claim.instance_id, batch.number, claim.subject_question_id, claim.object_question_id"
        " FROM evaluation_sampledclaim AS claim"
        " JOIN evaluation_samplebatch AS batch ON batch.submission_id = claim.submission_id"
        " WHERE batch.epoch_id = %s AND batch.number <= %s AND claim.instance_id = ANY(%s::bigint[])",
        [epoch.pk, through, array_literal(units)],
    )
    return [(unit, number, [pk for pk in asked if pk is not None]) for unit, number, *asked in rows]


def _read_claimants(batch: SampleBatch, claims: Claims, new_ids: Sequence[int]) -> list[tuple[int, ClaimRow]]:
    """Return what systems of the epoch claim at new sampled instances, and the batch's at all of them."""
    everybody = Prediction.objects.filter(submission__batch__epoch=batch.epoch, instance__in=new_ids)
    found = {
        (submission_id, values[0]): ClaimRow._make(values)
        for submission_id, *values in everybody.order_by("submission_id", "instance_id").values_list(
            "submission_id", *COLUMNS
        )
    }
    before = SampledUnit.objects.filter(epoch=batch.epoch, batch__number__lt=batch.number)
    sampled = set(before.values_list("unit_id", flat=True))
    found |= {
        (batch.submission_id, row.instance_id): row for row in claims.rows if row.instance_id in sampled
    }
    return [(submission_id, row) for (submission_id, _), row in found.items()]
