"""What the crowd says of whole documents: its mentions, as settled from the answers."""

from collections.abc import Collection, Sequence

from django.db import transaction
from django.db.models import Exists, OuterRef

from annotations import pairs, selectors
from annotations.aggregation import tokens
from annotations.aggregation.tokens import Outcome
from annotations.entities import EntitiesQuestion
from annotations.models import AnnotatedMention, Document, DocumentAnnotation, Question, Response
from annotations.records import AnnotationRecord, MentionRecord
from kbpo.core.errors import InvalidInput
from kbpo.core.nudge import nudge


@transaction.atomic
def store_mentions(
    *, document: Document, asked: EntitiesQuestion, marked: Sequence[Sequence[MentionRecord]]
) -> DocumentAnnotation:
    """Store what the votes on a document amount to, as the crowd's annotation, which then lacks relations.

    Where the crowd's annotation says just that already it stays; else a complete one stays until this one is.

    Parameters
    ----------
    document : Document
    asked : EntitiesQuestion
        With its passage.
    marked : sequence of sequences of MentionRecord
        What each voter marked.
    """
    mentions = _settle(asked, marked).records
    there = document.annotations.filter(source=DocumentAnnotation.Source.CROWD).order_by("completed_at")
    same = next((one for one in there if set(pairs.read_record(one).mentions) == set(mentions)), None)
    in_work = there.filter(completed_at=None)
    if same is not None:
        in_work.exclude(pk=same.pk).delete()
        return same
    in_work.delete()
    annotation = DocumentAnnotation.objects.create(
        document=document,
        source=DocumentAnnotation.Source.CROWD,
        digest=AnnotationRecord(document.doc_id, mentions, ()).digest,
    )
    AnnotatedMention.objects.bulk_create(
        AnnotatedMention(
            annotation=annotation,
            start=mention.span.start,
            end=mention.span.end,
            type=mention.type,
            canonical_start=mention.canonical.start,
            canonical_end=mention.canonical.end,
            link=mention.link,
        )
        for mention in mentions
    )
    nudge("kbpo.pipeline.settle_documents")
    return annotation


@transaction.atomic
def reopen_documents(*, questions: Collection[int]) -> int:
    """Have documents settled again of whose votes one does not count any more.

    Such a question is open again. With enough votes left it is settled by those, else it waits for another.
    What an expert has said stays, and so does what is published.

    Parameters
    ----------
    questions : collection of int
        Row ids, of any questions, which the caller has locked.

    Returns
    -------
    int
        How many are open again.
    """
    by_expert = Response.objects.filter(question=OuterRef("pk"), is_expert=True, is_valid=True)
    reopened = Question.objects.filter(
        ~Exists(by_expert),
        pk__in=questions,
        kind=Question.Kind.ENTITIES,
        state=Question.State.SETTLED,
        published_at=None,
    ).update(state=Question.State.OPEN, settled_at=None)
    if reopened:
        nudge("kbpo.pipeline.settle_questions")
    return reopened


def outcome(question: Question) -> Outcome:
    """Settle a document's mentions again from the answers, with all votes, ties and disagreements.

    Raises
    ------
    InvalidInput
        If the question is of another kind.
    """
    asked = selectors.read_asked([question])[question.pk]
    if not isinstance(asked, EntitiesQuestion):
        raise InvalidInput(f"{question} is not about the mentions of a whole document")
    return _settle(asked, selectors.marked_by(question, asked))


def _settle(asked: EntitiesQuestion, marked: Sequence[Sequence[MentionRecord]]) -> Outcome:
    assert asked.passage is not None, "mentions are settled word by word"
    return tokens.settle(asked.passage.tokens, marked)
