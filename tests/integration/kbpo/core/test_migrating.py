"""Migrations beside work: indexes, rows in batches, and locks that others hold."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from django.db import (
    IntegrityError,
    InternalError,
    NotSupportedError,
    OperationalError,
    connection,
    migrations,
    models,
    transaction,
)
from django.db.migrations.state import ProjectState

from kbpo.core.database import migrating
from kbpo.core.errors import Unavailable

pytestmark = pytest.mark.django_db(transaction=True)
INDEX = "thing_by_size"


@pytest.fixture
def things() -> Iterator[ProjectState]:
    """Have a table of 10 things, three of which are of one size."""
    made = migrations.CreateModel(
        "Thing",
        [("id", models.BigAutoField(primary_key=True)), ("size", models.IntegerField())],
        options={"db_table": "tried_thing"},
    )
    state = ProjectState()
    apply([made], state)
    model = state.apps.get_model("tried", "Thing")
    model.objects.bulk_create(model(size=size) for size in (1, 1, 1, 2, 3, 4, 5, 6, 7, 8))
    yield state
    apply([migrations.DeleteModel("Thing")], state)


def apply(operations: list[Any], state: ProjectState) -> None:
    """Apply operations, as a migration of theirs alone that is no transaction; the state becomes theirs."""
    migration = migrations.Migration("0001_tried", "tried")
    migration.operations = operations
    with connection.schema_editor(atomic=False) as editor:
        migration.apply(state, editor)


def indexes() -> dict[str, tuple[bool, bool]]:
    """Return of each index whether it is valid, and unique."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT indexrelid::regclass::text, indisvalid, indisunique FROM pg_index"
            " WHERE indrelid = 'tried_thing'::regclass AND NOT indisprimary"
        )
        return {name: (is_valid, is_unique) for name, is_valid, is_unique in cursor.fetchall()}


def made() -> migrating.AddIndexBesideWork:
    return migrating.AddIndexBesideWork("thing", models.Index(fields=["size"], name=INDEX))


class Beside:
    """A transaction of somebody else, which begins and ends when it is told."""

    def __init__(self, statement: str) -> None:
        self.connection = connection.copy()
        self.connection.inc_thread_sharing()
        self.connection.set_autocommit(False)
        with self.connection.cursor() as cursor:
            cursor.execute(statement)

    def end(self) -> None:
        self.connection.rollback()
        self.connection.close()


@pytest.fixture
def beside() -> Iterator[Callable[[str], Beside]]:
    begun: list[Beside] = []

    def begin(statement: str) -> Beside:
        begun.append(Beside(statement))
        return begun[-1]

    yield begin
    for one in begun:
        one.connection.close()


def test_an_index_that_was_broken_off_is_made_anew(things) -> None:
    with connection.cursor() as cursor, pytest.raises(IntegrityError):
        cursor.execute(f"CREATE UNIQUE INDEX CONCURRENTLY {INDEX} ON tried_thing (size)")
    assert indexes() == {INDEX: (False, True)}
    apply([made()], things)
    assert indexes() == {INDEX: (True, False)}


def test_an_index_that_is_not_written_down_as_made_is_made_again(things) -> None:
    before = things.clone()
    apply([made()], things)
    apply([made()], before)
    assert indexes() == {INDEX: (True, False)}


def test_an_index_is_dropped_as_late_as_somebody_reads_it(things, beside) -> None:
    apply([made()], things)
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '50ms'")
    other = beside("SELECT 1 FROM tried_thing")
    ended = threading.Timer(0.6, other.end)
    ended.start()
    apply([migrating.RemoveIndexBesideWork("thing", INDEX)], things)
    ended.join()
    assert indexes() == {}
    with connection.cursor() as cursor:
        cursor.execute("RESET lock_timeout")


def test_who_waits_to_migrate_is_nobody_for_whom_an_index_waits(things) -> None:
    """Two upgrades at once: the first makes an index while the second waits for it."""
    told: list[str] = []

    def second() -> None:
        with migrating.alone():
            told.append("second")
        connection.close()

    with migrating.alone():
        waiting = threading.Thread(target=second)
        waiting.start()
        time.sleep(0.2)
        apply([made()], things)
        told.append("first")
    waiting.join(20)
    assert told == ["first", "second"]
    assert indexes() == {INDEX: (True, False)}


def test_an_index_waits_for_a_transaction_as_long_as_it_takes(things, beside, monkeypatch) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '50ms'")
    other = beside("INSERT INTO tried_thing (size) VALUES (9)")
    ended = threading.Timer(0.6, other.end)
    ended.start()
    apply([made()], things)
    ended.join()
    assert indexes() == {INDEX: (True, False)}
    with connection.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        assert cursor.fetchone() == ("50ms",)
        cursor.execute("RESET lock_timeout")


