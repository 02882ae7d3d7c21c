"""What every request must keep to, and what every response carries."""

from collections.abc import Callable

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
