"""What a release published, in digests: nobody changes it afterwards without a trace.

The digest of the labels stands in the audit log too, which Postgres refuses to change.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping

from evaluation.models import Epoch, ReleasedLabels
from evaluation.task import Task
from kbpo.core.acts import What
from kbpo.core.database.bulk import array_literal, read_rows
from kbpo.core.models import AuditEntry

_LABELS = """
SELECT document.doc_id, question.key, label.claim, label.value, label.votes_for, label.votes, label.source
FROM unnest(%s::bigint[]) AS asked (id)
JOIN annotations_question AS question ON question.id = asked.id
JOIN annotations_document AS document ON document.id = question.document_id
JOIN annotations_label AS label ON label.question_id = asked.id
"""
# Whether an answer counts may still change after a release, when its work is looked at: not that.
_ANSWERS = """
SELECT document.doc_id, question.key, response.worker_id, response.is_expert, response.answer::text,
    response.id
FROM unnest(%s::bigint[]) AS asked (id)
JOIN annotations_question AS question ON question.id = asked.id
JOIN annotations_document AS document ON document.id = question.document_id
JOIN annotations_response AS response ON response.question_id = asked.id
"""
_UNPUBLISHED = """
SELECT id FROM annotations_question
WHERE id = ANY(%s::bigint[]) AND (published_at IS NULL OR published_at > %s)
"""

_EARLY = """
SELECT question.id FROM annotations_question AS question
WHERE question.id = ANY(%s::bigint[]) AND question.published_at IS NOT NULL AND NOT EXISTS (
    SELECT FROM evaluation_samplebatch_questions AS asked
    JOIN evaluation_samplebatch AS batch ON batch.id = asked.samplebatch_id
    JOIN evaluation_epoch AS epoch ON epoch.id = batch.epoch_id
    WHERE asked.question_id = question.id AND epoch.released_at IS NOT NULL
) AND NOT EXISTS (SELECT FROM evaluation_epoch_recorded AS recorded WHERE recorded.question_id = question.id)
"""


def seal(epoch: Epoch) -> ReleasedLabels:
    """Store digests of the labels that an epoch publishes, and of the answers behind them.

    It comes after the questions are published in the same transaction: whoever answers one of them waits
    until then, and has a later row.
    """
    asked = _questions(epoch)
    last = max((pk for *_, pk in read_rows(_ANSWERS, [asked])), default=0)
    return ReleasedLabels.objects.create(epoch=epoch, last_answer=last, **_digests(asked, last))


def audit(epoch: Epoch, task: Task) -> Iterator[str]:
    """Yield what differs between an epoch's labels and what it published."""
    sealed = ReleasedLabels.objects.filter(epoch=epoch).first()
    if sealed is None:
        if epoch.released_at is not None:
            yield "nothing says which labels were published"
        elif early := read_rows(_EARLY, [_questions(epoch)]):
            yield f"{len(early)} of its questions are published, and no epoch that asked them is released"
        return
    if epoch.released_at is None:
        yield "labels are sealed as published, and it is not released"
    again = _digests(_questions(epoch), sealed.last_answer)
    for what, count, digest in (("labels", "labels", "digest"), ("answers", "answers", "answers_digest")):
        stored = getattr(sealed, count)
        if again[count] != stored:
            yield f"there are {again[count]} {what} where it was released with {stored}"
        elif again[digest] != getattr(sealed, digest):
            yield f"its {what} are not those that it was released with"
    unpublished = read_rows(_UNPUBLISHED, [_questions(epoch), sealed.sealed_at])
    if unpublished:
        yield f"{len(unpublished)} of its questions were not published with it"
    logged = AuditEntry.objects.filter(what=What.EPOCH_RELEASED, about=str(epoch.pk))
    if any(entry.after.get("labels", sealed.digest) != sealed.digest for entry in logged):
        yield "the digest of its labels is not the one in the audit log"


def _questions(epoch: Epoch) -> str:
    rows = read_rows(
        "SELECT asked.question_id FROM evaluation_samplebatch_questions AS asked"
        " JOIN evaluation_samplebatch AS batch ON batch.id = asked.samplebatch_id WHERE batch.epoch_id = %s"
        " UNION SELECT question_id FROM evaluation_epoch_recorded WHERE epoch_id = %s",
        [epoch.pk, epoch.pk],
    )
    return array_literal(pk for (pk,) in rows)


def _digests(asked: str, last_answer: int) -> Mapping[str, int | str]:
    labels, digest = _digest(map(list, read_rows(_LABELS, [asked])))
    answers, answers_digest = _digest(
        [*row[:4], json.loads(row[4])] for row in read_rows(_ANSWERS, [asked]) if row[5] <= last_answer
    )
    return {"labels": labels, "digest": digest, "answers": answers, "answers_digest": answers_digest}


def _digest(rows: Iterable[list[object]]) -> tuple[int, str]:
    """Return how many rows there are, and SHA-256 over them as lines of JSON in ascending order."""
    lines = sorted(json.dumps(row, sort_keys=True) for row in rows)
    return len(lines), hashlib.sha256("\n".join(lines).encode()).hexdigest()
