"""What audits are drawn by: the labels that might be wrong, of sampled units and of what else these need."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any

import numpy as np

from annotations.kinds.registry import find_kind
from annotations.models import Label
from evaluation.models import Epoch
from evaluation.task import Task
from evaluation.units import FloatArray, IntArray
from kbpo.core.database.bulk import array_literal, read_rows
from kbpo.core.database.coded import pack, unpack
from kbpo_estimators.judging import drawing


@dataclass(frozen=True, slots=True)
class LabelRow:
    """The label of a sampled unit, or of what else systems need there.

    Attributes
    ----------
    question : int
        The row id of its question.
    key : str
        What tells that from all of its corpus: from it follows whether it is drawn.
    unit : int
        The unit's row id; 0 of what else is needed.
    value : float
        1 or 0. Where a unit goes by all claims of its question: the number of the one that holds, from 1 in
        the order of their names, 0 where none does.
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
class Votes:
    """Labels and what was voted, one place a label.

    Attributes
    ----------
    questions : int[n]
        Row ids.
    labels, prior : float[n]
        As `LabelRow` has them; how likely what a label says was before anybody voted, for a 0 that something
        of what it denies holds.
    votes, dissenting : int[n]
    """

    questions: IntArray
    labels: FloatArray
    votes: IntArray
    dissenting: IntArray
    prior: FloatArray

    @classmethod
    def of(cls, rows: Sequence[LabelRow], prior: FloatArray) -> "Votes":
        """Make them of labels, and of what made each likely."""
        return cls(
            np.array([one.question for one in rows], dtype=np.int64),
            np.array([one.value for one in rows], dtype=np.float64),
            np.array([one.votes for one in rows], dtype=np.int64),
            np.array([one.dissenting for one in rows], dtype=np.int64),
            prior,
        )

    @classmethod
    def unpack(cls, data: bytes) -> "Votes":
        """Return what `pack` was called on."""
        questions, labels, votes, dissenting, prior = unpack(data)
        ids, given, against = (column.astype(np.int64) for column in (questions, votes, dissenting))
        return cls(ids, labels, given, against, prior)

    def pack(self) -> bytes:
        """Return all of it in one array."""
        columns = (self.questions, self.labels, self.votes, self.dissenting, self.prior)
        return pack(np.stack([column.astype(np.float64) for column in columns]))

    def doubts(self) -> FloatArray:
        """Return how likely each label is wrong."""
        return drawing.doubts(np.minimum(self.labels, 1.0), self.votes, self.dissenting, self.prior)

    def rows(self) -> list[tuple[float, ...]]:
        """Return what is the same of each place whatever made labels likely."""
        columns = (self.questions, self.labels, self.votes, self.dissenting)
        return list(zip(*(column.tolist() for column in columns), strict=True))


@dataclass(frozen=True, eq=False)
class Evidence:
    """What doubts rest on.

    Attributes
    ----------
    own : Votes
        The labels of sampled units, in the order of their questions' keys.
    beside : Votes
        Those of the other questions that systems' predictions of these units need, in the order of their
        keys. Each is as likely 1 as all of them are on average.
    predictions : int[P, 1 + K]
        Of each prediction, in the order of arrival: which of `own` it is of, and which of
        `beside` it needs, −1 in the places that are left. Identical ones stand there as often as they occur.
    """

    own: Votes
    beside: Votes
    predictions: IntArray

    @classmethod
    def of(
        cls,
        rows: Sequence[LabelRow],
        prior: FloatArray,
        beside: Sequence[LabelRow],
        needed: Sequence[tuple[int, int, Sequence[int]]],
    ) -> "Evidence":
        """Make it of labels, of what made those of the units likely, and of what `Task.needed_beside` says.

        Parameters
        ----------
        rows : sequence of LabelRow
        prior : float[n]
        beside : sequence of LabelRow
        needed : sequence of (unit, batch, questions)
        """
        unit = {one.unit: place for place, one in enumerate(rows)}
        label = {one.question: place for place, one in enumerate(beside)}
        predictions = [
            (batch, unit[pk], [label[question] for question in questions if question in label])
            for pk, batch, questions in needed
        ]
        width = max((len(questions) for *_, questions in predictions), default=0)
        padded = [
            [place, *questions, *[-1] * (width - len(questions))]
            for _, place, questions in sorted(predictions)
        ]
        likely = float(np.mean([one.value for one in beside])) if beside else 0.5
        return cls(
            Votes.of(rows, prior),
            Votes.of(beside, np.full(len(beside), likely)),
            np.array(padded, dtype=np.int64).reshape(len(padded), 1 + width),
        )

    def pack(self) -> bytes:
        """Return all of it."""
        return self.own.pack() + self.beside.pack() + pack(self.predictions)

    @classmethod
    def unpack(cls, data: bytes) -> "Evidence":
        """Return what `pack` was called on."""
        stream = BytesIO(data)
        own, beside, predictions = (np.load(stream, allow_pickle=False) for _ in range(3))
        return cls(Votes.unpack(pack(own)), Votes.unpack(pack(beside)), predictions)

    def doubts(self) -> tuple[FloatArray, FloatArray]:
        """Return the doubt in each label of a unit, and in the predictions of that unit."""
        doubt = self.own.doubts()
        right = np.append(1.0 - self.beside.doubts(), 1.0)[self.predictions[:, 1:]].prod(axis=1)
        return doubt, drawing.doubts_in_predictions(doubt, self.predictions[:, 0], right)

    def differing(self, other: "Evidence") -> set[int]:
        """Return the questions of units where the two differ in more than in what made labels likely."""
        one, two = self._counted(), other._counted()
        return {int(question) for (question, *_), _ in (one - two) + (two - one)}

    def _counted(self) -> Counter[tuple[tuple[float, ...], tuple[tuple[float, ...], ...] | None]]:
        """Count labels of units, and what predictions need beside one."""
        own, beside = self.own.rows(), self.beside.rows()
        needed = [
            (own[place], tuple(beside[one] for one in others if one >= 0))
            for place, *others in self.predictions.tolist()
        ]
        return Counter([*((one, None) for one in own), *needed])


