"""Who may do something now: claims of work that takes long, and short waits for people.

Work that takes minutes holds no row's lock while it goes on: a page that changes the row would wait for it.
It holds a claim instead, an advisory lock of its database session, which Postgres lets go of when the session
ends, however it ends. So what a killed worker was at is free at once. (A pooler between the service and
Postgres must not share sessions, or claims would mean nothing.)
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.db import OperationalError, connection, transaction
from psycopg.errors import DeadlockDetected, LockNotAvailable

from kbpo.core.errors import TryAgain

LONGEST_WAIT = timedelta(seconds=2)  # for one lock, where a person waits for the answer


@contextmanager
def claim(name: str) -> Iterator[bool]:
    """Claim some work, unless somebody has; nobody waits.

    Parameters
    ----------
    name : str
        What is claimed, such as ``"submission 7"``: the same everywhere.

    Yields
    ------
    bool
        Whether it is ours until the block ends. The same session may claim what it has once more.
    """
    key = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], signed=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [key])
        (is_ours,) = cursor.fetchone()
    try:
        yield is_ours
    finally:
        if is_ours:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [key])


@contextmanager
def brief_transaction(busy: str) -> Iterator[None]:
    """Do something in a transaction that never waits long for a lock: for whatever a person waits for.

    Parameters
    ----------
    busy : str
        What to tell them where it would.

    Raises
    ------
    TryAgain
        If somebody else held a lock that it needs for `LONGEST_WAIT`. Nothing was changed.
    """
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                wait = f"{LONGEST_WAIT / timedelta(milliseconds=1):.0f}ms"
                cursor.execute("SELECT set_config('lock_timeout', %s, true)", [wait])
            yield
    except OperationalError as error:
        if isinstance(error.__cause__, LockNotAvailable | DeadlockDetected):
            raise TryAgain(busy) from error
        raise
