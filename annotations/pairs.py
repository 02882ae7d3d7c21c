"""The relations of documents that the crowd annotates: asked of each pair of mentions, settled together."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import combinations

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from annotations import ontologies, questions, selectors
from annotations.kinds import relation
from annotations.kinds.relation import Mention
from annotations.models import AnnotatedRelation, DocumentAnnotation, Label, Question
from annotations.texts.records import AnnotationRecord, MentionRecord, check_terms
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.spans import Span


def pairs(
    mentions: Sequence[MentionRecord], sentences: Iterable[Sequence[Span]], ontology: Ontology
) -> list[tuple[Mention, Mention]]:
    """List the pairs of mentions within a sentence between which a relation may hold.

    Two mentions of one entity are no pair, and neither are two that overlap, unless one lies inside the
    other: the president in "[[President] Ash]" is a title of hers.

    Parameters
    ----------
    mentions : sequence of MentionRecord
    sentences : iterable of sequence of Span
        The tokens of each. A mention is in every sentence of which it has a word.
    ontology : Ontology
        What may hold between which types.

    Returns
    -------
    list
        Each pair once, in the order of the text.
    """
    found = set()
    for sentence in sentences:
        if not sentence:
            continue
        extent = Span(sentence[0].start, sentence[-1].end)
        inside = sorted(mention for mention in mentions if mention.span.overlaps(extent))
        found |= {pair for pair in combinations(inside, 2) if _may_be_related(*pair, ontology)}
    return [(Mention(one.span, one.type), Mention(other.span, other.type)) for one, other in sorted(found)]


def settle_documents(*, now: datetime, limit: int = 100) -> int:
    """Ask about the relations of documents whose mentions are settled, and complete those that are answered.

    Safe to run twice, and at the same time as itself; each document is one transaction.

    Parameters
    ----------
    now : datetime
        Aware.
    limit : int
        At most so many documents in each of the two steps, the oldest first.

    Returns
    -------
    int
        How many documents moved on.
    """
    moved = 0
    for due, act in ((_unasked, _ask), (_answered, _complete)):
        for pk in list(due().order_by("pk").values_list("pk", flat=True)[:limit]):
            with transaction.atomic():
                annotation = (
                    due()
                    .filter(pk=pk)
                    .select_related("document")
                    .select_for_update(of=("self",), skip_locked=True)
                    .first()
                )
                if annotation is not None:
                    act(annotation, now)
                    moved += 1
    return moved


def _may_be_related(one: MentionRecord, other: MentionRecord, ontology: Ontology) -> bool:
    if (one.type, one.canonical) == (other.type, other.canonical):
        return False
    if not ontology.options(one.type, other.type):
        return False
    if not one.span.overlaps(other.span):
        return True
    return one.span != other.span and (one.span.contains(other.span) or other.span.contains(one.span))


def _unasked() -> QuerySet[DocumentAnnotation]:
    return DocumentAnnotation.objects.filter(source=DocumentAnnotation.Source.CROWD, asked_at=None)


def _answered() -> QuerySet[DocumentAnnotation]:
    open_ones = Question.objects.filter(annotations=OuterRef("pk")).exclude(state=Question.State.SETTLED)
    return DocumentAnnotation.objects.filter(
        ~Exists(open_ones),
        source=DocumentAnnotation.Source.CROWD,
        asked_at__isnull=False,
        completed_at=None,
    )


def _ask(annotation: DocumentAnnotation, now: datetime) -> None:
    passage = selectors.read_passages([annotation.document])[annotation.document_id]
    ontology = ontologies.of_documents([annotation.document_id])[annotation.document_id]
    found = pairs(selectors.read_record(annotation).mentions, passage.sentences, ontology)
    annotation.questions.set(questions.ask_pairs(annotation.document_id, found))
    annotation.asked_at = now
    annotation.save(update_fields=["asked_at"])


def _complete(annotation: DocumentAnnotation, now: datetime) -> None:
    """Make relations of the labels: the pair of each question stands in each that was found true."""
    asked = {one.pk: relation.KIND.read(one.payload) for one in annotation.questions.all()}
    ontology = ontologies.of_documents([annotation.document_id])[annotation.document_id]
    true = Label.objects.filter(question__in=asked, value=1).values_list("question_id", "claim")
    relations = sorted({asked[question_id].relation(claim) for question_id, claim in true})
    check_terms(AnnotationRecord(annotation.document.doc_id, (), tuple(relations)), ontology)
    AnnotatedRelation.objects.bulk_create(
        AnnotatedRelation(
            annotation=annotation,
            predicate=one.predicate,
            subject_start=one.subject.start,
            subject_end=one.subject.end,
            object_start=one.object.start,
            object_end=one.object.end,
        )
        for one in relations
    )
    annotation.digest = selectors.read_record(annotation).digest
    annotation.completed_at = now
    annotation.document.annotations.filter(source=annotation.source, completed_at__isnull=False).delete()
    annotation.save(update_fields=["digest", "completed_at"])
