"""Telling a database that is away from one that refuses what it is asked."""

from django.db import InterfaceError, OperationalError

# Of SQLSTATE: the connection was lost or not made; the server stops, starts, or ended the session; all its
# connections are taken. Running out of disk or memory, deadlocks and timeouts are faults of what was asked.
AWAY = ("08", "57P", "53300")


def is_outage(error: BaseException) -> bool:
    """Say whether an error means that the database cannot be reached now.

    What was being done is then still due, and no try of it is counted: nothing could be noted anyway.

    Examples
    --------
    >>> is_outage(InterfaceError("the connection is closed"))
    True
    >>> is_outage(ValueError("no number"))
    False
    """
    if isinstance(error, InterfaceError):
        return True
    if not isinstance(error, OperationalError):
        return False
    state = getattr(error.__cause__, "sqlstate", None)
    return state is None or state.startswith(AWAY)
