import psycopg
import pytest
from django.db import DatabaseError, InterfaceError, OperationalError, connection
from psycopg import errors

from kbpo.core.outages import is_outage


def caused(cause: Exception) -> OperationalError:
    error = OperationalError(str(cause))
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    "error",
    [
        InterfaceError("the connection is closed"),
        caused(psycopg.OperationalError("the server closed the connection unexpectedly")),
        caused(errors.ConnectionFailure()),
        caused(errors.AdminShutdown()),
        caused(errors.CannotConnectNow()),
        caused(errors.TooManyConnections()),
    ],
)
def test_a_database_that_cannot_be_reached_is_away(error: Exception) -> None:
    assert is_outage(error)


@pytest.mark.parametrize(
    "error",
    [
        caused(errors.DiskFull()),
        caused(errors.OutOfMemory()),
        caused(errors.QueryCanceled()),
        caused(errors.DeadlockDetected()),
        caused(errors.LockNotAvailable()),
        DatabaseError("no such column"),
        ValueError("no number"),
    ],
)
def test_a_database_that_refuses_what_it_is_asked_is_there(error: Exception) -> None:
    assert not is_outage(error)


@pytest.mark.django_db
def test_a_statement_that_takes_too_long_is_no_outage() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = '1ms'")
        with pytest.raises(OperationalError) as caught:
            cursor.execute("SELECT pg_sleep(1)")
    assert not is_outage(caught.value)


@pytest.mark.django_db(transaction=True)
def test_a_session_that_the_server_ends_is_an_outage() -> None:
    with connection.cursor() as cursor, pytest.raises(OperationalError) as caught:
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    connection.close()
    assert is_outage(caught.value)