def test_an_index_is_shown_without_being_made(things) -> None:
    migration = migrations.Migration("0001_tried", "tried")
    migration.operations, migration.atomic = [made()], False
    with connection.schema_editor(atomic=False, collect_sql=True) as editor:
        migration.apply(things, editor, collect_sql=True)
    assert any("CREATE INDEX CONCURRENTLY" in line for line in editor.collected_sql)
    assert indexes() == {}


def unique(**options: Any) -> migrating.AddUniqueBesideWork:
    made = models.UniqueConstraint(fields=["id", "size"], name=INDEX, **options)
    return migrating.AddUniqueBesideWork("thing", made)


def constraints() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT conname FROM pg_constraint WHERE conrelid = 'tried_thing'::regclass AND contype = 'u'"
        )
        return [name for (name,) in cursor.fetchall()]


@pytest.mark.parametrize(
    ("options", "is_constraint"),
    [
        ({}, True),
        ({"nulls_distinct": False}, True),
        ({"deferrable": models.Deferrable.DEFERRED}, True),
        ({"condition": models.Q(size__gt=1)}, False),
    ],
)
def test_a_unique_constraint_is_what_django_makes_of_it(things, options, is_constraint) -> None:
    state, written = things.clone(), "SELECT indexdef, {} FROM pg_indexes WHERE indexname = %s"
    written = written.format(
        f"(SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = '{INDEX}')"
    )
    found = []
    for operation in (migrations.AddConstraint("thing", unique(**options).constraint), unique(**options)):
        state = things.clone()
        apply([operation], state)
        with connection.cursor() as cursor:
            cursor.execute(written, [INDEX])
            found.append(cursor.fetchall())
        assert constraints() == [INDEX] * is_constraint
        apply([migrations.RemoveConstraint("thing", INDEX)], state)
    assert found[0] == found[1] != []


def test_a_unique_constraint_that_was_broken_off_is_made_anew(things, monkeypatch) -> None:
    thing = things.apps.get_model("tried", "Thing")
    twice = models.UniqueConstraint(fields=["size"], name=INDEX)
    made, before = migrating.AddUniqueBesideWork("thing", twice), things.clone()
    with pytest.raises(IntegrityError):
        apply([made], things.clone())
    assert indexes() == {INDEX: (False, True)}
    thing.objects.filter(size=1).update(size=models.F("size") + models.F("id") * 100)
    apply([made], things)
    assert (indexes(), constraints()) == ({INDEX: (True, True)}, [INDEX])
    apply([made], before)  # it was not written down as made
    assert constraints() == [INDEX]


def test_another_constraint_of_its_name_is_not_taken_for_a_unique_one(things) -> None:
    apply([unique()], things.clone())
    other = models.UniqueConstraint(fields=["id"], name=INDEX)
    with pytest.raises(InternalError, match="constraint thing_by_size"):
        apply([migrating.AddUniqueBesideWork("thing", other)], things.clone())


def test_a_unique_constraint_is_not_made_in_a_transaction(things) -> None:
    with transaction.atomic(), pytest.raises(NotSupportedError, match="atomic = False"):
        apply([unique()], things.clone())


def test_a_unique_constraint_waits_beside_work_and_then_for_a_moment_again_and_again(
    things, beside, monkeypatch
) -> None:
    monkeypatch.setattr(migrating, "PAUSE", 0.05)
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '50ms'")
    other = beside("INSERT INTO tried_thing (size) VALUES (9)")
    later: list[Beside] = []

    def change() -> None:
        other.end()
        later.append(beside("SELECT 1 FROM tried_thing"))  # stands in the way of the constraint
        time.sleep(0.6)
        later[0].end()

    ended = threading.Timer(0.4, change)
    ended.start()
    apply([unique()], things)
    ended.join()
    assert constraints() == [INDEX]
    with connection.cursor() as cursor:
        cursor.execute("RESET lock_timeout")


def test_a_unique_constraint_is_shown_without_being_made(things) -> None:
    migration = migrations.Migration("0001_tried", "tried")
    migration.operations, migration.atomic = [unique()], False
    with connection.schema_editor(atomic=False, collect_sql=True) as editor:
        migration.apply(things, editor, collect_sql=True)
    assert [line for line in editor.collected_sql if "CONCURRENTLY" in line or "USING INDEX" in line]
    assert indexes() == {}


def test_rows_change_in_batches_and_go_on_where_they_were_broken_off(things, monkeypatch) -> None:
    monkeypatch.setattr(migrating, "REST", 0.0)
    thing = things.apps.get_model("tried", "Thing")
    sizes: list[int] = []

    def change(rows: Any) -> None:
        sizes.append(rows.count())
        assert rows.update(size=models.F("size") + 100) == sizes[-1]
        if len(sizes) == 3:
            raise InterruptedError

    small = thing.objects.filter(size__lt=100)
    with pytest.raises(InterruptedError):
        migrating.in_batches(small, change, size=3)
    assert (sizes, small.count()) == ([3, 3, 3], 4)
    assert migrating.in_batches(small, change, size=3) == 4
    assert sizes[3:] == [3, 1]
    assert sorted(thing.objects.values_list("size", flat=True)) == [101] * 3 + list(range(102, 109))
    assert migrating.in_batches(small, change) == 0


