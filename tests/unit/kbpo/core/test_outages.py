import psycopg
import pytest
from django.db import DatabaseError, InterfaceError, OperationalError
from psycopg import errors

from kbpo.core.database.outages import is_outage


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
