"""Pages that are the same for everybody carry an ETag, so that who has one asks only whether it changed."""

from collections.abc import Callable
from functools import wraps
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers

PUBLIC, PRIVATE = "public, no-cache", "private"
"""Kept by anybody, who asks each time whether it has changed; kept by nobody but the one whom it is for."""

View = Callable[..., HttpResponseBase]


def is_anybodys(request: HttpRequest) -> bool:
    """Say whether nothing in a request tells who asks: no session, no token, no message that waits."""
    named = {settings.SESSION_COOKIE_NAME, "messages"} & request.COOKIES.keys()
    return request.method in ("GET", "HEAD") and not named and "Authorization" not in request.headers


def public_page(digest: Callable[..., str] | None = None) -> Callable[[View], View]:
    """Let whoever is not signed in keep a page, as long as its ETag is the same.

    Parameters
    ----------
    digest : callable, optional
        From the view's own arguments to what changes whenever the page does, cheaper than the page; by
        default the page itself is read. What is streamed needs one.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not is_anybodys(request):
                return view(request, *args, **kwargs)
            etag = _etag(digest(request, *args, **kwargs).encode()) if digest else ""
            found: HttpResponseBase | None = get_conditional_response(request, etag=etag) if etag else None
            if found is None:
                found = view(request, *args, **kwargs)
                if found.status_code != 200 or _is_for_one(request, found):
                    return found
                if isinstance(found, HttpResponse):  # else it is streamed, and `digest` says what it is of
                    etag = etag or _etag(found.content)
                    found = get_conditional_response(request, etag=etag, response=found) or found
            found.headers["ETag"] = etag
            found.headers.setdefault("Cache-Control", PUBLIC)
            patch_vary_headers(found, ["Cookie"])
            return found

        return answer

    return decorate


def _is_for_one(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Say whether an answer is one visitor's alone: it sets a cookie, or has a form with a token."""
    has_form = bool(request.META.get("CSRF_COOKIE_NEEDS_UPDATE"))
    session = getattr(request, "session", None)
    return bool(response.cookies) or has_form or (session is not None and session.modified)


def _etag(content: bytes) -> str:
    return f'"{sha256(content).hexdigest()[:32]}"'
