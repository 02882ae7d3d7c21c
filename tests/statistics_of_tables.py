"""What Postgres' planner knows of a table, and how to have it know too little."""

from collections.abc import Iterable
from typing import Any

from django.db import connection
from django.db.models import Model


def known_rows(model: type[Model]) -> int:
    """Return how many rows the planner believes a table to have; -1 where it was never analysed."""
    return int(_one("SELECT reltuples FROM pg_class WHERE oid = %s::regclass", model._meta.db_table))


def known_values(model: type[Model], column: str) -> list[str]:
    """Return the values of a column that the planner knows to be frequent, as text."""
    found = _one(
        "SELECT COALESCE((SELECT most_common_vals::text::text[] FROM pg_stats"
        " WHERE schemaname = 'public' AND tablename = %s AND attname = %s), '{}')",
        model._meta.db_table,
        column,
    )
    return list(found)


def forget(*models: type[Model]) -> None:
    """Have the planner know nothing of tables."""
    for model in models:
        _one("SELECT pg_clear_relation_stats('public', %s)::text", model._meta.db_table)


def mislead(*models: type[Model]) -> None:
    """Have the planner believe that tables are pages without a row, as when they are analysed amid a load."""
    for model in models:
        _one(
            "SELECT pg_restore_relation_stats('schemaname', 'public', 'relname', %s, 'reltuples', 0::real,"
            " 'relpages', GREATEST(1, pg_relation_size(%s::regclass) / 8192)::integer)",
            model._meta.db_table,
            model._meta.db_table,
        )


def rows_read(models: Iterable[type[Model]]) -> int:
    """Return how many rows of tables this session has looked at, in the transaction that it is in."""
    tables = [model._meta.db_table for model in models]
    return int(
        _one(
            "SELECT sum(seq_tup_read + COALESCE(idx_tup_fetch, 0))"
            " FROM pg_stat_xact_user_tables WHERE relname = ANY(%s)",
            tables,
        )
    )


def _one(query: str, *parameters: object) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(query, list(parameters))
        (found,) = cursor.fetchone()
    return found