def test_a_row_that_is_none_of_them_any_more_stays_as_it_is(things, monkeypatch) -> None:
    monkeypatch.setattr(migrating, "REST", 0.0)
    thing = things.apps.get_model("tried", "Thing")

    def change(rows: Any) -> None:
        thing.objects.filter(size=8).update(size=1000)
        rows.update(size=models.F("size") + 100)

    migrating.in_batches(thing.objects.filter(size__lt=100), change)
    assert thing.objects.filter(size=1000).count() == 1


def test_rows_do_not_change_in_batches_inside_one_transaction(things) -> None:
    rows = things.apps.get_model("tried", "Thing").objects.all()
    with transaction.atomic(), pytest.raises(RuntimeError, match="atomic = False"):
        migrating.in_batches(rows, lambda some: some.delete())
    assert rows.count() == 10


def wanting(statement: str) -> Callable[..., None]:
    """Return a command that does this in a transaction, as a migration does."""

    def command(*_: Any, **__: Any) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)

    return command


ALTERED = "ALTER TABLE tried_thing ADD COLUMN name text"


def test_a_migration_stands_in_a_queue_for_a_moment_and_tries_again(things, beside, monkeypatch) -> None:
    """Who comes after it is let through between two tries."""
    monkeypatch.setattr(migrating, "LOCK_WAIT", 0.1)
    other = beside("SELECT 1 FROM tried_thing")
    read: list[int] = []

    def pause(_: float) -> None:
        reader = Beside("SET LOCAL lock_timeout = '50ms'")
        with reader.connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM tried_thing")
            read.append(cursor.fetchone()[0])
        reader.end()
        if len(read) == 2:
            other.end()

    monkeypatch.setattr(migrating.time, "sleep", pause)
    monkeypatch.setattr(migrating, "call_command", wanting(ALTERED))
    migrating.migrate()
    assert read == [10, 10]
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(name) FROM tried_thing")
        assert cursor.fetchone() == (0,)
        cursor.execute("SHOW lock_timeout")
        assert cursor.fetchone() == ("0",)
        cursor.execute("ALTER TABLE tried_thing DROP COLUMN name")


def test_a_new_table_that_refers_to_one_that_is_used_is_tried_again(things, beside, monkeypatch) -> None:
    """Django makes foreign keys last, and leaves its transaction open where that fails."""
    monkeypatch.setattr(migrating, "LOCK_WAIT", 0.1)
    monkeypatch.setattr(migrating, "PAUSE", 0.0)
    other = beside("INSERT INTO tried_thing (size) VALUES (9)")
    key = models.ForeignKey("tried.Thing", models.CASCADE)
    made = migrations.CreateModel("Note", [("id", models.BigAutoField(primary_key=True)), ("of", key)])
    migration = migrations.Migration("0002_tried", "tried")
    migration.operations = [made]
    tried: list[int] = []

    def command(*_: Any, **__: Any) -> None:
        tried.append(len(tried))
        if len(tried) == 3:
            other.end()
        with connection.schema_editor(atomic=True) as editor:
            migration.apply(things.clone(), editor)

    monkeypatch.setattr(migrating, "call_command", command)
    with migrating.alone():
        migrating.migrate()
        assert tried == [0, 1, 2]
        assert not connection.in_atomic_block
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()"
            )
            assert cursor.fetchone() == (1,)
            cursor.execute("SHOW lock_timeout")
            assert cursor.fetchone() == ("0",)
            cursor.execute("DROP TABLE tried_note")


def test_what_was_wrong_is_told_also_where_the_connection_broke(things) -> None:
    def migrate() -> None:
        with migrating.alone(), connection.cursor() as cursor:
            with suppress(OperationalError):
                cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        migrate()
    connection.close()


def test_a_migration_that_gets_no_lock_is_told_of(things, beside, monkeypatch) -> None:
    monkeypatch.setattr(migrating, "LOCK_WAIT", 0.05)
    monkeypatch.setattr(migrating, "TRIES", 2)
    monkeypatch.setattr(migrating, "PAUSE", 0.0)
    beside("SELECT 1 FROM tried_thing")
    monkeypatch.setattr(migrating, "call_command", wanting(ALTERED))
    with pytest.raises(Unavailable, match="lock that others hold"):
        migrating.migrate()


def test_another_fault_of_a_migration_is_not_tried_again(monkeypatch) -> None:
    tried: list[str] = []

    def command(*_: Any, **__: Any) -> None:
        tried.append("")
        raise OperationalError("the disk is full")

    monkeypatch.setattr(migrating, "call_command", command)
    with pytest.raises(OperationalError, match="the disk is full"):
        migrating.migrate()
    assert len(tried) == 1
