"""What migrations do while people are at work: no table is locked for long, and nobody queues behind a lock.

Why, and how a change is cut into such steps: ADR 105.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from django.contrib.postgres.operations import (
    AddIndexConcurrently,
    NotInTransactionMixin,
    RemoveIndexConcurrently,
)
from django.core.management import call_command
from django.db import Error, OperationalError, connection, connections, transaction
from django.db.migrations import AddConstraint
from django.db.models import QuerySet, UniqueConstraint

from kbpo.core.errors import Unavailable

LOCK_WAIT = 2.0  # seconds that a migration stands in the queue for a lock, where others stand behind it
TRIES, PAUSE = 100, 3.0  # of a migration that did not get its lock, and seconds between two
BATCH, REST = 2_000, 0.05  # rows of one transaction, and seconds between two
OF_OTHERS = (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected)
LOCK = 0x6B62706F  # "kbpo": any number will do, as long as nothing else locks it
LOOK = 0.5  # seconds between two looks whether another has done migrating


class AddIndexBesideWork(AddIndexConcurrently):
    """Make an index while its table is written to, in a migration that is ``atomic = False``.

    Waits as long as it takes for transactions that had begun before, while nobody stands behind it. What a
    run that was broken off has left, an index that is invalid or not written down as made, is made anew.
    """

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Make it."""
        if schema_editor.collect_sql:  # somebody wants to read it
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        name = schema_editor.quote_name(self.index.name)
        with _patience(schema_editor.connection) as cursor:
            cursor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
            super().database_forwards(app_label, schema_editor, from_state, to_state)


class RemoveIndexBesideWork(RemoveIndexConcurrently):
    """Drop an index while its table is used, in a migration that is ``atomic = False``; wait as long."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Drop it."""
        if schema_editor.collect_sql:
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        with _patience(schema_editor.connection):
            super().database_forwards(app_label, schema_editor, from_state, to_state)


class AddUniqueBesideWork(NotInTransactionMixin, AddConstraint):
    """Add a `UniqueConstraint` while its table is written to, in a migration that is ``atomic = False``.

    Its index is made as `AddIndexBesideWork` makes one, by the constraint's name. One that is on columns
    alone becomes a constraint then, for which the table is locked for a moment: as briefly waited for, and
    as often, as other locks.
    """

    constraint: UniqueConstraint
    atomic = False

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Make it; pass over what a run that was broken off had made, and not written down."""
        self._ensure_not_in_transaction(schema_editor)
        model = to_state.apps.get_model(app_label, self.model_name)
        if not self.allow_migrate_model(schema_editor.connection.alias, model):
            return
        quote, made = schema_editor.quote_name, self.constraint
        table, name = quote(model._meta.db_table), quote(made.name)
        index = str(made.create_sql(model, schema_editor))
        by_columns = not index.startswith("CREATE")
        if by_columns:
            columns = [model._meta.get_field(field).column for field in made.fields]
            nulls = schema_editor._unique_index_nulls_distinct_sql(made.nulls_distinct)
            index = f"CREATE UNIQUE INDEX {name} ON {table} ({', '.join(map(quote, columns))}){nulls}"
            later = "" if made.deferrable is None else f" DEFERRABLE INITIALLY {made.deferrable.name}"
            named = f"ALTER TABLE {table} ADD CONSTRAINT {name} UNIQUE USING INDEX {name}{later}"
        index = index.replace("INDEX", "INDEX CONCURRENTLY", 1)
        if schema_editor.collect_sql:
            schema_editor.execute(index, None)
        elif by_columns and columns == _unique_columns(schema_editor.connection, table, made.name):
            return
        else:
            with _patience(schema_editor.connection) as cursor:
                cursor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
                schema_editor.execute(index, None)
        if by_columns:
            _insist(lambda: schema_editor.execute(named, None))


def _unique_columns(connection: Any, table: str, name: str) -> list[str] | None:
    """Return the columns of a table's unique constraint, in their order; None where there is none."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT array_agg(attname::text ORDER BY place) FROM pg_constraint"
            " CROSS JOIN unnest(conkey) WITH ORDINALITY AS key (number, place)"
            " JOIN pg_attribute ON attrelid = conrelid AND attnum = number"
            " WHERE conrelid = %s::regclass AND conname = %s AND contype = 'u'",
            [table, name],
        )
        (found,) = cursor.fetchone()
    columns: list[str] | None = found
    return columns


