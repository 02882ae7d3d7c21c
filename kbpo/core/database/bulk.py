"""Rows of Postgres as columns of numbers, without an object for each row.

Postgres gathers each column of a query into one array and sends that in its binary format, in which elements
of a fixed width follow each other evenly: an array that numpy can look at without a loop.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from django.db import connection
from django.db.backends.utils import CursorDebugWrapper, CursorWrapper
from django.db.models import Model
from numpy.typing import NDArray
from psycopg import Cursor, sql
from psycopg.pq import Format

from kbpo.core.errors import InvalidInput

_TYPES = {"bigint": ">i8", "float8": ">f8", "int": ">i4", "bool": "?"}
"""How Postgres writes a value of each type."""
_HEADER = np.dtype(
    [("dimensions", ">i4"), ("nulls", ">i4"), ("type", ">i4"), ("size", ">i4"), ("low", ">i4")]
)

Array = NDArray[Any]


def read_columns(query: str, parameters: Sequence[object], columns: Mapping[str, str]) -> dict[str, Array]:
    """Run a query and return its columns as arrays.

    Parameters
    ----------
    query : str
        One SELECT, with %s for each parameter, cast where its type is not plain.
    parameters : sequence
    columns : mapping of str to {"bigint", "float8", "int", "bool"}
        The names and types of the query's columns, in their order.

    Returns
    -------
    dict of str to array[n]
        In the machine's own byte order.

    Raises
    ------
    InvalidInput
        If a type is another, or a value is null.

    Examples
    --------
    >>> read_columns("SELECT 7, 0.5", [], {"id": "bigint", "p": "float8"})  # doctest: +SKIP
    {'id': array([7]), 'p': array([0.5])}
    """
    for name, kind in columns.items():
        if kind not in _TYPES:
            raise InvalidInput(f"is {kind!r}; one of {', '.join(_TYPES)} is needed", where=name)
    arrays = sql.SQL(", ").join(
        sql.SQL("array_send(array_agg({}::{}))").format(sql.Identifier(name), sql.SQL(kind))
        for name, kind in columns.items()
    )
    names = sql.SQL(", ").join(map(sql.Identifier, columns))
    statement = sql.SQL("SELECT {} FROM ({}) AS rows ({})").format(arrays, sql.SQL(query), names)
    ((*row,),) = _fetch(statement, parameters)  # an aggregate without groups has one row
    return {name: _parsed(name, kind, data) for (name, kind), data in zip(columns.items(), row, strict=True)}


def read_rows(query: str, parameters: Sequence[object] | Mapping[str, object]) -> list[tuple[Any, ...]]:
    """Run a query and return its rows as Postgres sends them in binary: megabytes of bytes cost no decoding.

    Parameters
    ----------
    query : str
        As in `read_columns`; where parameters have names, with %(name)s for each.
    parameters : sequence, or mapping of str to object
    """
    return _fetch(sql.SQL(query), parameters)


def copy_rows(model: type[Model], columns: Sequence[str], rows: Iterable[Sequence[object]]) -> int:
    """Insert rows with COPY; all constraints hold as for any insert, defaults of Django do not.

    Parameters
    ----------
    model : type of Model
    columns : sequence of str
        The fields, as the model names them in the database (``batch_id``).
    rows : iterable of sequence
        A value for each column.

    Returns
    -------
    int
        How many rows there were.
    """
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(model._meta.db_table), sql.SQL(", ").join(map(sql.Identifier, columns))
    )
    with connection.wrap_database_errors, connection.cursor() as cursor:
        with cursor.copy(statement) as copy:
            for row in rows:
                copy.write_row(row)
        return int(cursor.rowcount)


def reserve_ids(model: type[Model], number: int) -> list[int]:
    """Return new row ids, for rows that are loaded together with others that refer to them."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)",
            [model._meta.db_table, number],
        )
        return [pk for (pk,) in cursor.fetchall()]


def array_literal(values: Iterable[float | int]) -> str:
    """Return numbers as Postgres writes an array of them, NULL for NaN: to be cast, as ``%s::bigint[]``.

    The driver takes a list too, but looks at each of its values.

    Examples
    --------
    >>> array_literal([0.5, math.nan, 2])
    '{0.5,NULL,2}'
    """
    return "{" + ",".join(map(str, values)).replace("nan", "NULL") + "}"


def insert_row(model: type[Model], values: Mapping[str, object]) -> None:
    """Insert one row whose bytes are sent as they are, not as hexadecimal, as Django would.

    Parameters
    ----------
    model : type of Model
    values : mapping of str to object
        By column, as `copy_rows` names them.
    """
    statement = sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
        sql.Identifier(model._meta.db_table),
        sql.SQL(", ").join(map(sql.Identifier, values)),
        sql.SQL(", ").join(sql.SQL("%b" if isinstance(one, bytes) else "%s") for one in values.values()),
    )
    connection.ensure_connection()
    with connection.wrap_database_errors, Cursor(connection.connection) as cursor:
        cursor.execute(statement, list(values.values()))


def _fetch(
    statement: sql.SQL | sql.Composed, parameters: Sequence[object] | Mapping[str, object]
) -> list[tuple[Any, ...]]:
    connection.ensure_connection()
    # Django's own cursors bind parameters in the client, and those know no binary results. What it wraps them
    # in is kept: whoever counts queries counts these.
    wrapper = CursorDebugWrapper if connection.queries_logged else CursorWrapper
    with connection.wrap_database_errors, Cursor(connection.connection) as cursor:
        cursor.format = Format.BINARY
        words = statement.as_string(connection.connection)
        given = parameters if isinstance(parameters, Mapping) else tuple(parameters)
        wrapper(cursor, connection).execute(words, given)  # type: ignore[arg-type]
        return list(cursor.fetchall())


def _parsed(name: str, kind: str, data: bytes | None) -> Array:
    type_ = np.dtype(_TYPES[kind])
    if data is None:  # no rows
        return np.empty(0, dtype=type_.newbyteorder("="))
    header = np.frombuffer(data, dtype=_HEADER, count=1)[0]
    if header["nulls"]:
        raise InvalidInput("a value is null; this column must not have any", where=name)
    elements = np.frombuffer(data, dtype=[("length", ">i4"), ("value", type_)], offset=_HEADER.itemsize)
    return elements["value"].astype(type_.newbyteorder("="))
