"""What the crowd says of whole documents: its mentions, as settled from the answers."""

from collections.abc import Sequence

from django.db import transaction

from annotations import selectors
from annotations.aggregation import tokens
from annotations.aggregation.tokens import Outcome
from annotations.entities import EntitiesQuestion
from annotations.models import AnnotatedMention, Document, DocumentAnnotation, Question
from annotations.records import AnnotationRecord, MentionRecord
from kbpo.core.errors import InvalidInput
from kbpo.core.nudge import nudge


@transaction.atomic
def store_mentions(
    *, document: Document, asked: EntitiesQuestion, marked: Sequence[Sequence[MentionRecord]]
) -> DocumentAnnotation:
    """Store what the votes on a document amount to, as the crowd's annotation, which then lacks relations.

    Parameters
    ----------
    document : Document
    asked : EntitiesQuestion
        With its passage.
    marked : sequence of sequences of MentionRecord
        What each voter marked.
    """
    mentions = _settle(asked, marked).records
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
