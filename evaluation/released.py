"""The labels of a released epoch, as they are published."""

from collections.abc import Iterator
from typing import Any

from annotations.models import Label
from annotations.payloads import CanonicalQuestion, RelationQuestion, read_question
from evaluation.models import Epoch
from kbpo.core.errors import NotAllowed

FIELDS = (
    "kind",
    "doc_id",
    "predicate",
    "subject_start",
    "subject_end",
    "object_start",
    "object_end",
    "mention_start",
    "mention_end",
    "canonical_start",
    "canonical_end",
    "right",
    "votes_for",
    "votes",
    "source",
)


def labels(epoch: Epoch) -> Iterator[dict[str, Any]]:
    """List the labels that a released epoch published, a few at a time from the database.

    Parameters
    ----------
    epoch : Epoch

    Yields
    ------
    dict
        `FIELDS` that apply: of a relation its document, predicate, and the spans of subject and object in
        the stored direction (half-open character offsets); of a canonical mention its document and the two
        spans; whether it is right, how many of the votes said so, and who decided.

    Raises
    ------
    NotAllowed
        The epoch is not released.
    """
    if epoch.released_at is None:
        raise NotAllowed(f"The labels of epoch {epoch.number} are sealed until it is released.")
    found = (
        Label.objects.filter(question__batches__epoch=epoch, question__published_at__isnull=False)
        .select_related("question")
        .order_by("question__document_id", "question_id", "pk")
        .distinct()
    )
    for label in found.values_list(
        "question__kind",
        "question__payload",
        "question__document__doc_id",
        "predicate",
        "subject",
        "value",
        "votes_for",
        "votes",
        "source",
        "question__document_id",
        "question_id",
        "pk",
    ).iterator(chunk_size=2000):
        kind, payload, doc_id, predicate, subject, value, votes_for, votes, source, *_ = label
        question = read_question(kind, payload)
        yield {
            "kind": kind,
            "doc_id": doc_id,
            **_spans(question, predicate, subject),
            "right": value,
            "votes_for": votes_for,
            "votes": votes,
            "source": source,
        }


def _spans(question: RelationQuestion | CanonicalQuestion, predicate: str, subject: int) -> dict[str, Any]:
    if isinstance(question, RelationQuestion):
        one, other = question.mentions[subject].span, question.mentions[1 - subject].span
        return {
            "predicate": predicate,
            "subject_start": one.start,
            "subject_end": one.end,
            "object_start": other.start,
            "object_end": other.end,
        }
    return {
        "mention_start": question.mention.start,
        "mention_end": question.mention.end,
        "canonical_start": question.canonical.start,
        "canonical_end": question.canonical.end,
    }
