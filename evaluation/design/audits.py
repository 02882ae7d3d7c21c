"""Audits: which settled questions others answer again, drawn from the epoch's secret; stored, drawn again.

They are drawn batch by batch, in the order of arrival, as soon as a batch and all before it are labelled: so
what is drawn does not hang on when anybody looked.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotations.kinds.registry import find_kind
from annotations.models import Label, Question, Response
from evaluation.design import batches
from evaluation.estimators.judging import drawing
from evaluation.models import Audit, AuditDrawing, Epoch, SampleBatch
from evaluation.task import Task
from evaluation.units import BoolArray, FloatArray, IntArray
from kbpo.core.database.bulk import array_literal, copy_rows, read_rows
from kbpo.core.database.coded import pack, unpack

VERSION = "1"
"""The rules by which ρ is made of the evidence: `draw`, and `evaluation.estimators.judging.drawing`."""


@dataclass(frozen=True, slots=True)
class LabelRow:
    """The label of a sampled unit.

    Attributes
    ----------
    question : int
        The row id of its question.
    key : str
        What tells that from all of its corpus: from it follows whether it is drawn.
    unit : int
        The unit's row id.
    value : float
    votes, dissenting : int
        The votes behind it, 0 where nobody voted or an expert decided; those that did not say what it says.
    """

    question: int
    key: str
    unit: int
    value: float
    votes: int
    dissenting: int


@dataclass(frozen=True, eq=False)
class Evidence:
    """What doubts in labels rest on, in the order of the questions' keys; one place a label.

    Attributes
    ----------
    questions : int[n]
        Row ids.
    labels, prior : float[n]
        1 or 0; how likely 1 was before anybody voted.
    votes, dissenting : int[n]
    """

    questions: IntArray
    labels: FloatArray
    votes: IntArray
    dissenting: IntArray
    prior: FloatArray

    @classmethod
    def of(cls, rows: Sequence[LabelRow], prior: FloatArray) -> "Evidence":
        """Make it of labels, and of what made each likely."""
        return cls(
            np.array([one.question for one in rows], dtype=np.int64),
            np.array([one.value for one in rows], dtype=np.float64),
            np.array([one.votes for one in rows], dtype=np.int64),
            np.array([one.dissenting for one in rows], dtype=np.int64),
            prior,
        )

    def pack(self) -> bytes:
        """Return all of it in one array."""
        columns = (self.questions, self.labels, self.votes, self.dissenting, self.prior)
        return pack(np.stack([column.astype(np.float64) for column in columns]))

    @classmethod
    def unpack(cls, data: bytes) -> "Evidence":
        """Return what `pack` was called on."""
        questions, labels, votes, dissenting, prior = unpack(data)
        whole = (column.astype(np.int64) for column in (questions, votes, dissenting))
        ids, given, against = whole
        return cls(ids, labels, given, against, prior)

    def counted(self) -> Counter[tuple[int, float, int, int]]:
        """Count what is the same of its places, without what made labels likely."""
        columns = (self.questions, self.labels, self.votes, self.dissenting)
        return Counter(zip(*(column.tolist() for column in columns), strict=True))


@dataclass(frozen=True, eq=False)
class Drawn:
    """What is drawn of the questions of some evidence, in its order.

    Attributes
    ----------
    questions : int[q]
        Row ids.
    doubt, probability : float[q]
        The largest doubt in a label of each; ρ, which is 1 where people did not vote: an expert's answer
        stands as it is.
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
    _, first, place = np.unique(evidence.questions, return_index=True, return_inverse=True)
    order = np.argsort(first)  # of first occurrence: that of the keys
    doubt, voted = np.zeros(first.size), np.zeros(first.size, dtype=np.int64)
    of_label = drawing.doubts(evidence.labels, evidence.votes, evidence.dissenting, evidence.prior)
    np.maximum.at(doubt, place, of_label)
    np.maximum.at(voted, place, evidence.votes)
    questions, doubt, by_people = evidence.questions[first][order], doubt[order], voted[order] > 0
    rho = np.ones(questions.size)
    rho[by_people] = drawing.audit_probabilities(doubt[by_people], share)
    found = drawing.drawn(secret, [keys[pk] for pk in questions.tolist()], rho)
    return Drawn(questions, doubt, rho, found)


