"""What is wrong, as programs are told it: problem details after RFC 9457."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from django.conf import settings
from django.http import JsonResponse

from kbpo.core.errors import KbpoError

MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of problem.

    Attributes
    ----------
    name : str
        By which programs tell it from others: the end of its `type`.
    title : str
    words : str
        What to do about it.
    """

    name: str
    title: str
    words: str


#: By status. What is not here is one of the first of its hundred.
KINDS: Mapping[int, Kind] = MappingProxyType(
    {
        400: Kind("invalid", "That cannot be done like this", "Mend the request: `errors` names the fields."),
        401: Kind("not-signed-in", "Nobody is signed in", "Send a token that is good: it may have ended."),
        403: Kind("not-allowed", "You may not do this", "The token lacks a scope, or its person the right."),
        404: Kind(
            "not-found", "There is no such thing", "It is not there, or not for you. Addresses end in /."
        ),
        405: Kind("no-such-method", "That is not done here", "`Allow` names the methods of the address."),
        406: Kind("no-such-form", "It is not to be had in that form", "Ask for JSON."),
        409: Kind("conflict", "Too late, or too early, for that", "Look how it stands now, and decide anew."),
        410: Kind("removed", "It was removed", "It does not come back."),
        412: Kind("other-version", "Another version is spoken here", "Send `Tus-Resumable: 1.0.0`."),
        413: Kind("too-large", "That is too large", "Compress the file, or send it in pieces."),
        415: Kind(
            "other-type", "That is no JSON", "Send `Content-Type: application/json`, or a piece's own."
        ),
        423: Kind("busy", "Somebody is at it this moment", "Try the same again in a second."),
        429: Kind("too-many", "Too much at a time", "Wait for `Retry-After` seconds."),
        460: Kind("other-bytes", "What arrived is not what was announced", "Send the file again."),
        500: Kind("broken", "Something broke on our side", "The operators see it; try again later."),
        503: Kind("away", "Away for a moment", "Wait for `Retry-After` seconds; nothing is lost."),
        507: Kind("no-room", "No room is left here", "The operators have to make room; try again later."),
    }
)

#: Of refusals that programs tell from others of their status: by the `problem` of their class.
OWN_KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            Kind(
                "not-open",
                "Nothing is taken at this time",
                "`opens_at`, `closes_at` and `phases` of the corpus say when systems may be submitted.",
            ),
            Kind(
                "terms-not-accepted",
                "Terms wait to be accepted",
                "Read the corpus’ `terms`, and have a member of the team accept them.",
            ),
            Kind(
                "phase-full",
                "The team has submitted as much as it may in this phase",
                "Wait for the next phase: `phases` of the corpus says when it begins.",
            ),
        )
    }
)


def kind_for(error: KbpoError) -> Kind:
    """Return the kind of problem that a refusal is: one of its own, or its status'."""
    return OWN_KINDS.get(getattr(error, "problem", "")) or kind_of(error.status)


def kind_of(status: int) -> Kind:
    """Return the kind of problem that a status stands for."""
    return KINDS.get(status) or KINDS[500 if status >= 500 else 400]


def problem(
    status: int, detail: str, errors: Sequence[tuple[str, str]] = (), *, kind: Kind | None = None
) -> dict[str, Any]:
    """Return a problem's members.

    Parameters
    ----------
    status : int
    detail : str
        One sentence that says what is wrong and what would be right.
    errors : sequence of (str, str)
        Fields, and what is wrong with each.
    kind : Kind, optional
        The status' if left out.
    """
    kind = kind or kind_of(status)
    return {
        "type": f"{settings.SITE_URL}/help/api/#{kind.name}",
        "title": kind.title,
        "status": status,
        "detail": detail,
        "errors": [{"field": field, "detail": words} for field, words in errors],
    }


def problem_response(error: KbpoError | int, detail: str = "") -> JsonResponse:
    """Return a refusal, or a status, as an answer to a program."""
    status = error if isinstance(error, int) else error.status
    headers = {} if isinstance(error, int) else headers_of(error)
    words = detail if isinstance(error, int) else str(error)
    kind = None if isinstance(error, int) else kind_for(error)
    return JsonResponse(
        problem(status, words, kind=kind), status=status, content_type=MEDIA_TYPE, headers=headers
    )


def headers_of(error: KbpoError) -> dict[str, str]:
    """Return what a refusal says to programs, beside its status."""
    wait = getattr(error, "retry_after", None)
    return {} if wait is None else {"Retry-After": str(wait)}


def flatten(detail: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Yield each place of what a serializer refuses, and what is wrong there.

    Examples
    --------
    >>> list(flatten({"name": ["is missing"], "a": {"b": ["is no number"]}}))
    [('name', 'is missing'), ('a.b', 'is no number')]
    """
    if isinstance(detail, Mapping):
        for name, inner in detail.items():
            own = "" if name == "non_field_errors" else str(name)
            yield from flatten(inner, ".".join(filter(None, (place, own))))
    elif isinstance(detail, list | tuple):
        for inner in detail:
            yield from flatten(inner, place)
    else:
        yield place, str(detail)
