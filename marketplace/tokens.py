"""Requests that may come twice: each `UniqueRequestToken` is carried out once in 24 hours."""

from datetime import datetime

from marketplace.lifecycle import TOKENS_LAST
from marketplace.models import Requester, RequestToken


def find_result(requester: Requester, operation: str, token: str | None, now: datetime) -> str | None:
    """Return what came of an earlier request with this token, or None.

    Parameters
    ----------
    requester : Requester
        Locked by this transaction: of two requests at once the second waits, and finds the first.
    operation : str
        Tokens of different operations have nothing to do with each other.
    token : str or None
        None: there is no token.
    now : datetime
    """
    if token is None:
        return None
    found = RequestToken.objects.filter(
        requester=requester, operation=operation, token=token, created_at__gt=now - TOKENS_LAST
    ).first()
    return None if found is None else found.result


def keep_result(requester: Requester, operation: str, token: str | None, result: str, now: datetime) -> None:
    """Keep what came of a request, in its transaction."""
    if token is not None:
        RequestToken.objects.update_or_create(
            requester=requester,
            operation=operation,
            token=token,
            defaults={"result": result, "created_at": now},
        )
