"""What every request must keep to, and what every response carries."""

from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from kbpo.core.errors import InvalidInput
from kbpo.core.refusals import refusal_page

POLICY = "; ".join(
    (
        "default-src 'self'",
        "img-src 'self' data:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)


HIT_URLS = "kbpo.hit_urls"


def hit_origin(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Answer on the HIT pages' host with those pages alone, which the site's host does not have.

    Hosts are told apart by name, as cookies are: they do not heed ports.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        host = urlsplit(settings.HIT_BASE_URL).hostname
        if host and urlsplit(f"//{request.get_host()}").hostname == host:
            request.urlconf = HIT_URLS
            request.refused_template = "hits/refused.html"  # type: ignore[attr-defined]
        return get_response(request)

    return middleware


def content_security_policy(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Let pages load from this site alone, and nobody frame them, unless a view says otherwise."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response

    return middleware


def storable_address(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Refuse addresses with a NUL character: nothing is named by one, and Postgres cannot look for it."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        values = (value for values in request.GET.lists() for value in (values[0], *values[1]))
        if any("\0" in text for text in (request.path, *values)):
            return refusal_page(request, InvalidInput("The address holds a NUL character (%00)."))
        return get_response(request)

    return middleware
