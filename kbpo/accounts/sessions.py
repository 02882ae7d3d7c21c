"""Where somebody is signed in, and how that ends."""

from importlib import import_module
from typing import Any

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest

from kbpo.accounts.models import User


@transaction.atomic
def end(*, session: UserSession) -> None:
    """Sign somebody out of one session."""
    import_module(settings.SESSION_ENGINE).SessionStore().delete(session.session_key)
    session.delete()


@transaction.atomic
def end_all(*, user: User) -> None:
    """Sign somebody out everywhere."""
    for session in UserSession.objects.filter(user=user):
        end(session=session)


def end_others(*, request: HttpRequest, user: User, **_: Any) -> None:
    """End all sessions but the one that asks: they began when the account had other factors."""
    for session in UserSession.objects.filter(user=user).exclude(session_key=request.session.session_key):
        end(session=session)
