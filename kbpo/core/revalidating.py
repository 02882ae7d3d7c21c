"""Caching of pages that are the same for every visitor: caches keep them and ask each time if they changed.

`ConditionalGetMiddleware` computes their ETags.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers

PUBLIC, PRIVATE = "public, no-cache", "private"

View = Callable[..., HttpResponseBase]


def public_page(view: View) -> View:
    """Let anybody cache what a visitor is sent; pages of people who are signed in stay private."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        if response.status_code == 200 and _is_anybodys(request) and not _is_for_one(request, response):
            response.headers.setdefault("Cache-Control", PUBLIC)
            patch_vary_headers(response, ["Cookie"])
        return response

    return answer


def _is_anybodys(request: HttpRequest) -> bool:
    """Return whether a request has no session, token or waiting message that tells who asks."""
    named = {settings.SESSION_COOKIE_NAME, "messages"} & request.COOKIES.keys()
    return request.method in ("GET", "HEAD") and not named and "Authorization" not in request.headers


def _is_for_one(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Return whether an answer sets a cookie, or has a form with a token of one visitor."""
    has_form = bool(request.META.get("CSRF_COOKIE_NEEDS_UPDATE"))
    session = getattr(request, "session", None)
    return bool(response.cookies) or has_form or (session is not None and session.modified)
