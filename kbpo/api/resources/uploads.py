"""Uploads: files in pieces, after the tus protocol 1.0 (core, creation, expiration, termination)."""

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any, cast
from uuid import UUID

from django.http import Http404, HttpRequest
from django.utils import timezone
from django.utils.http import http_date
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from evaluation.models import Upload
from evaluation.submissions import uploads
from kbpo.accounts.models import User
from kbpo.api.base import ApiView, answer
from kbpo.api.paging import answer_all, page_serializer
from kbpo.core.errors import InvalidInput
from kbpo.core.numbers import whole_number
from kbpo.core.uploading import MOST_BYTES

VERSION = "1.0.0"
EXTENSIONS = "creation,expiration,termination"
MOST_NUMBER = 2**53 - 1  # that a browser counts with
PIECE_TYPE = "application/offset+octet-stream"


class WrongVersion(InvalidInput):
    """The client speaks another version of the protocol."""

    status = 412


class WrongType(InvalidInput):
    """A piece is not declared as one."""

    status = 415


class SameBytesSerializer(serializers.Serializer[Any]):
    """A submission of one of the caller's teams with the same bytes, that was judged or may be."""

    name = serializers.CharField()
    corpus = serializers.CharField(source="corpus.tag")
    at = serializers.DateTimeField(source="uploaded_at")
    url = serializers.CharField(source="get_absolute_url", help_text="Of its page.")


class UploadSerializer(serializers.ModelSerializer[Upload]):
    """How far an upload is."""

    offset = serializers.IntegerField(help_text="How many of its bytes are here.")

    class Meta:
        model = Upload
        fields: tuple[str, ...] = ("id", "name", "size", "modified", "offset", "digest", "expires_at")


class WholeUploadSerializer(UploadSerializer):
    """How far an upload is, and what has the same bytes, in any corpus, once all of it is here."""

    same_bytes = serializers.SerializerMethodField()

    class Meta(UploadSerializer.Meta):
        fields = (*UploadSerializer.Meta.fields, "same_bytes")

    @extend_schema_field(SameBytesSerializer(many=True))
    def get_same_bytes(self, upload: Upload) -> Any:
        """Return the submissions of the caller's teams that had the same."""
        return SameBytesSerializer(uploads.same_bytes(upload), many=True).data


def attachments_field() -> serializers.DictField:
    """Return the field for what comes beside a file, which `whole_attachments` looks up."""
    return serializers.DictField(
        child=serializers.UUIDField(),
        required=False,
        default=dict,
        help_text="What comes beside it, uploads that have arrived in full: by name, as `metrics`.",
    )


def whole_attachments(user: User, named: Mapping[str, UUID]) -> dict[str, Upload]:
    """Return the uploads that come beside a file, by name."""
    return {name: uploads.whole(user=user, pk=pk) for name, pk in named.items()}


def _header(name: str, words: str) -> OpenApiParameter:
    return OpenApiParameter(name, OpenApiTypes.STR, OpenApiParameter.HEADER, required=True, description=words)


_TUS = _header("Tus-Resumable", "1.0.0")
_DONE = OpenApiResponse(description="Done; the headers say how far it is.")


def _says(status: int, *names: str) -> list[OpenApiParameter]:
    """Describe headers of an answer."""
    return [
        OpenApiParameter(
            name, OpenApiTypes.STR, OpenApiParameter.HEADER, response=[status], description=words
        )
        for name, words in (
            ("Location", "Its address."),
            ("Upload-Length", "Bytes of the file."),
            ("Upload-Offset", "How many of them are here."),
            ("Upload-Expires", "When it is thrown away, unless it is gone on with."),
        )
        if name in names
    ]


