"""Documents that were annotated in full and are retired, with every mention and relation in them."""

from typing import Any

from django.db.models import Prefetch
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.models import AnnotatedMention, AnnotatedRelation, Document, DocumentAnnotation
from evaluation.kbp.recall import exhaustive
from kbpo.api.base import ApiView, answer
from kbpo.api.paging import PageQuery, page_of, page_serializer, read_query
from kbpo.api.resources.documents import find_open
from kbpo_formats.normal import nfc


class AnnotatedMentionSerializer(serializers.ModelSerializer[AnnotatedMention]):
    """A mention; ends are exclusive."""

    class Meta:
        model = AnnotatedMention
        fields = ("start", "end", "type", "canonical_start", "canonical_end", "link")


class AnnotatedRelationSerializer(serializers.ModelSerializer[AnnotatedRelation]):
    """A true relation between two mentions."""

    class Meta:
        model = AnnotatedRelation
        fields = ("predicate", "subject_start", "subject_end", "object_start", "object_end")


class AnnotationSerializer(serializers.ModelSerializer[DocumentAnnotation]):
    """Everything that one source says of a document."""

    mentions = AnnotatedMentionSerializer(many=True)
    relations = AnnotatedRelationSerializer(many=True)

    class Meta:
        model = DocumentAnnotation
        fields = ("source", "digest", "mentions", "relations")


class AnnotatedDocumentSerializer(serializers.Serializer[Document]):
    """A retired document."""

    doc_id = serializers.CharField()
    annotations = serializers.SerializerMethodField(help_text="One of each source.")

    @extend_schema_field(AnnotationSerializer(many=True))
    def get_annotations(self, document: Document) -> Any:
        """Return what is complete."""
        return AnnotationSerializer(document.whole, many=True).data  # type: ignore[attr-defined]


class AnnotatedQuery(PageQuery):
    """Which documents."""

    doc_id = serializers.CharField(required=False, max_length=200, help_text="Only this document.")


class AnnotationsView(ApiView):
    """The documents of a corpus that were annotated in full and are retired."""

    is_public = True

    @extend_schema(
        operation_id="list_annotations",
        parameters=[AnnotatedQuery],
        responses=page_serializer(AnnotatedDocumentSerializer),
    )
    def get(self, request: Request, tag: str) -> Response:
        """List retired documents with every mention and relation in them; none while all are sealed.

        403 to those who may not read the corpus' texts. A text that was removed has none any more.
        """
        asked = read_query(AnnotatedQuery, request)
        found = exhaustive.opened(find_open(request, tag)).filter(takedown__isnull=True)
        if "doc_id" in asked:
            found = found.filter(doc_id=nfc(asked["doc_id"]))
        whole = DocumentAnnotation.objects.filter(completed_at__isnull=False).order_by("source")
        rows = Prefetch("annotations", whole.prefetch_related("mentions", "relations"), to_attr="whole")
        # pages go by documents: row ids of mentions would tell how many there are in documents between
        page = page_of(found.only("pk", "doc_id").prefetch_related(rows), request, asked)
        return answer(page_serializer(AnnotatedDocumentSerializer)(page))
