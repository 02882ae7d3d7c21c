"""Turns errors that the service understands into a page or a problem: one handler for each caller."""

import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views import defaults
from rest_framework.exceptions import ValidationError
from rest_framework.response import Response
from rest_framework.views import exception_handler

from kbpo.core.addresses import local_path
from kbpo.core.database.outages import is_full, is_outage, is_too_slow, log_outage
from kbpo.core.disk import is_no_space
from kbpo.core.durations import in_words
from kbpo.core.errors import Away, InvalidInput, KbpoError, NoRoom, TooLarge, TryAgain
from kbpo.core.problems import MEDIA_TYPE, Kind, flatten, headers_of, kind_for, problem, problem_response

logger = logging.getLogger(__name__)

HEADINGS: Mapping[int, str] = {
    400: "That cannot be done like this",
    403: "You may not do this",
    404: "There is no such thing",
    409: "Too late for that",
    413: "That is too large",
    429: "Too much at a time",
    503: "Away for a moment",
    507: "No room is left here",
}
NEXT: Mapping[int, str] = {
    400: "Nothing was changed. Go back: what you typed is still there. Put it right, and send it again.",
    403: "Nothing was changed. If you think that your account should be allowed to, ask the operators.",
    404: "It may have been removed, or be open to others alone.",
    409: "Nothing was changed. Go back and reload the page: it shows how things stand now.",
    413: "Nothing of it was kept. Compress the file, or send less at once.",
    423: "Nothing was changed. Go back and try again in a few seconds.",
    429: "Nothing was changed. Go back, wait, and send it again.",
    503: "Nothing was changed. Go back and try again in a few minutes.",
}
"""What to do after a refusal, by its status; other statuses have none that helps."""
RETRY_AFTER = 10  # seconds
TOO_LARGE = "What was sent is larger than a form of this site may be."
LONGEST_DETAIL = 2_000  # characters
NOTHING = "There is no such thing at this address, or it is not for you."
AWAY = "The site cannot reach its database just now. Nothing is lost: try the same again in a few seconds."
SLOW = "The site's database took too long for this. Nothing was changed: try the same again in a few seconds."
FULL = (
    "The site's disk is full, so nothing of this was kept. The operators have to make room; try again later."
)


def outage_of(error: BaseException | None) -> KbpoError | None:
    """Return what to tell whoever asks where the database or the disk cannot serve them; else None.

    It is written to the log here, in a line: it is no fault of the code.
    """
    if error is None:
        return None
    if is_outage(error):
        log_outage(error)
        return Away(AWAY)
    if is_too_slow(error):
        refusal: KbpoError = Away(SLOW)
    elif is_full(error) or is_no_space(error):
        refusal = NoRoom(FULL)
    else:
        return None
    logger.error("%d: %s", refusal.status, " ".join(str(error).split())[:300])
    return refusal


def mark_outage(response: HttpResponseBase, status: int) -> None:
    """Write on an answer when to ask again, and that the log has its line already."""
    response.headers["Cache-Control"] = "no-store"
    if status == Away.status:
        response.headers["Retry-After"] = str(RETRY_AFTER)
    response._has_been_logged = True  # type: ignore[attr-defined]  # where Django looks


def is_of_api(request: HttpRequest) -> bool:
    """Say whether a request is to the API."""
    return request.path.startswith("/api/")


def wants_json(request: HttpRequest) -> bool:
    """Say whether a program or a page's script asks, and not a person's browser."""
    return (
        is_of_api(request)
        or request.content_type == "application/json"
        or "application/json" in request.headers.get("Accept", "")
    )


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
    wait = getattr(error, "retry_after", None)
    context = {
        "heading": heading,
        "message": str(error),
        "status": error.status,
        "next": _after(wait) if wait else NEXT.get(error.status),
        "back": _came_from(request),
    }
    # Set where the site's own page cannot be shown: on the HIT pages' host.
    template = getattr(request, "refused_template", "refused.html")
    response = render(request, template, context, status=error.status)
    for name, value in headers_of(error).items():
        response.headers[name] = value
    return response


def _after(seconds: int) -> str:
    """Say when the same may be tried again."""
    return f"Nothing was changed. It can be sent again in {in_words(timedelta(seconds=seconds))}."