class _TusView(ApiView):
    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if request.method not in ("GET", "OPTIONS") and request.headers.get("Tus-Resumable") != VERSION:
            raise WrongVersion(f"this server speaks version {VERSION}", where="Tus-Resumable")

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response.headers["Tus-Resumable"] = response.headers["Tus-Version"] = VERSION
        response.headers["Cache-Control"] = "no-store"
        return super().finalize_response(request, response, *args, **kwargs)

    def options(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Response:
        """Say what this server can."""
        headers = {"Tus-Extension": EXTENSIONS, "Tus-Max-Size": str(MOST_BYTES)}
        return Response(status=204, headers=headers)


class UploadsView(_TusView):
    """The caller's uploads."""

    refuses = {"POST": (409, 412, 413, 507)}

    @extend_schema(operation_id="list_uploads", responses=page_serializer(UploadSerializer))
    def get(self, request: Request) -> Response:
        """List the caller's uploads that are kept, the newest first: all on one page."""
        found = Upload.objects.filter(user=cast(User, request.user), expires_at__gt=timezone.now())
        return answer_all(UploadSerializer, found)

    @extend_schema(
        operation_id="announce_upload",
        parameters=[
            _TUS,
            _header("Upload-Length", "Bytes of the file."),
            _header(
                "Upload-Metadata",
                "Comma-separated: `filename`, and if you like `lastmodified` (milliseconds since 1970) and"
                " `sha256` (hexadecimal), each with a space and its value in base64.",
            ),
            *_says(201, "Location", "Upload-Expires"),
        ],
        request=None,
        responses={201: OpenApiResponse(description="`Location` is its address.")},
    )
    def post(self, request: Request) -> Response:
        """Announce a file that is to be sent in pieces."""
        metadata = _metadata(request.headers.get("Upload-Metadata", ""))
        upload = uploads.create(
            user=cast(User, request.user),
            name=metadata.get("filename", ""),
            size=_number(request, "Upload-Length"),
            modified=_modified(metadata),
            digest=metadata.get("sha256", "").lower(),
        )
        address = request.build_absolute_uri(f"{upload.pk}/")
        return Response(status=201, headers={"Location": address, **_expiry(upload)})


class UploadView(_TusView):
    """One upload of the caller's."""

    refuses = {"HEAD": (412,), "PATCH": (409, 412, 423, 460, 507), "DELETE": (409, 412, 423)}

    @extend_schema(
        operation_id="measure_upload",
        parameters=[_TUS, *_says(200, "Upload-Length", "Upload-Offset", "Upload-Expires")],
        request=None,
        responses={200: _DONE},
    )
    def head(self, request: Request, pk: UUID) -> Response:
        """Return how many bytes have arrived, in headers, and keep the upload for another day."""
        upload = self._find(request, pk)
        uploads.keep_longer(upload=upload)
        return Response(
            headers={"Upload-Length": str(upload.size), **_offset(upload.offset), **_expiry(upload)}
        )

    @extend_schema(operation_id="read_upload", responses=WholeUploadSerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        """Return how far it is, and whether the same bytes were submitted before."""
        return answer(WholeUploadSerializer(self._find(request, pk)))

    @extend_schema(
        operation_id="send_piece",
        parameters=[
            _TUS,
            _header("Upload-Offset", "Where the piece begins: how many bytes are here."),
            *_says(204, "Upload-Offset", "Upload-Expires"),
        ],
        request={PIECE_TYPE: OpenApiTypes.BINARY},
        responses={204: _DONE},
    )
    def patch(self, request: Request, pk: UUID) -> Response:
        """Add a piece; the last one makes it whole."""
        if request.content_type != PIECE_TYPE:
            raise WrongType(f"a piece is sent as {PIECE_TYPE}", where="Content-Type")
        offset = _number(request, "Upload-Offset")
        upload = self._find(request, pk)
        here = uploads.append(
            upload=upload,
            offset=offset,
            stream=request._request,
            length=whole_number(request.headers.get("Content-Length", ""), MOST_NUMBER),
        )
        upload = self._find(request, pk)
        return Response(status=204, headers={**_offset(here), **_expiry(upload)})

    @extend_schema(
        operation_id="discard_upload",
        parameters=[_TUS],
        responses={204: OpenApiResponse(description="Gone.")},
    )
    def delete(self, request: Request, pk: UUID) -> Response:
        """Throw it away."""
        uploads.discard(upload=self._find(request, pk))
        return Response(status=204)

    def _find(self, request: Request, pk: UUID) -> Upload:
        upload = Upload.objects.filter(pk=pk, user=cast(User, request.user)).first()
        if upload is None:
            raise Http404("no such upload")
        return upload


def _number(request: Request, name: str) -> int:
    given = request.headers.get(name, "")
    number = whole_number(given, MOST_NUMBER)
    if number is None:
        raise InvalidInput(f"{given[:40]!r} is no number of bytes", where=name)
    return number


def _modified(metadata: dict[str, str]) -> int | None:
    """Return when the file was changed last; None where the browser does not say, or says before 1970."""
    given = metadata.get("lastmodified", "")
    if not given or re.fullmatch(r"-[0-9]{1,16}", given):
        return None
    number = whole_number(given, MOST_NUMBER)
    if number is None:
        raise InvalidInput(f"{given[:40]!r} is no number of milliseconds", where="lastmodified")
    return number


def _metadata(header: str) -> dict[str, str]:
    found = {}
    for pair in header.split(",") if header else []:
        key, _, value = pair.strip().partition(" ")
        try:
            found[key.lower()] = base64.b64decode(value, validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            raise InvalidInput(
                f"the value of {key!r} is not UTF-8 in base64", where="Upload-Metadata"
            ) from None
    return found


def _offset(offset: int) -> dict[str, str]:
    return {"Upload-Offset": str(offset)}


def _expiry(upload: Upload) -> dict[str, str]:
    return {"Upload-Expires": http_date(upload.expires_at.timestamp())}
