"""A web process' connection that is of no use any more is replaced at the next request."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.core.signals import request_finished, request_started
from django.db import connection


@pytest.fixture(autouse=True)
def bare(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Open the database outside a transaction. Tests that use it must not write."""
    with django_db_blocker.unblock():
        connection.close()
        yield
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


def test_a_connection_serves_many_requests() -> None:
    assert len({request() for _ in range(3)}) == 1


def test_one_that_postgres_has_ended_is_replaced() -> None:
    first = request()
    elsewhere(f"SELECT pg_terminate_backend({first}, 5000)")
    assert request() != first


def test_one_that_is_closed_here_is_replaced() -> None:
    first = request()
    connection.connection.close()
    assert request() != first
