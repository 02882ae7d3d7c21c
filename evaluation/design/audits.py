"""Audits: which settled questions others answer again, drawn from the epoch's secret; stored, drawn again.

They are drawn batch by batch, in the order of arrival, as soon as a batch and all before it are labelled: so
what is drawn does not hang on when anybody looked.
"""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotations.models import Label, Question, Response
from evaluation.design import batches
from evaluation.design.evidence import Evidence, read_evidence, read_labels
from evaluation.models import Audit, AuditDrawing, Epoch, SampleBatch
from evaluation.task import Task
from evaluation.units import BoolArray, FloatArray, IntArray
from kbpo.core.database.bulk import array_literal, copy_rows, read_rows
from kbpo_estimators.judging import drawing

VERSION = "2"
"""The rules by which ρ is made: of which evidence, `draw`, and `kbpo_estimators.judging.drawing`."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """What is drawn of the questions of some evidence, in its order.

    Attributes
    ----------
    questions : int[q]
        Row ids.
    doubt : float[q]
        The largest doubt in a label of a unit that each settles.
    probability : float[q]
        ρ, which follows the largest doubt in the predictions of these units, and is 1 where people did not
        vote: an expert's answer stands as it is.
    is_drawn : bool[q]
    """

    questions: IntArray
    doubt: FloatArray
    probability: FloatArray
    is_drawn: BoolArray


def draw(evidence: Evidence, keys: Mapping[int, str], *, share: float, secret: bytes) -> Drawn:
    """Draw audits.

    Parameters
    ----------
    evidence : Evidence
    keys : mapping of int to str
        Of each of its questions, as `LabelRow` has it.
    share : float
        Of the questions on which people voted, that is to be drawn on average; in (0, 1].
    secret : bytes
        The epoch's.
    """
    own = evidence.own
    _, first, place = np.unique(own.questions, return_index=True, return_inverse=True)
    order = np.argsort(first)  # of first occurrence: that of the keys
    doubt, aimed = (_largest(one, place, first.size)[order] for one in evidence.doubts())
    by_people = _largest(own.votes, place, first.size)[order] > 0
    questions = own.questions[first][order]
    rho = np.ones(questions.size)
    rho[by_people] = drawing.audit_probabilities(aimed[by_people], share)
    found = drawing.drawn(secret, [keys[pk] for pk in questions.tolist()], rho)
    return Drawn(questions, doubt, rho, found)


def _largest(values: FloatArray | IntArray, place: IntArray, size: int) -> FloatArray:
    found = np.zeros(size)
    np.maximum.at(found, place, values)
    return found


def store(batch: SampleBatch, evidence: Evidence, drawn: Drawn, *, share: float) -> AuditDrawing:
    """Store what was drawn with a batch, and what it follows from."""
    packed = evidence.pack()
    copy_rows(
        Audit,
        ("epoch_id", "batch_id", "question_id", "probability", "doubt", "is_drawn"),
        (
            (batch.epoch_id, batch.pk, *row)
            for row in zip(
                drawn.questions.tolist(),
                drawn.probability.tolist(),
                drawn.doubt.tolist(),
                drawn.is_drawn.tolist(),
                strict=True,
            )
        ),
    )
    return AuditDrawing.objects.create(
        batch=batch, version=VERSION, share=share, evidence=packed, digest=digest(VERSION, share, packed)
    )


def digest(version: str, share: float, evidence: bytes) -> str:
    """Return the SHA-256 of what a drawing follows from."""
    return hashlib.sha256(json.dumps([version, share]).encode() + bytes(evidence)).hexdigest()


def wanted(epoch: Epoch, through: int, task: Task) -> set[int]:
    """Return the questions that others have to answer again for the scores of batches 1 to `through`.

    Those that are drawn, and what else their units need, such as canonical mentions that any system of these
    batches claims there; without what no crowd has settled.
    """
    drawn = set(
        Audit.objects.filter(epoch=epoch, batch__number__lte=through, is_drawn=True).values_list(
            "question", flat=True
        )
    )
    beside = task.asked_beside(epoch, through, drawn)
    rows = read_rows(
        "SELECT DISTINCT label.question_id FROM annotations_label AS label"
        " WHERE label.question_id = ANY(%s::bigint[]) AND label.source = %s",
        [array_literal(drawn | set(beside)), Label.Source.MAJORITY.value],
    )
    return {pk for (pk,) in rows}


def unanswered(questions: Collection[int]) -> int:
    """Count those of the questions whose audit is not settled."""
    settled = Question.objects.filter(audits__in=questions, state=Question.State.SETTLED)
    return len(questions) - settled.count()


def check(epoch: Epoch, task: Task) -> list[str]:
    """Draw the audits of an epoch again; return what does not come out as it is stored."""
    findings: list[str] = []
    stored = {
        one.batch.number: one
        for one in AuditDrawing.objects.filter(batch__epoch=epoch).select_related("batch__epoch")
    }
    if sorted(stored) != list(range(1, len(stored) + 1)):
        findings.append(f"audits were drawn for other batches than the first {len(stored)}")
    audited = set(epoch.batches.filter(audited_at__isnull=False).values_list("number", flat=True))
    if not audited <= stored.keys():
        findings.append(f"batch {min(audited - stored.keys())} is audited, and no audit was drawn for it")
    loose = Audit.objects.filter(epoch=epoch).exclude(batch__in=[one.batch_id for one in stored.values()])
    if loose.exists():
        findings.append(f"{loose.count()} audits belong to no drawing")
    for number, one in sorted(stored.items()):
        findings += [f"batch {number}: {finding}" for finding in _check_drawing(one, task)]
    if stored and stored.keys() <= set(range(1, batches.last_labelled(epoch) + 1)):
        findings += _check_questions(epoch, max(stored), max(audited, default=0), task)
    elif stored:
        findings.append("audits were drawn before labels were settled")
    return findings


def _check_drawing(one: AuditDrawing, task: Task) -> list[str]:
    batch, findings = one.batch, []
    if one.version != VERSION:
        return [f"audits were drawn by the rules {one.version!r}, which are unknown"]
    if digest(one.version, one.share, bytes(one.evidence)) != one.digest:
        return ["what audits were drawn from is not what its digest says"]
    evidence = Evidence.unpack(bytes(one.evidence))
    rows = read_labels(batch.epoch, batch.number, after=batch.number - 1)
    again = read_evidence(batch.epoch, batch.number, rows, np.zeros(len(rows)), task)
    if differing := evidence.differing(again):
        findings.append(f"labels that audits were drawn from differ: of {len(differing)} questions")
    keys = {row.question: row.key for row in rows}
    if not keys.keys() >= set(evidence.own.questions.tolist()):
        return [*findings, "audits were drawn from labels that are of no sampled unit"]
    drawn = draw(evidence, keys, share=one.share, secret=bytes.fromhex(batch.epoch.secret))
    kept = {
        pk: values for pk, *values in batch.audits.values_list("question", "doubt", "probability", "is_drawn")
    }
    for place, what in enumerate(("doubts", "probabilities of audits", "audits that are drawn")):
        column = (drawn.doubt, drawn.probability, drawn.is_drawn)[place]
        made = dict(zip(drawn.questions.tolist(), column.tolist(), strict=True))
        differing_ids = [
            pk
            for pk in made.keys() | kept.keys()
            if pk not in made or pk not in kept or made[pk] != kept[pk][place]
        ]
        if differing_ids:
            findings.append(
                f"{what} differ at {len(differing_ids)} questions, the first {min(differing_ids)}"
            )
    return findings


def _check_questions(epoch: Epoch, drawn: int, audited: int, task: Task) -> list[str]:
    """Hold what was asked again against what it audits."""
    findings = []
    asked = {
        one.audits_id: one
        for one in Question.objects.filter(audits__in=wanted(epoch, drawn, task)).select_related("audits")
    }
    for what, missing in (
        ("drawn and not asked again", wanted(epoch, drawn, task) - asked.keys()),
        (
            "taken for audited, and nobody has answered them again",
            wanted(epoch, audited, task)
            - {pk for pk, one in asked.items() if one.state == Question.State.SETTLED},
        ),
    ):
        if missing:
            findings.append(f"{len(missing)} questions are {what}, the first {min(missing)}")
    changed = [pk for pk, one in asked.items() if pk is not None and not _is_same(one)]
    if changed:
        findings.append(f"{len(changed)} questions are asked again in another way, the first {min(changed)}")
    return findings + _check_answers([one for one in asked.values() if one.state == Question.State.SETTLED])


def _is_same(audit: Question) -> bool:
    one = audit.audits
    assert one is not None
    return (audit.document_id, audit.kind, audit.payload, audit.key) == (
        one.document_id,
        one.kind,
        one.payload,
        f"{drawing.PREFIX}{one.key}",
    )


def _check_answers(settled: Sequence[Question]) -> list[str]:
    """Hold the labels of audits against what they audit, and against who answered."""
    findings = []
    claims = {
        pk: set(found)
        for pk, found in read_rows(
            "SELECT question_id, array_agg(claim::text) FROM annotations_label"
            " WHERE question_id = ANY(%s::bigint[]) GROUP BY question_id",
            [array_literal({pk for one in settled for pk in (one.pk, one.audits_id) if pk is not None})],
        )
    }
    other = [one.pk for one in settled if claims.get(one.pk) != claims.get(one.audits_id or 0)]
    if other:
        findings.append(
            f"{len(other)} audits are settled about other claims than their questions, the first {min(other)}"
        )
    votes = {
        pk: (number, source)
        for pk, number, source in read_rows(
            "SELECT question_id, max(votes), min(source) FROM annotations_label"
            " WHERE question_id = ANY(%s::bigint[]) GROUP BY question_id",
            [array_literal([one.pk for one in settled])],
        )
    }
    given: dict[int, list[tuple[int, bool]]] = {one.pk: [] for one in settled}
    for pk, worker, is_expert in Response.objects.filter(question__in=given).values_list(
        "question", "worker", "is_expert"
    ):
        given[pk].append((worker, is_expert))
    few = [
        pk
        for pk, (number, source) in votes.items()
        if (source == Label.Source.EXPERT and not any(is_expert for _, is_expert in given[pk]))
        or (source == Label.Source.MAJORITY and len(given[pk]) < number)
    ]
    if few:
        findings.append(f"{len(few)} audits lack answers that their labels count, the first {min(few)}")
    voted: dict[int, set[int]] = {}
    audited = {one.audits_id for one in settled}
    for pk, worker in Response.objects.filter(question__in=audited).values_list("question", "worker"):
        voted.setdefault(pk, set()).add(worker)
    valid = Response.objects.filter(question__in=given, is_valid=True).values_list(
        "question", "question__audits", "worker"
    )
    twice = {pk for pk, of, worker in valid if worker in voted.get(of or 0, set())}
    if twice:
        findings.append(
            f"{len(twice)} audits count the answer of somebody who judged before, the first {min(twice)}"
        )
    return findings
