"""Postgres away: an answer within seconds, a line in the log, and nothing lost."""

import json
import logging
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import psycopg
import pytest
from django.db import OperationalError, connection
from django.test import Client
from psycopg import errors

from kbpo import pipeline
from kbpo.core.database import limits, outages
from kbpo.core.embedded.backend.base import DatabaseWrapper
from tests.stalling import Stalling


@pytest.fixture(autouse=True)
def nothing_noticed_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outages, "_last_line", -outages.ONE_LINE_EVERY)


@pytest.fixture
def web() -> Iterator[None]:
    """Have this process wait as web processes do."""
    limits.set_limits(limits.WEB)
    try:
        yield
    finally:
        limits.set_limits(limits.COMMANDS)


@pytest.fixture
def bare(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Let a test use the database outside of a transaction; it must write nothing."""
    with django_db_blocker.unblock():
        connection.close()
        yield
        connection.close()


@pytest.fixture
def proxy(bare: None, web: None) -> Iterator[Stalling]:
    """Put a proxy between this process and Postgres."""
    connection.ensure_connection()
    sockets, port = Path(connection.settings_dict["HOST"]), connection.settings_dict["PORT"]
    connection.close()
    found = Stalling(sockets / f".s.PGSQL.{port}")
    params = DatabaseWrapper.get_connection_params
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            DatabaseWrapper,
            "get_connection_params",
            lambda self: params(self) | {"host": "127.0.0.1", "port": found.port},
        )
        yield found
        found.close()
        connection.close()


def fail(monkeypatch: pytest.MonkeyPatch, cause: Exception) -> None:
    """Have every query end in an error of Postgres."""
    error = OperationalError(str(cause))
    error.__cause__ = cause
    monkeypatch.setattr("django.db.models.query.QuerySet._fetch_all", Mock(side_effect=error))
    monkeypatch.setattr("django.db.models.query.QuerySet.get", Mock(side_effect=error))
    monkeypatch.setattr("django.db.models.query.QuerySet.update", Mock(side_effect=error))


def test_a_probe_says_within_two_seconds_that_postgres_says_nothing(proxy: Stalling, client: Client) -> None:
    proxy.stall()
    started = time.monotonic()
    answer = client.get("/readyz")
    assert time.monotonic() - started < 2
    assert (answer.status_code, answer.json()["checks"]["database"]["state"]) == (503, "failed")
    assert client.get("/healthz").status_code == 200
    proxy.go_on()
    for thread in threading.enumerate():  # which still note what they found
        if thread.name == "a look at the database":
            thread.join(10)


@pytest.mark.parametrize(
    ("cause", "status"),
    [
        (psycopg.OperationalError("the server closed the connection"), 503),
        (errors.AdminShutdown(), 503),
        (errors.QueryCanceled(), 503),
        (errors.LockNotAvailable(), 503),
        (errors.DiskFull(), 507),
    ],
)
@pytest.mark.parametrize(
    ("accept", "sent"), [("text/html", "text/html"), ("application/json", "application/problem+json")]
)
def test_an_outage_is_a_page_and_a_document(
    db: None,
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
    cause: Exception,
    status: int,
    accept: str,
    sent: str,
) -> None:
    fail(monkeypatch, cause)
    answer = client.get("/", headers={"Accept": accept})
    assert answer.status_code == status
    assert ("Retry-After" in answer.headers) == (status == 503)
    assert answer.headers["Content-Type"].startswith(sent)
    assert answer.headers["Cache-Control"] == "no-store"


def test_the_apis_answer_an_outage_in_json(db: None, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    fail(monkeypatch, errors.AdminShutdown())
    client.cookies["sessionid"] = "abcdefgh"
    answer = client.post("/api/v1/uploads/")
    assert (answer.status_code, "Nothing is lost" in answer.json()["detail"]) == (503, True)
    signed = {
        "Authorization": "AWS4-HMAC-SHA256 Credential=AK/20260101/us-east-1/mturk-requester/aws4_request,"
        f" SignedHeaders=host;x-amz-date, Signature={'0' * 64}",
        "X-Amz-Date": "20260101T000000Z",
    }
    answer = client.post("/marketplace/api/", b"{}", "application/x-amz-json-1.1", headers=signed)
    assert (answer.status_code, json.loads(answer.content)["__type"]) == (503, "ServiceFault")


def test_on_a_hit_page_what_was_typed_is_said_to_be_kept(
    db: None, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail(monkeypatch, errors.AdminShutdown())
    answer = client.get("/hits/abc/", headers={"host": "127.0.0.1:8000"})
    assert answer.status_code == 503
    assert "What you typed is kept" in answer.content.decode()
    assert "frame-ancestors http" in answer.headers["Content-Security-Policy"]
    assert "X-Frame-Options" not in answer.headers


def test_many_failures_are_one_line_of_the_log(
    db: None, client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    loggers = [logging.getLogger(name) for name in ("kbpo", "django")]
    for one in loggers:
        one.addHandler(caplog.handler)
    fail(monkeypatch, errors.AdminShutdown())
    monkeypatch.setattr("kbpo.core.mail.sending._due", Mock(side_effect=OperationalError("gone")))
    try:
        for _ in range(20):
            client.get("/")
            client.get("/", headers={"Accept": "application/json"})
            pipeline.later_if_away(pipeline.send_mail)()
    finally:
        for one in loggers:
            one.removeHandler(caplog.handler)
    told = [one for one in caplog.records if one.levelno >= logging.WARNING]
    assert [(one.name, one.exc_info) for one in told] == [("kbpo.core.database.outages", None)]


def test_a_task_leaves_for_later_what_it_cannot_reach_and_nothing_else() -> None:
    def away() -> int:
        raise OperationalError("gone")

    def faulty() -> int:
        raise ZeroDivisionError

    assert outages.later_if_away(away)() == 0
    with pytest.raises(ZeroDivisionError):
        outages.later_if_away(faulty)()


@pytest.mark.parametrize("present", [limits.WEB, limits.TASKS, limits.COMMANDS])
def test_postgres_is_told_the_limits_of_the_process(bare: None, present: limits.Limits) -> None:
    def told(name: str) -> Any:
        with connection.cursor() as cursor:
            cursor.execute("SELECT setting::bigint / 1000 FROM pg_settings WHERE name = %s", [name])
            return cursor.fetchone()[0]

    connection.close()
    limits.set_limits(present)
    try:
        assert told("statement_timeout") == present.statement
        assert told("lock_timeout") == present.lock
        assert told("idle_in_transaction_session_timeout") == present.idle
    finally:
        limits.set_limits(limits.COMMANDS)
        connection.close()
