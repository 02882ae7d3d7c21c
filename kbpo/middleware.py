"""What every request must keep to, and what every response carries."""

from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, QueryDict
from django.http.response import HttpResponseBase

from crowd.hits import policy
from kbpo.core.clients import comes_from_proxy
from kbpo.core.errors import Away, InvalidInput
from kbpo.core.plain_text import find_fault, replace_faults
from kbpo.core.refusals import away_answer, refuse
from kbpo.core.revalidating import PRIVATE

Respond = Callable[[HttpRequest], HttpResponseBase]

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
OUTAGES = (503, 507)
READING = ("GET", "HEAD", "OPTIONS")
READ_ONLY = (
    "The site is being worked on: it can be read, and takes nothing in for a while. Nothing was changed."
)


def forwarded_scheme(get_response: Respond) -> Respond:
    """Forget what anybody but a trusted proxy says of the scheme that was asked by."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if not comes_from_proxy(request):
            request.META.pop("HTTP_X_FORWARDED_PROTO", None)
        return get_response(request)

    return middleware


def hit_origin(get_response: Respond) -> Respond:
    """Answer on the HIT pages' host with those pages alone, which the site's host does not have.

    Hosts are told apart by name, as cookies are: they do not heed ports.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        host = urlsplit(settings.HIT_BASE_URL).hostname
        if host and urlsplit(f"//{request.get_host()}").hostname == host:
            request.urlconf = HIT_URLS
            request.refused_template = "hits/refused.html"  # type: ignore[attr-defined]
            request.away_template = "hits/away.html"  # type: ignore[attr-defined]
            response = get_response(request)
            if response.status_code in OUTAGES and "Content-Security-Policy" not in response.headers:
                # Whose HIT it is cannot be looked up, and their frame must show what is wrong.
                policy.set_policy(response, policy.default_provider())
                response.headers.pop("X-Frame-Options", None)
            return response
        return get_response(request)

    return middleware


def read_only(get_response: Respond) -> Respond:
    """Take nothing in while ``READ_ONLY`` says so; whoever sends something is told to come back."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if settings.READ_ONLY and request.method not in READING:
            return away_answer(request, Away(READ_ONLY))
        return get_response(request)

    return middleware


def content_security_policy(get_response: Respond) -> Respond:
    """Let pages load from this site alone, and nobody frame them, unless a view says otherwise."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response

    return middleware


def private_unless_said(get_response: Respond) -> Respond:
    """Let nobody but the one who asked keep a response, unless its view says otherwise."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        response.headers.setdefault("Cache-Control", PRIVATE)
        return response

    return middleware


class PlainText:
    """Refuses addresses and forms with a character that `kbpo.core.plain_text` does not allow.

    The forms of views that need no CSRF token are left to these: only they know how much they let in. Where
    answers are taken, such characters are replaced (`kbpo.core.plain_text.replaced_in_forms`).
    """

    def __init__(self, get_response: Respond) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Look at the address."""
        fault = find_fault(request.path) or next(iter(_faults(request.GET).values()), None)
        if fault is not None:
            return refuse(request, InvalidInput(f"The address holds {fault}: remove it."))
        return self._get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponseBase], args: object, kwargs: object
    ) -> HttpResponseBase | None:
        """Look at the form, which the check for its token has read already."""
        if request.method != "POST" or getattr(view, "csrf_exempt", False):
            return None
        if getattr(view, "replaces_faults", False):
            request.POST = _without_faults(request.POST)  # type: ignore[assignment]
            return None
        for name, fault in _faults(request.POST).items():
            return refuse(request, InvalidInput(f"The field {name[:40]!r} holds {fault}: remove it."))
        return None


def _without_faults(given: QueryDict) -> QueryDict:
    replaced = QueryDict(mutable=True)
    for name, values in given.lists():
        replaced.setlist(replace_faults(name), [replace_faults(str(value)) for value in values])
    return replaced


def _faults(given: QueryDict) -> dict[str, str]:
    """Return what is wrong with each field whose name or value is not plain text, by its name."""
    found = {
        name: next(filter(None, map(find_fault, (name, *map(str, values)))), None)
        for name, values in given.lists()
    }
    return {name: fault for name, fault in found.items() if fault is not None}
