"""Turns a `KbpoError` into a page or a JSON answer: one handler for each kind of caller."""

from collections.abc import Callable, Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from rest_framework.response import Response
from rest_framework.views import exception_handler

from kbpo.core.errors import KbpoError, TryAgain

HEADINGS: Mapping[int, str] = {
    400: "That cannot be done like this",
    403: "You may not do this",
    404: "There is no such thing",
    409: "Too late for that",
    429: "Too much at a time",
}


def refusal_page(request: HttpRequest, error: KbpoError) -> HttpResponse:
    """Render a refusal as a page.

    Parameters
    ----------
    request : HttpRequest
    error : KbpoError
        Its sentence is shown as it is; its `status` is the answer's.

    Returns
    -------
    HttpResponse
    """
    heading = (
        "Not at this moment" if isinstance(error, TryAgain) else HEADINGS.get(error.status, HEADINGS[400])
    )
    context = {"heading": heading, "message": str(error), "status": error.status}
    # Set where the site's own page cannot be shown: on the HIT pages' host.
    template = getattr(request, "refused_template", "refused.html")
    response = render(request, template, context, status=error.status)
    for name, value in _headers(error).items():
        response.headers[name] = value
    return response


def refusal_json(error: KbpoError) -> JsonResponse:
    """Return a refusal as the API words it, for what is refused before a view of the API is asked."""
    return JsonResponse({"detail": str(error)}, status=error.status, headers=_headers(error))


class RefusalMiddleware:
    """Shows every `KbpoError` that a view lets through as a page."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on."""
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Answer a refusal; leave every other exception to Django."""
        if isinstance(exception, KbpoError):
            return refusal_page(request, exception)
        return None


def api_exception_handler(exc: Exception, context: Mapping[str, Any]) -> Response | None:
    """Answer a refusal in the API as ``{"detail": …}``; leave the rest to REST framework.

    Parameters
    ----------
    exc : Exception
    context : mapping
        The view and its request, as REST framework gives them.

    Returns
    -------
    Response or None
        None: the exception is raised again.
    """
    if isinstance(exc, KbpoError):
        return Response({"detail": str(exc)}, status=exc.status, headers=_headers(exc))
    return exception_handler(exc, dict(context))


def _headers(error: KbpoError) -> dict[str, str]:
    """Return what a refusal says to programs, beside its status."""
    wait = getattr(error, "retry_after", None)
    return {} if wait is None else {"Retry-After": str(wait)}
