"""Pages that are the same for everybody carry an ETag, so that who has one asks only whether it changed.

Where it is known what a page changes with (`public_page`'s ``digest``), whoever asks for it first can have it
made for all who do not have it: it is kept, by what it changes with, for `KEPT` seconds.

The proxy in front is told that it may answer with such a page itself for `AT_THE_PROXY` seconds.
"""

import zlib
from collections.abc import Callable
from functools import wraps
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest
from django.http.response import HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers

from kbpo.core.running_code import code_digest

PUBLIC, PRIVATE = "public, no-cache", "private"
"""Kept by anybody, who asks each time whether it has changed; kept by nobody but the one whom it is for."""
KEPT = 60
"""Seconds for which a page is kept for whoever asks next; what is older changed with the minute anyway."""
AT_THE_PROXY = 1
"""Seconds for which the proxy sends a page to all who have neither a cookie nor a token, without asking.

It counts whole ones, from when it has the page: up to two.
"""
FASTEST = 1
"""How a kept page is compressed: to a tenth, in two milliseconds."""

View = Callable[..., HttpResponseBase]


def is_anybodys(request: HttpRequest) -> bool:
    """Say whether nothing in a request tells who asks: no session, no token, no message that waits."""
    named = {settings.SESSION_COOKIE_NAME, "messages"} & request.COOKIES.keys()
    return request.method in ("GET", "HEAD") and not named and "Authorization" not in request.headers


def public_page(digest: Callable[..., str] | None = None, *, is_kept: bool = False) -> Callable[[View], View]:
    """Let whoever is not signed in keep a page, as long as its ETag is the same.

    Parameters
    ----------
    digest : callable, optional
        From the view's own arguments to what changes whenever the page does, cheaper than the page; by
        default the page itself is read. What is streamed needs one. Another version of the code is another
        page.
    is_kept : bool
        Whether the page that one visitor had made is sent to the next: only if all that may take something
        off it at once is in the digest.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not is_anybodys(request):
                return view(request, *args, **kwargs)
            etag = _etag(f"{code_digest()}|{digest(request, *args, **kwargs)}".encode()) if digest else ""
            found: HttpResponseBase | None = get_conditional_response(request, etag=etag) if etag else None
            if found is None:
                place = _place(request, etag) if is_kept else ""
                found = _find_kept(place)
            if found is None:
                found = view(request, *args, **kwargs)
                if found.status_code != 200 or _is_for_one(request, found):
                    return found
                if isinstance(found, HttpResponse):  # else it is streamed, and `digest` says what it is of
                    _keep(place, request, found)
                    etag = etag or _etag(found.content)
                    found = get_conditional_response(request, etag=etag, response=found) or found
            found.headers["ETag"] = etag
            found.headers.setdefault("Cache-Control", PUBLIC)
            if not found.streaming and found.headers["Cache-Control"] == PUBLIC:
                found.headers["X-Accel-Expires"] = str(AT_THE_PROXY)  # nginx's; it hands it on to nobody
            patch_vary_headers(found, ["Cookie"])
            return found

        return answer

    return decorate


def _place(request: HttpRequest, etag: str) -> str:
    """Return where a page is kept: by what it changes with, its address, and the site's, which it may say."""
    asked = f"{etag}|{request.scheme}|{request.get_host()}|{request.get_full_path()}"
    return f"page|{sha256(asked.encode()).hexdigest()}"


def _find_kept(place: str) -> HttpResponse | None:
    kept = cache.get(place) if place else None
    if kept is None:
        return None
    content, content_type = kept
    return HttpResponse(zlib.decompress(content), content_type=content_type)


def _keep(place: str, request: HttpRequest, response: HttpResponse) -> None:
    """Keep a page, unless who asks has a form's cookie: it may have a token that is theirs alone."""
    if place and settings.CSRF_COOKIE_NAME not in request.COOKIES:
        content = zlib.compress(response.content, FASTEST)
        cache.set(place, (content, response.headers["Content-Type"]), KEPT)


def _is_for_one(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Say whether an answer is one visitor's alone: it sets a cookie, or has a form with a token."""
    has_form = bool(request.META.get("CSRF_COOKIE_NEEDS_UPDATE"))
    session = getattr(request, "session", None)
    return bool(response.cookies) or has_form or (session is not None and session.modified)


def _etag(content: bytes) -> str:
    return f'"{sha256(content).hexdigest()[:32]}"'
