"""The rows of all tables, out of one database and into another, with COPY.

Postgres' own pg_dump would have to be installed beside the service, in a version that is not older than the
server's. What these functions need is the connection that the service has anyway: the tables are made by the
migrations, and their rows are text that every version of Postgres reads.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from psycopg import sql

from kbpo.core.errors import Conflict, InvalidInput

PART = 8 << 20  # bytes of a table's rows that are handed on at once
#: Tables that have rows though nobody has put any there.
FILLED_BY_ITSELF = frozenset(
    {"django_migrations", "django_content_type", "auth_permission", "keeping_installation"}
)

_TABLES = """
SELECT c.relname, array_agg(a.attname::text ORDER BY a.attnum)
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
  AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
GROUP BY c.relname ORDER BY c.relname
"""
_SEQUENCES = "SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = current_schema()"

Connection = BaseDatabaseWrapper


@dataclass(frozen=True, slots=True)
class Shape:
    """What a database's rows belong to.

    Attributes
    ----------
    migrations : tuple of (str, str)
        Application and name of all that are applied.
    tables : mapping of str to sequence of str
        The columns of each table.
    sequences : mapping of str to int or None
        The last value of each sequence; None where none was taken.
    """

    migrations: tuple[tuple[str, str], ...]
    tables: Mapping[str, Sequence[str]]
    sequences: Mapping[str, int | None]


def shape(connection: Connection) -> Shape:
    """Read the shape of a connection's current schema."""
    with connection.cursor() as cursor:
        cursor.execute(_TABLES)
        tables = dict(cursor.fetchall())
        cursor.execute(_SEQUENCES)
        sequences = dict(cursor.fetchall())
    return Shape(tuple(sorted(MigrationRecorder(connection).applied_migrations())), tables, sequences)


def rows_of(connection: Connection, table: str, columns: Sequence[str]) -> Iterator[tuple[bytes, int]]:
    """Yield a table's rows in COPY's text format, some megabytes at a time, each with how many rows it is."""
    statement = sql.SQL("COPY {} ({}) TO STDOUT").format(_name(table), _names(columns))
    part, rows = bytearray(), 0
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in copy:
            part += row
            rows += 1
            if len(part) >= PART:
                yield bytes(part), rows
                part, rows = bytearray(), 0
    if rows:
        yield bytes(part), rows


def insert(connection: Connection, table: str, columns: Sequence[str], part: Iterable[bytes]) -> int:
    """Insert rows that `rows_of` gave, in pieces of any size; return how many."""
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(_name(table), _names(columns))
    with connection.cursor() as cursor:
        with cursor.copy(statement) as copy:
            for piece in part:
                copy.write(piece)
        return int(cursor.rowcount)


def filled(connection: Connection) -> list[str]:
    """Return the tables in which somebody has put rows."""
    found = []
    with connection.cursor() as cursor:
        for table in shape(connection).tables:
            if table not in FILLED_BY_ITSELF:
                cursor.execute(sql.SQL("SELECT EXISTS (SELECT FROM {})").format(_name(table)))
                if cursor.fetchone()[0]:
                    found.append(table)
    return found


def make(connection: Connection, wanted: Sequence[tuple[str, str]]) -> None:
    """Make the tables of a state in an empty schema, by its migrations.

    Raises
    ------
    Conflict
        If this version of the service does not know them all.
    """
    known = MigrationLoader(connection).disk_migrations or {}
    if unknown := [f"{app}.{name}" for app, name in wanted if (app, name) not in known]:
        raise Conflict(
            f"The backup was made by another version of the service, which has {', '.join(unknown[:3])}:"
            " restore it with that version, or a later one"
        )
    executor = MigrationExecutor(connection)
    applied = set(wanted)
    graph = executor.loader.graph
    targets = [
        node
        for node in wanted
        if not any(
            child.key[0] == node[0] and child.key in applied for child in graph.node_map[node].children
        )
    ]
    executor.migrate(targets)


def finish(connection: Connection) -> None:
    """Bring a schema to this version's state."""
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def clear(connection: Connection) -> None:
    """Remove the rows that migrations made, in a schema of nobody's."""
    names = [_name(table) for table in shape(connection).tables]
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("TRUNCATE {}").format(sql.SQL(", ").join(names)))


def set_sequences(connection: Connection, values: Mapping[str, Any]) -> None:
    """Have sequences go on where they were."""
    known = shape(connection).sequences
    with connection.cursor() as cursor:
        for name, last in values.items():
            if name in known and last is not None:
                cursor.execute("SELECT setval(%s::regclass, %s)", [_quoted(name), last])


@transaction.atomic
def swap(connection: Connection, *, new: str, live: str, aside: str) -> None:
    """Have one schema take the place of another, which is kept under another name."""
    rename = sql.SQL("ALTER SCHEMA {} RENAME TO {}")
    with connection.cursor() as cursor:
        cursor.execute(rename.format(_name(live), _name(aside)))
        cursor.execute(rename.format(_name(new), _name(live)))


def current_schema(connection: Connection) -> str:
    """Return the schema that tables are in."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_schema()")
        (name,) = cursor.fetchone()
    if name is None:
        raise InvalidInput("the database has no schema for tables, such as public", where="DATABASE_URL")
    return str(name)


def others(connection: Connection) -> int:
    """Count the other sessions of the service's database user."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")  # in a transaction it would stay what it was
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND usename = current_user AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
        return int(cursor.fetchone()[0])


def _name(name: str) -> sql.Identifier:
    return sql.Identifier(name)


def _names(names: Sequence[str]) -> sql.Composed:
    return sql.SQL(", ").join(map(sql.Identifier, names))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
