"""How much there is in documents, as far as a viewer may see it: reads only."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from django.db.models import Count, QuerySet

from annotations.models import AnnotatedMention, AnnotatedRelation, Corpus, Document, DocumentAnnotation
from evaluation.kbp.recall.annotated import read_annotations
from evaluation.kbp.recall.exhaustive import readable
from evaluation.models import Prediction
from evaluation.submissions.visibility import Viewer, systems_of


@dataclass(frozen=True, slots=True)
class Counts:
    """What there is in a document.

    Attributes
    ----------
    claims, systems : int
        Different claims, and the systems that make them.
    mentions, relations : int or None
        That people marked; None where the viewer may not see them, or nobody has finished.
    """

    claims: int = 0
    systems: int = 0
    mentions: int | None = None
    relations: int | None = None


def only_marked(documents: QuerySet[Document], viewer: Viewer, corpus: Corpus) -> QuerySet[Document]:
    """Select the documents of which the viewer may see what people marked."""
    complete = DocumentAnnotation.objects.filter(completed_at__isnull=False).values("document")
    return documents.filter(pk__in=readable(viewer, corpus).filter(pk__in=complete).values("pk"))


def read_counts(document_ids: Collection[int], viewer: Viewer, corpus: Corpus) -> Mapping[int, Counts]:
    """Count what there is in some documents, with a fixed number of queries."""
    counts = dict.fromkeys(document_ids, Counts())
    seen = systems_of(viewer, corpus).values("pk")
    claimed = (
        Prediction.objects.filter(instance__document__in=list(document_ids), submission__in=seen)
        .order_by()
        .values_list("instance__document")
        .annotate(Count("instance", distinct=True), Count("submission", distinct=True))
    )
    for document_id, claims, makers in claimed:
        counts[document_id] = Counts(claims, makers)
    open_ones = readable(viewer, corpus).filter(pk__in=list(document_ids)).values_list("pk", flat=True)
    annotations = read_annotations(list(open_ones))
    mentions = _by_annotation(AnnotatedMention.objects.all(), annotations.values())
    relations = _by_annotation(AnnotatedRelation.objects.all(), annotations.values())
    for document_id, annotation_id in annotations.items():
        counts[document_id] = replace(
            counts[document_id],
            mentions=mentions.get(annotation_id, 0),
            relations=relations.get(annotation_id, 0),
        )
    return counts


def _by_annotation(
    rows: "QuerySet[AnnotatedMention] | QuerySet[AnnotatedRelation]", annotation_ids: Collection[int]
) -> dict[int, int]:
    found = rows.filter(annotation__in=list(annotation_ids)).order_by()
    return dict(found.values_list("annotation").annotate(Count("pk")))