@contextmanager
def _patience(connection: Any) -> Iterator[Any]:
    with connection.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        (before,) = cursor.fetchone()
        cursor.execute("SET lock_timeout = 0")
        try:
            yield cursor
        finally:
            with suppress(Error):  # where it is lost, what was wrong is what is told
                cursor.execute("SELECT set_config('lock_timeout', %s, false)", [before])


def in_batches(
    rows: "QuerySet[Any]", change: "Callable[[QuerySet[Any]], object]", *, size: int = BATCH
) -> int:
    """Change rows in transactions of so many, in the order of their keys, with a rest between two.

    For a ``RunPython`` in a migration that is ``atomic = False`` and does nothing else, so that it may be
    broken off anywhere and begun anew. Rows that code of the version before writes afterwards are not among
    them: what relies on the change bears them, or changes them in the next version.

    Parameters
    ----------
    rows : QuerySet
        Those that are to change, not a slice; best such that rows that were changed are none of them any
        more. What leaves them before its turn stays as it is.
    change : callable
        Is given a query set of each batch's rows: changes them at once, since a second update would not find
        those that the first has made none of them. For a row that it changed before it does nothing.
    size : int
        Rows of a batch.

    Returns
    -------
    int
        How many rows there were.

    Raises
    ------
    RuntimeError
        Inside a transaction: then it would be one, and lock all of its rows until the last is changed.
    """
    if connections[rows.db].in_atomic_block:
        raise RuntimeError("rows are changed in batches by a migration that is atomic = False")
    ordered, found = rows.order_by("pk"), 0
    keys = list(ordered.values_list("pk", flat=True)[:size])
    while keys:
        with transaction.atomic(using=rows.db):
            change(rows.filter(pk__in=keys))
        found += len(keys)
        time.sleep(REST)
        keys = list(ordered.filter(pk__gt=keys[-1]).values_list("pk", flat=True)[:size])
    return found


@contextmanager
def alone() -> Iterator[None]:
    """Have nobody else migrate meanwhile; wait for who does.

    It looks again and again: a statement that waits would be one that an index which is made waits for.
    """
    with connection.cursor() as cursor:
        while True:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", [LOCK])
            if cursor.fetchone()[0]:
                break
            time.sleep(LOOK)
        try:
            yield
        finally:
            with suppress(Error):  # of a session that is no more: its locks are gone with it
                cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])


def migrate() -> None:
    """Apply what migrations are pending; none stands in a queue for a lock for long, but tries again.

    Whoever wants a table waits behind a migration that waits for it, readers too, and that waits for
    everybody who has it: behind a file that is being stored that were minutes in which no page comes.

    Raises
    ------
    Unavailable
        If others have stood in the way of migrations a hundred times, for eight minutes or more.
    """

    def apply() -> None:
        with _short_queues():
            call_command("migrate", interactive=False, verbosity=0)

    _insist(apply)


def _insist(change: "Callable[[], object]") -> None:
    """Try again what others have stood in the way of."""
    for _ in range(TRIES):
        try:
            change()
        except OperationalError as error:
            if not isinstance(error.__cause__, OF_OTHERS):
                raise
            last = error
            time.sleep(PAUSE)
        else:
            return
    raise Unavailable(f"A migration did not get a lock that others hold: {last}") from last


@contextmanager
def _short_queues() -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('lock_timeout', %s, false)", [f"{int(LOCK_WAIT * 1000)}ms"])
    begun = len(connection.atomic_blocks)
    try:
        yield
    except BaseException as error:
        # Django leaves its transaction open where what it puts last fails: a new table's foreign keys.
        for block in reversed(connection.atomic_blocks[begun:]):
            block.__exit__(type(error), error, error.__traceback__)
        raise
    finally:
        with suppress(Error), connection.cursor() as cursor:
            cursor.execute("RESET lock_timeout")
