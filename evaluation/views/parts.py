"""The rest of a file, for whoever has the beginning: a download that was interrupted goes on."""

import io
import re
from typing import BinaryIO

from django.http import FileResponse, HttpRequest
from django.http.response import HttpResponseBase

_REST = re.compile(r"bytes=([0-9]{1,18})-")


def send_file(request: HttpRequest, stream: BinaryIO, *, name: str, kind: str, etag: str) -> HttpResponseBase:
    """Send an open file, or, where ``Range: bytes=N-`` asks for it, what follows its first N bytes.

    Another range than that, or one of another file (``If-Range``), is answered by all of it, as RFC 9110
    allows. It is closed with the answer.
    """
    size = stream.seek(0, io.SEEK_END)
    asked = _REST.fullmatch(request.headers.get("Range", ""))
    is_same = request.headers.get("If-Range", etag) == etag
    start = int(asked[1]) if asked and is_same and request.method == "GET" else 0
    start = start if start < size else 0
    stream.seek(start)
    response = FileResponse(stream, as_attachment=True, filename=name, content_type=kind)
    response.headers["Accept-Ranges"] = "bytes"
    response.headers["ETag"] = etag
    if start:
        response.status_code = 206
        response.headers["Content-Range"] = f"bytes {start}-{size - 1}/{size}"
    return response
