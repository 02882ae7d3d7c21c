"""Takedowns: the text of a document goes for good; what was sampled, asked, answered and judged of it stays.

Each character of the text is blotted out where it is stored, so no page, search, file or download that is
made from then on can hold it, and every span still points at what it did. Questions about it that wait for
people are withdrawn from them. They are settled by the votes that they have; what these leave open, nobody
can verify any more, and does not hold.
"""

from collections import defaultdict
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from annotations import labels, roles
from annotations.models import Document, Input, Question, Response, Takedown
from annotations.roles import Act
from kbpo.accounts.models import User
from kbpo.core.acts import What, record
from kbpo.core.errors import Conflict, InvalidInput
from kbpo_formats.blotting import blotted

LONGEST_REASON = 500  # characters


@transaction.atomic
def take_down(*, document: Document, reason: str, by: User, now: datetime) -> Takedown:
    """Remove the text of a document, its title, its suggested mentions and its references.

    Raises
    ------
    NotAllowed
        If `by` may not remove documents of its corpus.
    InvalidInput
        If there is no reason, or it is too long.
    Conflict
        If it is removed already.
    """
    roles.check(by, Act.DESIGN, document.corpus)
    reason = " ".join(reason.split())
    if not reason or len(reason) > LONGEST_REASON:
        raise InvalidInput(
            f"give a reason of 1 to {LONGEST_REASON} characters: it stands where the document was",
            where="reason",
        )
    document = Document.objects.select_for_update(no_key=True).get(pk=document.pk)
    try:
        with transaction.atomic():
            takedown = Takedown.objects.create(
                document=document, reason=reason, removed_by=by, removed_at=now
            )
    except IntegrityError:
        raise Conflict(f"The document {document.doc_id} is removed already.") from None
    document.text, document.title, document.suggestions = blotted(document.text), "", []
    document.save(update_fields=["text", "title", "suggestions"])
    for given in Input.objects.filter(document=document):
        given.references = [blotted(one) for one in given.references]
        given.save(update_fields=["references"])
    after = {"document": document.doc_id, "corpus": document.corpus.tag, "reason": reason}
    record(What.DOCUMENT_REMOVED, by=by, about=document, after=after)
    withdraw_questions()
    return takedown


def open_questions() -> QuerySet[Question]:
    """Select the questions about removed documents that are not settled."""
    return Question.objects.filter(document__takedown__isnull=False).exclude(state=Question.State.SETTLED)


@transaction.atomic
def withdraw_questions(limit: int = 500) -> int:
    """Settle the questions about removed documents by the votes that are in, without asking anybody more.

    A submission that was read before the removal may ask about the document after it, so this is a stage of
    the pipeline too. Safe to run twice, and at the same time as itself.

    Returns
    -------
    int
        How many were settled; at most `limit`.
    """
    questions = list(
        open_questions()
        .select_related("document")
        .order_by("pk")
        .select_for_update(no_key=True, of=("self",), skip_locked=True)[:limit]
    )
    votes: dict[int, list[Response]] = defaultdict(list)
    for response in Response.objects.filter(question__in=questions, is_valid=True, is_expert=False):
        votes[response.question_id].append(response)
    labels.settle_without_more({question: votes[question.pk] for question in questions})
    return len(questions)
