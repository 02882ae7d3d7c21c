"""Who may do something now: claims of work that takes long, and short waits for people.

Work that takes minutes holds no row's lock while it goes on: a page that changes the row would wait for it.
It holds a claim instead: an advisory lock of a transaction that does nothing else, on a connection of its
own. Postgres lets go of it when the connection ends, however it ends, so what a killed worker was at is free
at once. A pooler between the service and Postgres may share sessions between transactions: this one stays
where it is for as long as it is open. It has seen no row, so it keeps nothing from being cleaned up.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import cast

from django.db import Error, InterfaceError, OperationalError, connection, transaction
from django.db.models import Model
from psycopg.errors import DeadlockDetected, LockNotAvailable

from kbpo.core.database.backend.base import DatabaseWrapper
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
        Whether it is ours until the block ends. The same thread may claim what it has once more.
    """
    key = _key(name)
    usual = cast(DatabaseWrapper, connection)
    if key in usual.claimed:
        yield True
        return
    holder, is_ours = _try_lock(usual, key)
    try:
        if is_ours:
            usual.claimed.add(key)
        yield is_ours
    finally:
        if is_ours:
            usual.claimed.discard(key)
        _let_go(usual, holder)


def hold(name: str, *, shared: bool) -> None:
    """Wait for a lock, and have it until this transaction ends.

    Parameters
    ----------
    name : str
        What is locked: the same everywhere.
    shared : bool
        Whether others may share it; else it is had alone.
    """
    lock = "pg_advisory_xact_lock_shared" if shared else "pg_advisory_xact_lock"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {lock}(%s)", [_key(name)])


def _key(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], signed=True)


def _try_lock(usual: DatabaseWrapper, key: int) -> tuple[DatabaseWrapper, bool]:
    """Ask for a lock in a transaction of its own; return its connection, and whether it has it."""
    while True:
        is_spare = bool(usual.spares)
        holder = usual.spares.pop() if is_spare else usual.another()
        try:
            with holder.cursor() as cursor:
                cursor.execute(
                    "SELECT set_config('idle_in_transaction_session_timeout', '0', true),"
                    " pg_try_advisory_xact_lock(%s)",
                    [key],
                )
                return holder, bool(cursor.fetchone()[1])
        except (InterfaceError, OperationalError):
            holder.close()
            if not is_spare:  # one that lay idle may have been ended meanwhile
                raise
        except BaseException:
            holder.close()
            raise


def _let_go(usual: DatabaseWrapper, holder: DatabaseWrapper) -> None:
    """End the transaction of a claim; its connection is kept for the next."""
    try:
        holder.rollback()
    except Error:  # the server let go of the lock with the connection
        holder.close()
    else:
        usual.spares.append(holder)


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


def keep_others_from_writing(model: type[Model]) -> None:
    """Keep other transactions from changing a model's table until this one ends; they can read it."""
    with connection.cursor() as cursor:
        table = connection.ops.quote_name(model._meta.db_table)
        cursor.execute(f"LOCK TABLE {table} IN SHARE ROW EXCLUSIVE MODE")
