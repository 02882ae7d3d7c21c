"""Signed tokens in place of cookies: each says which assignment a page was made for, and for whom.

A frame on somebody else's page has no reliable cookies, and so neither a session nor a CSRF cookie.
"""

from datetime import timedelta

from django.core import signing
from django.http import HttpRequest

from crowd.models import Assignment
from kbpo.core.errors import NotAllowed

LASTS = timedelta(days=30)  # longer than any assignment
FIELD = "token"  # of a form
_SALT = "crowd.hits.assignment"
_SCHEME = "Bearer "


def issue(assignment: Assignment) -> str:
    """Return the token for an assignment's page."""
    return signing.dumps([assignment.pk, assignment.provider_worker_id], salt=_SALT)


def read(request: HttpRequest) -> tuple[int, str]:
    """Return the assignment's key and the worker's name that a request is for.

    The token stands in the header ``Authorization: Bearer …``, or in a form's field.

    Raises
    ------
    NotAllowed
        If there is none, or it was not made here, or is too old.
    """
    header = request.headers.get("Authorization", "")
    token = header.removeprefix(_SCHEME) if header.startswith(_SCHEME) else request.POST.get(FIELD, "")
    try:
        pk, worker_id = signing.loads(token, salt=_SALT, max_age=LASTS)
    except (signing.BadSignature, ValueError):
        raise NotAllowed(
            "This page is not one that was made for you, or is too old: reload it, and if that does not help,"
            " open the task again where you accepted it."
        ) from None
    return int(pk), str(worker_id)
