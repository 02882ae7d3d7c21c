"""Documents: the texts that systems read."""

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.data.readers import closed_words, may_read
from annotations.models import Corpus, Document
from annotations.searching import search_documents
from kbpo.api.base import ApiView, answer
from kbpo.api.paging import PageQuery, page_of, page_serializer, read_query
from kbpo.api.resources.corpora import find_corpus
from kbpo.core.errors import KbpoError, NotAllowed
from kbpo_formats.normal import nfc


class Removed(KbpoError):
    """The text of the document was removed."""

    status = 410


class DocumentSerializer(serializers.ModelSerializer[Document]):
    """A document without its text."""

    is_removed = serializers.SerializerMethodField(help_text="Whether its text was removed.")

    class Meta:
        model = Document
        fields: tuple[str, ...] = ("doc_id", "title", "date", "is_removed")

    def get_is_removed(self, document: Document) -> bool:
        """Say whether it was."""
        return hasattr(document, "takedown")


class WholeDocumentSerializer(DocumentSerializer):
    """A document. Positions in files and labels count the characters (code points) of its text."""

    class Meta(DocumentSerializer.Meta):
        fields = (*DocumentSerializer.Meta.fields, "text")


class DocumentQuery(PageQuery):
    """Which documents."""

    q = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=200,
        help_text='Words that must occur, "a phrase", -without; or a part of an id or title.',
    )


class DocumentsView(ApiView):
    """The documents of a corpus."""

    is_public = True

    @extend_schema(
        operation_id="list_documents",
        parameters=[DocumentQuery],
        responses=page_serializer(DocumentSerializer),
    )
    def get(self, request: Request, tag: str) -> Response:
        """List the documents of a corpus, in the order in which they were loaded; or find some.

        403 to those who may not read its texts, as its data page has it.
        """
        asked = read_query(DocumentQuery, request)
        found = search_documents(find_open(request, tag), asked["q"]).select_related("takedown")
        page = page_of(found.defer("text", "suggestions"), request, asked)
        return answer(page_serializer(DocumentSerializer)(page))


class DocumentView(ApiView):
    """A document."""

    is_public = True
    refuses = {"GET": (410,)}

    @extend_schema(operation_id="read_document", responses=WholeDocumentSerializer)
    def get(self, request: Request, tag: str, doc_id: str) -> Response:
        """Return a document with its text; 410 if that was removed, 403 to those who may not read it."""
        documents = Document.objects.select_related("takedown").filter(corpus=find_open(request, tag))
        found = get_object_or_404(documents, doc_id=nfc(doc_id))
        if hasattr(found, "takedown"):
            raise Removed(f"The text of {doc_id} was removed from the corpus.")
        return answer(WholeDocumentSerializer(found))


def find_open(request: Request, tag: str) -> Corpus:
    """Find a corpus whose texts the caller may read."""
    corpus = find_corpus(tag)
    if not may_read(request.user, corpus):
        raise NotAllowed(closed_words(corpus))
    return corpus
