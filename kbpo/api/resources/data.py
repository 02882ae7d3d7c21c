"""A corpus' files: its texts, what may be said of them, samples."""

from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from evaluation.views import data
from kbpo.api.base import ApiView
from kbpo.api.paging import answer_all, page_serializer
from kbpo.api.resources.corpora import find_corpus
from kbpo.api.resources.files import RANGE

FILE = "application/octet-stream"  # whatever is in it: a program knows it by its name
_BINARY = OpenApiResponse(OpenApiTypes.BINARY, description="The file.")
_REST = OpenApiResponse(
    OpenApiTypes.BINARY, description="What follows the bytes that `Range` says are there."
)


class DataFileSerializer(serializers.Serializer[data.Listed]):
    """One of a corpus' files."""

    name = serializers.CharField()
    what = serializers.CharField(help_text="In words.")
    size = serializers.IntegerField(
        allow_null=True, help_text="In bytes; null where it is made as it is sent, or not made yet."
    )
    digest = serializers.CharField(help_text="Its SHA-256; empty where the size is null.")
    is_open = serializers.BooleanField(help_text="Whether the caller may download it now.")


class DataView(ApiView):
    """A corpus' files."""

    is_public = True

    @extend_schema(operation_id="list_data", responses=page_serializer(DataFileSerializer))
    def get(self, request: Request, tag: str) -> Response:
        """List a corpus' files: all on one page."""
        return answer_all(DataFileSerializer, data.list_files(find_corpus(tag), request.user))


class DataFileView(ApiView):
    """One of a corpus' files."""

    is_public = True

    @extend_schema(
        operation_id="read_data",
        parameters=[RANGE],
        responses={
            (200, FILE): _BINARY,
            (206, FILE): _REST,
            (202, "text/plain"): OpenApiResponse(
                OpenApiTypes.STR, description="It is being made: come again after `Retry-After` seconds."
            ),
        },
    )
    def get(self, request: Request, tag: str, name: str) -> HttpResponseBase:
        """Return one of a corpus' files; its ETag is its SHA-256, where that is known before.

        403 where its texts are not open to the caller, or have no licence: `detail` says what opens them.
        """
        response = data.send(request._request, find_corpus(tag), name)
        if response.status_code in (200, 206):
            response.headers["Content-Type"] = FILE
        return response
