"""Programs that ask the API."""

import json
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from kbpo.accounts import tokens
from kbpo.accounts.models import User
from tests.factories import UserFactory


@pytest.fixture(autouse=True)
def home(settings: Any, tmp_path: Any) -> None:
    settings.KBPO_HOME = tmp_path
    settings.MEDIA_ROOT = tmp_path / "media"


@pytest.fixture
def user(db: None) -> User:
    return UserFactory.create()


def token(user: User, *scopes: str, name: str = "script", days: int = 30) -> str:
    """Make a token; return its secret."""
    found = scopes or tuple(tokens.SCOPES)
    return tokens.make(user=user, name=name, scopes=found, days=days, now=timezone.now()).secret


class Program:
    """Asks with a token; without one it is a visitor."""

    def __init__(self, secret: str = "") -> None:
        self._client = Client(raise_request_exception=True, enforce_csrf_checks=True)
        self._headers = {"Authorization": f"Bearer {secret}"} if secret else {}

    def __call__(self, method: str, address: str, body: Any = None, **headers: str) -> Any:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        kind = given.pop("Content-Type", "application/json")
        sent = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        return self._client.generic(
            method, f"/api/v1/{address}", sent, kind, headers={**self._headers, **given}
        )

    def get(self, address: str) -> Any:
        answer = self("GET", address)
        assert answer.status_code == 200, answer.content
        return answer.json()
