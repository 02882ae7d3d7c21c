"""A web process' connection is asked whether it is of use only where that is not plain."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.core.signals import request_finished, request_started
from django.db import connection

from kbpo.core.database.backend import base


@pytest.fixture
def asked(
    django_db_setup: None, django_db_blocker: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[list[bool]]:
    """Return what each look at whether the connection is of use has found; it writes nothing."""
    found: list[bool] = []
    is_usable = base.DatabaseWrapper.is_usable

    def noted(self: base.DatabaseWrapper) -> bool:
        found.append(is_usable(self))
        return found[-1]

    monkeypatch.setattr(base.DatabaseWrapper, "is_usable", noted)
    with django_db_blocker.unblock():
        connection.close()
        connection.ensure_connection()
        yield found
        connection.close()


def request() -> int:
    """Ask for something as a request does; return the number of Postgres' process."""
    request_started.send(sender=None)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    request_finished.send(sender=None)
    return int(pid)


def elsewhere(statement: str) -> None:
    info = connection.connection.info
    with psycopg.connect(
        host=info.host, port=info.port, dbname=info.dbname, user=info.user, autocommit=True
    ) as another:
        another.execute(statement)


def test_a_connection_that_was_just_of_use_is_not_asked(asked: list[bool]) -> None:
    first = request()
    asked.clear()
    assert [request() for _ in range(3)] == [first] * 3
    assert asked == []


def test_one_that_postgres_has_ended_is_replaced(asked: list[bool]) -> None:
    first = request()
    elsewhere(f"SELECT pg_terminate_backend({first}, 5000)")
    assert request() != first
    assert asked[-1] is False


def test_one_that_rested_is_asked(asked: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    first = request()
    asked.clear()
    monkeypatch.setattr(base, "BRIEFLY", 0.0)
    assert request() == first
    assert asked == [True]


def test_one_that_is_closed_here_is_replaced(asked: list[bool]) -> None:
    first = request()
    connection.connection.close()
    assert request() != first