def read_labels(epoch: Epoch, through: int, *, after: int) -> list[LabelRow]:
    """Read the labels of sampled units whose questions no batch up to `after` has, of batches to `through`.

    In the order of their questions' keys, and of what each is about.
    """
    rows = read_rows(
        "SELECT sampled.question_id, document.doc_id, question.key, sampled.unit_id, label.claim,"
        " label.value, label.votes, label.votes_for, label.source, question.kind"
        " FROM evaluation_sampledunit AS sampled"
        " JOIN evaluation_samplebatch AS batch ON batch.id = sampled.batch_id"
        " JOIN annotations_question AS question ON question.id = sampled.question_id"
        " JOIN annotations_document AS document ON document.id = question.document_id"
        " JOIN annotations_label AS label ON label.question_id = question.id"
        " AND sampled.claim IN ('', label.claim)"
        " WHERE sampled.epoch_id = %s AND batch.number <= %s AND NOT EXISTS ("
        "SELECT FROM evaluation_sampledunit AS other"
        " JOIN evaluation_samplebatch AS before ON before.id = other.batch_id"
        " WHERE other.question_id = sampled.question_id AND other.epoch_id = sampled.epoch_id"
        " AND before.number <= %s)",
        [epoch.pk, through, after],
    )
    found = []
    for question, doc_id, key, unit, _, value, votes, votes_for, source, kind in sorted(rows, key=_by_key):
        by_people = source == Label.Source.MAJORITY
        against = (votes - votes_for if value == 1 else votes_for) if find_kind(kind).is_verdict else 0
        found.append(
            LabelRow(
                question=question,
                key=f"{doc_id}|{key}",
                unit=unit,
                value=float(value > 0.5),
                votes=votes if by_people else 0,
                dissenting=against if by_people else 0,
            )
        )
    return found


def _by_key(row: tuple[int, str, str, int, str, float, int, int, str, str]) -> tuple[str, str, str, int]:
    _, doc_id, key, unit, claim, *_ = row
    return doc_id, key, claim, unit


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
        batch=batch, version=VERSION, share=share, evidence=packed, digest=digest(share, packed)
    )


def digest(share: float, evidence: bytes) -> str:
    """Return the SHA-256 of what a drawing follows from."""
    return hashlib.sha256(json.dumps([VERSION, share]).encode() + bytes(evidence)).hexdigest()


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
        findings += [f"batch {number}: {finding}" for finding in _check_drawing(one)]
    if stored and stored.keys() <= set(range(1, batches.last_labelled(epoch) + 1)):
        findings += _check_questions(epoch, max(stored), max(audited, default=0), task)
    elif stored:
        findings.append("audits were drawn before labels were settled")
    return findings


def _check_drawing(one: AuditDrawing) -> list[str]:
    batch, findings = one.batch, []
    if one.version != VERSION:
        return [f"audits were drawn by the rules {one.version!r}, which are unknown"]
    if digest(one.share, bytes(one.evidence)) != one.digest:
        findings.append("what audits were drawn from is not what its digest says")
    evidence = Evidence.unpack(bytes(one.evidence))
    rows = read_labels(batch.epoch, batch.number, after=batch.number - 1)
    again = Evidence.of(rows, np.zeros(len(rows)))
    if differing := (again.counted() - evidence.counted()) + (evidence.counted() - again.counted()):
        findings.append(
            f"labels that audits were drawn from differ: of {len({pk for pk, *_ in differing})} questions"
        )
    keys = {row.question: row.key for row in rows}
    if not keys.keys() >= set(evidence.questions.tolist()):
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
