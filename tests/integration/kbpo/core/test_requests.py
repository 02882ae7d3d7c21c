"""The log's line for each request, and the id that goes with it."""

import logging
from ipaddress import ip_network
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from evaluation.models import Submission
from kbpo import pipeline
from kbpo.accounts import tokens
from kbpo.core.health import logs
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the log's lines are about, oldest first."""
    found: list[dict[str, Any]] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found.append(dict(record.about))  # type: ignore[attr-defined]

    handler = Keep()
    handler.addFilter(logs.AboutFilter())
    for name in ("kbpo.requests", "evaluation"):
        logger = logging.getLogger(name)
        monkeypatch.setattr(logger, "level", logging.INFO)
        monkeypatch.setattr(logger, "handlers", [handler])
        logger._cache.clear()  # type: ignore[attr-defined]
    return found


def test_a_request_is_one_line_with_its_id_and_without_its_query(
    client: Client, lines: list[dict[str, Any]]
) -> None:
    user = UserFactory.create()
    client.force_login(user)
    response = client.get("/teams/?secret=hunter2")
    [line] = lines
    assert line.pop("ms") >= 0
    assert line == {
        "request": response.headers["X-Request-ID"],
        "method": "GET",
        "path": "/teams/",
        "status": 200,
        "user": user.pk,
    }


def test_a_call_with_a_token_names_its_owner_whoever_is_signed_in(
    client: Client, lines: list[dict[str, Any]]
) -> None:
    owner = UserFactory.create()
    made = tokens.make(user=owner, name="script", scopes=("read",), days=30, now=timezone.now())
    client.force_login(UserFactory.create())
    client.get("/api/v1/me/", headers={"Authorization": f"Bearer {made.secret}"})
    assert lines[-1]["user"] == owner.pk


@pytest.mark.parametrize(
    ("proxies", "given", "is_taken"),
    [
        (["127.0.0.1/32"], "7f2c-41aa-9b", True),
        (["127.0.0.1/32"], "a b\nc-forged-line", False),
        (["127.0.0.1/32"], "x" * 129, False),
        ([], "7f2c-41aa-9b", False),
    ],
)
def test_an_id_is_taken_from_a_trusted_proxy_if_it_is_well_formed(
    client: Client, settings: Any, proxies: list[str], given: str, is_taken: bool
) -> None:
    settings.TRUSTED_PROXIES = tuple(ip_network(one) for one in proxies)
    response = client.get("/healthz/not", headers={"X-Request-ID": given})
    assert (response.headers["X-Request-ID"] == given) is is_taken


def test_what_the_pipeline_writes_says_stage_and_submission(
    submit: Any, lines: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    from evaluation.submissions import submitting

    def breaks(**_: object) -> bool:
        raise ValueError("no reader")

    monkeypatch.setattr(submitting, "read_submission", breaks)
    submission: Submission = submit("broken")
    pipeline._named(pipeline.validate_submissions)()
    assert lines[-1] == {"stage": "validate_submissions", "submission": submission.pk}
