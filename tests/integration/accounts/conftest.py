"""Requests through a proxy, at times that the test says."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from kbpo.accounts.models import User
from tests.factories import UserFactory

PROXY = "10.0.0.5"
PASSWORD = "a long pass phrase"


class Clock:
    """The time that it is for the site."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def pass_by(self, **time: float) -> None:
        self.now += timedelta(**time)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(timezone, "now", lambda: clock.now)
    return clock


@pytest.fixture
def browser(settings: Any) -> Callable[[str], Client]:
    """Return a browser at an address, whose requests come through the proxy."""
    settings.TRUSTED_PROXIES = (ip_network(PROXY),)
    return lambda address: Client(REMOTE_ADDR=PROXY, HTTP_X_FORWARDED_FOR=f"203.0.113.9, {address}")


def person(email: str, **fields: Any) -> User:
    """Make somebody who can sign in."""
    user = UserFactory(email=email, **fields)
    user.set_password(PASSWORD)
    user.save()
    user.emailaddress_set.create(email=email, verified=True, primary=True)
    return user


def sign_in(client: Client, email: str, password: str = PASSWORD) -> Any:
    return client.post("/accounts/login/", {"login": email, "password": password})


def signs_in(client: Client, email: str) -> bool:
    return sign_in(client, email).status_code == 302 and "_auth_user_id" in client.session