def read_labels(epoch: Epoch, through: int, *, after: int) -> list[LabelRow]:
    """Read the labels of sampled units whose questions no batch up to `after` has, of batches to `through`.

    In the order of their questions' keys, and of what each is about.
    """
    rows = read_rows(
        "SELECT sampled.question_id, document.doc_id, question.key, sampled.unit_id, label.claim,"
        " label.value, label.votes, label.votes_for, label.source, question.kind, sampled.claim = ''"
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
    found: list[LabelRow] = []
    whole: dict[int, list[tuple[float, int]]] = {}
    for question, doc_id, key, unit, _, *rest, is_whole in sorted(rows, key=_by_key):
        if not is_whole:
            found.append(_row(question, f"{doc_id}|{key}", unit, *rest))
            continue
        if unit not in whole:
            found.append(_row(question, f"{doc_id}|{key}", unit, *rest))
        value, _, votes_for, *_ = rest
        whole.setdefault(unit, []).append((value, votes_for))
    return [_of_all(row, whole[row.unit]) if row.unit in whole else row for row in found]


def _of_all(row: LabelRow, claims: Sequence[tuple[float, int]]) -> LabelRow:
    """Return the label of a unit that goes by all claims, given value and votes of each, by their names."""
    number = next((place for place, (value, _) in enumerate(claims, 1) if value == 1), 0)
    against = row.votes - claims[number - 1][1] if number else sum(votes_for for _, votes_for in claims)
    return replace(row, value=float(number), dissenting=against if row.votes else 0)


def read_evidence(
    epoch: Epoch, through: int, rows: Sequence[LabelRow], prior: FloatArray, task: Task
) -> Evidence:
    """Return the evidence of labels, with what else systems of batches to `through` need at their units."""
    needed = task.needed_beside(epoch, through, [one.unit for one in rows])
    beside = _read_beside({pk for *_, questions in needed for pk in questions})
    return Evidence.of(rows, prior, beside, needed)


def _read_beside(questions: set[int]) -> list[LabelRow]:
    """Read the labels of questions that have one each, in the order of their keys."""
    rows = read_rows(
        "SELECT question.id, document.doc_id, question.key, label.value, label.votes, label.votes_for,"
        " label.source, question.kind FROM annotations_question AS question"
        " JOIN annotations_document AS document ON document.id = question.document_id"
        " JOIN annotations_label AS label ON label.question_id = question.id"
        " WHERE question.id = ANY(%s::bigint[])",
        [array_literal(questions)],
    )
    return [
        _row(question, f"{doc_id}|{key}", 0, *rest)
        for question, doc_id, key, *rest in sorted(rows, key=lambda row: (row[1], row[2]))
    ]


def _row(
    question: int, key: str, unit: int, value: float, votes: int, votes_for: int, source: str, kind: str
) -> LabelRow:
    by_people = source == Label.Source.MAJORITY
    against = (votes - votes_for if value == 1 else votes_for) if find_kind(kind).is_verdict else 0
    return LabelRow(
        question=question,
        key=key,
        unit=unit,
        value=float(value > 0.5),
        votes=votes if by_people else 0,
        dissenting=against if by_people else 0,
    )


def _by_key(row: tuple[int, str, str, int, str, *tuple[Any, ...]]) -> tuple[str, str, str, int]:
    _, doc_id, key, unit, claim, *_ = row
    return doc_id, key, claim, unit
