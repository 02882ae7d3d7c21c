"""The upload API: files in pieces, after the tus protocol 1.0 (core, creation, expiration, termination).

``POST /api/uploads/``
    with ``Upload-Length`` and ``Upload-Metadata: filename …[,lastmodified …][,sha256 …]`` (values in base64)
    announces a file; the answer's ``Location`` is its address.
``PATCH`` there
    with ``Upload-Offset`` and ``Content-Type: application/offset+octet-stream`` adds a piece.
``HEAD``, or ``GET`` in JSON
    says how far it is.
``DELETE``
    throws it away.

A session and its CSRF token are needed, and ``Tus-Resumable: 1.0.0`` in every request but GET. A whole upload
is handed in, or checked, by naming its id in the form.
"""

import base64
import binascii
import re
from typing import Any, cast
from uuid import UUID

from django.http import Http404, HttpRequest
from django.utils.http import http_date
from rest_framework import serializers
from rest_framework.authentication import SessionAuthentication
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evaluation.models import Upload
from evaluation.submissions import uploads
from kbpo.accounts.models import User
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


class _TusView(APIView):
    authentication_classes = [SessionAuthentication]
    permission_classes = [IsAuthenticated]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if request.method not in ("GET", "OPTIONS") and request.headers.get("Tus-Resumable") != VERSION:
            raise WrongVersion(f"this server speaks version {VERSION}", where="Tus-Resumable")

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        response["Tus-Resumable"] = response["Tus-Version"] = VERSION
        response["Cache-Control"] = "no-store"
        return response

    def options(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Response:
        """Say what this server can."""
        headers = {"Tus-Extension": EXTENSIONS, "Tus-Max-Size": str(MOST_BYTES)}
        return Response(status=204, headers=headers)


class UploadsView(_TusView):
    """Announcing a file."""

    def post(self, request: Request) -> Response:
        """Answer with the new upload's address."""
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
    """One upload of the user's."""

    class UploadSerializer(serializers.ModelSerializer[Upload]):
        """How far it is; `same_bytes` are the submissions that had the same, once all of it is here."""

        offset = serializers.IntegerField()

        class Meta:
            model = Upload
            fields = ["id", "name", "size", "modified", "offset", "digest", "expires_at"]

    def head(self, request: Request, pk: UUID) -> Response:
        """Say how far it is, in headers."""
        upload = self._find(request, pk)
        return Response(
            headers={"Upload-Length": str(upload.size), **_offset(upload.offset), **_expiry(upload)}
        )

    def get(self, request: Request, pk: UUID) -> Response:
        """Say how far it is, and whether the same bytes were handed in before."""
        upload = self._find(request, pk)
        same = [
            {"name": one.name, "corpus": one.corpus.tag, "at": one.uploaded_at, "url": one.get_absolute_url()}
            for one in uploads.same_bytes(upload)
        ]
        return Response({**self.UploadSerializer(upload).data, "same_bytes": same})

    def patch(self, request: Request, pk: UUID) -> Response:
        """Add a piece."""
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
