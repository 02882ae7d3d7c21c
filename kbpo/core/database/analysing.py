"""What Postgres' planner knows of a table is made anew where many rows were loaded, with them.

Autovacuum does the same, but too late: up to a minute after the commit, never for rows that their own
transaction reads, and not at all for temporary tables. Worse, to autovacuum a table into which others are
just loading is many pages without a row. A plan for one row that meets a hundred thousand puts loops into
loops: minutes instead of a second. What is known of the values is committed, and rolled back, with the rows;
of a load that is rolled back the number of rows stays, until autovacuum comes by.
"""

import logging
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext

from django.db import DatabaseError, connection, transaction
from django.db.models import Model

from kbpo.core.database.outages import is_outage

logger = logging.getLogger(__name__)

LEAST, SHARE = 50, 0.1
"""Rows, and the share of a table's rows, beyond which autovacuum would analyse it too.

That takes a second or more of a table of many million rows, so it is not done for each small load.
"""


def analyse(loaded: Mapping[type[Model], int]) -> None:
    """Analyse the tables that have grown by many rows.

    Call it late in the transaction that loads: until that ends, nobody else can analyse the tables. One that
    somebody else is just analysing is left out, so nobody waits. Nothing rests on it: an error is logged, and
    leaves what was loaded as it is.

    Parameters
    ----------
    loaded : mapping of type of Model to int
        How many rows were added to the table of each.
    """
    for model, rows in loaded.items():
        if rows <= LEAST:
            continue
        table = model._meta.db_table
        try:
            with _savepoint(), connection.cursor() as cursor:
                cursor.execute("SELECT reltuples FROM pg_class WHERE oid = %s::regclass", [table])
                (known,) = cursor.fetchone()  # -1 of a table that was never analysed
                if rows > LEAST + SHARE * known:
                    cursor.execute(f"ANALYZE (SKIP_LOCKED) {connection.ops.quote_name(table)}")
        except DatabaseError as error:
            if is_outage(error):
                raise
            logger.warning("%s was not analysed: %s", table, error)


def _savepoint() -> AbstractContextManager[None]:
    """Keep an error from the transaction around, if there is one; a transaction of its own is not needed."""
    return transaction.atomic() if connection.in_atomic_block else nullcontext()
