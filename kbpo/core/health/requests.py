"""A line in the log for each request, and an id by which its other lines are found."""

import logging
import re
import secrets
import time
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.functional import SimpleLazyObject

from kbpo.core.clients import comes_from_proxy
from kbpo.core.health import logs

logger = logging.getLogger("kbpo.requests")

HEADER = "X-Request-ID"
#: What is taken over: as a UUID, or what proxies make up; nothing that could be taken for more lines.
_WELL_FORMED = re.compile(r"[A-Za-z0-9_.=+/-]{8,128}")

Respond = Callable[[HttpRequest], HttpResponseBase]


def log_requests(get_response: Respond) -> Respond:
    """Give each request an id, send it back, and write a line when it is answered."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        request_id = _given(request) or secrets.token_hex(8)
        started = time.perf_counter()
        with logs.about(request=request_id):
            response = get_response(request)
            milliseconds = round(1000 * (time.perf_counter() - started), 1)
            path = request.path  # without the query, which may be a search, or a secret
            told: dict[str, object] = {
                "method": request.method,
                "path": path,
                "status": response.status_code,
                "ms": milliseconds,
            }
            user = _asker(request)
            if user is not None and user.pk is not None:
                told["user"] = user.pk
            logger.info(
                "%s %s %d", request.method, _in_a_line(path), response.status_code, extra={"about": told}
            )
        response.headers[HEADER] = request_id
        return response

    return middleware


def _asker(request: HttpRequest) -> Any:
    """Return whom a token names, or a session if somebody looked: no query is made for the log."""
    user = getattr(request, "user", None)
    return getattr(request, "_cached_user", None) if isinstance(user, SimpleLazyObject) else user


def _given(request: HttpRequest) -> str:
    """Return the id that a trusted proxy gave the request; empty where it is none."""
    given = request.headers.get(HEADER, "")
    return given if comes_from_proxy(request) and _WELL_FORMED.fullmatch(given) else ""


def _in_a_line(path: str) -> str:
    return "".join(character if character.isprintable() else "�" for character in path)
