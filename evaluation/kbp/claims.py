"""What a submission claims, as rows of plain values: a hundred thousand of them are read in a second."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotations import questions
from annotations.models import Question
from annotations.questions import CanonicalClaim, Claim
from evaluation.kbp.keys import instance_key
from evaluation.models import Prediction, Submission
from kbpo.core.database.bulk import array_literal, read_rows
from kbpo_formats.spans import Span

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


class ClaimRow(NamedTuple):
    """A prediction and its instance."""

    instance_id: int
    document_id: int
    predicate: str
    subject_start: int
    subject_end: int
    object_start: int
    object_end: int
    subject_type: str
    object_type: str
    subject_canonical_start: int
    subject_canonical_end: int
    object_canonical_start: int | None
    object_canonical_end: int | None

    @property
    def subject(self) -> Span:
        """Where the subject is mentioned."""
        return Span(self.subject_start, self.subject_end)

    @property
    def object(self) -> Span:
        """Where the object is mentioned."""
        return Span(self.object_start, self.object_end)

    def relation(self) -> Claim:
        """Return what is claimed, as questions name it."""
        return Claim(
            document_id=self.document_id,
            predicate=self.predicate,
            subject=self.subject,
            subject_type=self.subject_type,
            object=self.object,
            object_type=self.object_type,
        )

    def canonicals(self) -> list[CanonicalClaim]:
        """List the canonical mentions that are claimed: subject and, unless a string, object."""
        named = Span(self.subject_canonical_start, self.subject_canonical_end)
        claims = [CanonicalClaim(self.document_id, self.subject, named)]
        if self.object_canonical_start is not None and self.object_canonical_end is not None:
            named = Span(self.object_canonical_start, self.object_canonical_end)
            claims.append(CanonicalClaim(self.document_id, self.object, named))
        return claims


_OF_INSTANCE = ("document_id", "predicate", "subject_start", "subject_end", "object_start", "object_end")
COLUMNS = tuple(f"instance__{field}" if field in _OF_INSTANCE else field for field in ClaimRow._fields)
"""The columns of a `ClaimRow`, for a query of predictions."""


def row_of(prediction: Prediction) -> ClaimRow:
    """Return a prediction as a row. Its instance must be at hand."""
    instance = prediction.instance
    return ClaimRow._make(
        getattr(instance if field in _OF_INSTANCE else prediction, field) for field in ClaimRow._fields
    )


@dataclass(frozen=True, eq=False)
class Claims:
    """A submission's predictions in the order of their instances' keys, in which every sum and draw is made.

    Attributes
    ----------
    keys : list of str
        The instances' keys, ascending.
    rows : list of ClaimRow
    subject_names, object_names : list of int
        Digests of name keys, as their instances have them.
    confidence : float[n]
    p : float[n]
        The stored probabilities of the default weighting.
    """

    keys: list[str]
    rows: list[ClaimRow]
    subject_names: list[int]
    object_names: list[int]
    confidence: FloatArray
    p: FloatArray

    @cached_property
    def ids(self) -> IntArray:
        """The instances' row ids, int[n]."""
        return np.array([row.instance_id for row in self.rows], dtype=np.int64)

    @property
    def predicates(self) -> list[str]:
        """The predicate of each."""
        return [row.predicate for row in self.rows]


def read_claims(submission: Submission) -> Claims:
    """Read a submission's predictions in the order of their keys."""
    # Each table by itself, joined here: whatever Postgres believes of their sizes, it cannot join them badly.
    of_prediction = ", ".join(ClaimRow._fields[1 + len(_OF_INSTANCE) :])
    predictions = read_rows(
        "SELECT confidence, probability,"  # noqa: S608 - names of ours
        f" instance_id, {of_prediction} FROM evaluation_prediction WHERE submission_id = %s",
        [submission.pk],
    )
    instances = _by_id(
        "SELECT id, subject_name, object_name,"  # noqa: S608 - names of ours
        f" {', '.join(_OF_INSTANCE)} FROM evaluation_instance",
        {row[2] for row in predictions},
    )
    documents = _by_id(
        "SELECT id, doc_id FROM annotations_document",
        {document_id for _, _, document_id, *_ in instances.values()},
    )
    keyed = []
    for *own, instance_id, values in ((*row[:3], row[3:]) for row in predictions):
        subject_name, object_name, *of_instance = instances[instance_id]
        claim = ClaimRow(instance_id, *of_instance, *values)
        (doc_id,) = documents[claim.document_id]
        subject, object_ = (claim.subject_start, claim.subject_end), (claim.object_start, claim.object_end)
        key = instance_key(doc_id, claim.predicate, subject, object_)
        keyed.append((key, claim, subject_name, object_name, *own))
    keyed.sort()
    columns: list[list[Any]] = [[one[at] for one in keyed] for at in range(6)]
    keys, rows, subject_names, object_names, confidence, p = columns
    return Claims(
        keys=keys,
        rows=rows,
        subject_names=subject_names,
        object_names=object_names,
        confidence=np.array(confidence),
        p=np.array(p),
    )


def _by_id(query: str, ids: Iterable[int]) -> dict[int, tuple[Any, ...]]:
    """Return what a query gives for rows with these ids, by the first of its columns."""
    rows = read_rows(f"{query} WHERE id = ANY(%s::bigint[])", [array_literal(ids)])
    return {row[0]: row[1:] for row in rows}


def known(submission: Submission, claims: Claims) -> BoolArray:
    """Say which claims of a submission are known, as `evaluation.task.Task.known` says."""
    return known_rows(submission, claims.rows)


def known_rows(submission: Submission, rows: Sequence[ClaimRow]) -> BoolArray:
    """Say for which predictions every question that they need was published before the upload.

    Such an instance counts exactly, with π = 1 (docs/estimation.md, 4); it needs no sample of its own.

    Returns
    -------
    bool[n]
        In the order of `rows`. The answer stays the same at any later time.
    """
    known = np.zeros(len(rows), dtype=np.bool_)
    pairs = questions.published_pairs(submission.corpus_id, submission.uploaded_at)
    if not pairs:
        return known
    possible = [
        (place, row)
        for place, row in enumerate(rows)
        if (row.document_id, *sorted((row.subject, row.object))) in pairs
    ]
    relations = questions.find_relations([row.relation() for _, row in possible])
    canonicals = questions.find_canonicals({claim for _, row in possible for claim in row.canonicals()})

    def published(question: Question | None) -> bool:
        return (
            question is not None
            and question.published_at is not None
            and question.published_at < submission.uploaded_at
        )

    for place, row in possible:
        known[place] = published((relations.get(row.relation()) or (None, 0))[0]) and all(
            published(canonicals.get(claim)) for claim in row.canonicals()
        )
    return known
