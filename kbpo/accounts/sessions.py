"""Where somebody is signed in, and how that ends."""

from datetime import datetime, timedelta
from importlib import import_module
from typing import Any

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.sessions.models import Session
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


def sweep(*, now: datetime) -> int:
    """Delete sessions that have ended, and what is known of where they were; return how many."""
    ended, _ = Session.objects.filter(expire_date__lte=now).delete()
    # One that has just begun is stored when its first page is sent.
    known = UserSession.objects.filter(last_seen_at__lte=now - timedelta(days=1))
    known.exclude(session_key__in=Session.objects.values("session_key")).delete()
    return ended