def _came_from(request: HttpRequest) -> str:
    """Return the path of this site's page that led here; empty where none did, or this one itself."""
    before = request.headers.get("Referer", "")
    root = request.build_absolute_uri("/")
    path = local_path(before.removeprefix(root.rstrip("/"))) if before.startswith(root) else ""
    return "" if path == request.get_full_path() else path


def refuse(request: HttpRequest, error: KbpoError) -> HttpResponse:
    """Show a refusal to whoever asks: as a problem to the API's callers, as a page to all others."""
    if is_of_api(request):
        return problem_response(error)
    return refusal_page(request, error)


class RefusalMiddleware:
    """Shows every refusal that a view lets through as a page; an outage is one, or JSON."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on."""
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Answer a refusal; leave every other exception to Django."""
        if isinstance(exception, KbpoError):
            return refuse(request, exception)
        return outage_answer(request, exception)


def broken(request: HttpRequest) -> HttpResponse:
    """Answer an exception outside of any view, such as one of the session's: Django's `handler500`."""
    found = outage_answer(request, sys.exc_info()[1])
    if found is None and is_of_api(request):
        return problem_response(500, "Something broke on our side. The operators see it; try again later.")
    return found or defaults.server_error(request)


def unreadable(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a request that makes no sense before any view reads it: Django's `handler400`."""
    if isinstance(exception, RequestDataTooBig):
        return refuse(request, TooLarge(TOO_LARGE))
    if is_of_api(request):
        return problem_response(400, "The request cannot be read: its host, its length or its fields.")
    return defaults.bad_request(request, exception)


def outage_answer(request: HttpRequest, error: BaseException | None) -> HttpResponse | None:
    """Answer where the database or the disk is not there, without asking either."""
    refusal = outage_of(error)
    return None if refusal is None else away_answer(request, refusal)


def away_answer(request: HttpRequest, refusal: KbpoError) -> HttpResponse:
    """Say that something is not there now, to whoever asks, without asking database or disk."""
    if wants_json(request):
        response: HttpResponse = problem_response(refusal)
    else:
        context = {"heading": HEADINGS[refusal.status], "message": str(refusal), "status": refusal.status}
        template = getattr(request, "away_template", "away.html")
        response = HttpResponse(render_to_string(template, context), status=refusal.status)
    mark_outage(response, refusal.status)
    return response


def api_exception_handler(exc: Exception, context: Mapping[str, Any]) -> Response | None:
    """Answer whatever an API view refuses as a problem (RFC 9457).

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
        return _problem(exc.status, str(exc), headers_of(exc), _fields(exc), kind_for(exc))
    if (refusal := outage_of(exc)) is not None:
        response = _problem(refusal.status, str(refusal), {})
        mark_outage(response, refusal.status)
        return response
    if isinstance(exc, Http404) and str(exc).endswith(" matches the given query."):
        return _problem(404, NOTHING, {})  # those are Django's words, with the name of a class
    found = exception_handler(exc, dict(context))
    if found is None:
        return None
    refused = flatten(found.data) if isinstance(exc, ValidationError) else ()
    errors = [(field, detail[:LONGEST_DETAIL]) for field, detail in refused]
    words = "; ".join(f"{field}: {detail}" if field else detail for field, detail in errors)
    detail = words or str(found.data.get("detail", "") if isinstance(found.data, dict) else "")
    return _problem(found.status_code, detail[:LONGEST_DETAIL], dict(found.headers), errors)


def _fields(error: KbpoError) -> list[tuple[str, str]]:
    """Return the field or header that a refusal is about, and what is wrong with it."""
    where = error.where if isinstance(error, InvalidInput) else ""
    if not where.replace("-", "_").isidentifier():  # a file's name, or nothing
        return []
    return [(where, str(error).removeprefix(f"{where}: "))]


def _problem(
    status: int,
    detail: str,
    headers: Mapping[str, str],
    errors: Sequence[tuple[str, str]] = (),
    kind: Kind | None = None,
) -> Response:
    kept = {name: value for name, value in headers.items() if name != "Content-Type"}
    body = problem(status, detail, errors, kind=kind)
    return Response(body, status, headers=kept, content_type=MEDIA_TYPE)
