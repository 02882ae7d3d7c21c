"""What the crowd says of whole documents: its mentions, as settled from the answers."""

from collections.abc import Sequence

from django.db import transaction

from annotations import ontologies, selectors
from annotations.models import AnnotatedMention, Document, DocumentAnnotation
from annotations.texts.records import AnnotationRecord, MentionRecord, check_terms
from kbpo.core.clock.nudge import nudge


@transaction.atomic
def store_mentions(*, document: Document, mentions: Sequence[MentionRecord]) -> DocumentAnnotation:
    """Store what the votes on a document amount to, as the crowd's annotation, which then lacks relations.

    Where the crowd's annotation says just that already it stays; else a complete one stays until this one is.

    Parameters
    ----------
    document : Document
    mentions : sequence of MentionRecord
        As settled.

    Raises
    ------
    InvalidInput
        If one is of a type that the corpus' ontology has not.
    """
    ontology = ontologies.of_documents([document.pk])[document.pk]
    check_terms(AnnotationRecord(document.doc_id, tuple(mentions), ()), ontology)
    there = document.annotations.filter(source=DocumentAnnotation.Source.CROWD).order_by("completed_at")
    same = next((one for one in there if set(selectors.read_record(one).mentions) == set(mentions)), None)
    in_work = there.filter(completed_at=None)
    if same is not None:
        in_work.exclude(pk=same.pk).delete()
        return same
    in_work.delete()
    annotation = DocumentAnnotation.objects.create(
        document=document,
        source=DocumentAnnotation.Source.CROWD,
        digest=AnnotationRecord(document.doc_id, tuple(mentions), ()).digest,
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
