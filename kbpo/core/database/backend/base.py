"""Django finds a database backend by this module's name."""

from typing import Any

import psycopg
from django.db.backends.postgresql import base

from kbpo.core.database import limits, watching


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection to Postgres under this process' time limits."""

    def get_connection_params(self) -> dict[str, Any]:
        """Add the limits; what ``DATABASE_URL`` says itself comes first."""
        params: dict[str, Any] = super().get_connection_params()
        present = limits.present()
        options = f"{present.options()} {params.get('options', '')}".strip()
        return {"connect_timeout": present.connect, **params} | ({"options": options} if options else {})

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Connect; where a request waits for it, not to a server that has just been found away."""
        if limits.present().silence is None:
            return super().get_new_connection(conn_params)
        watching.refuse_if_away(conn_params)
        try:
            connection: psycopg.Connection[Any] = super().get_new_connection(conn_params)
        except psycopg.OperationalError:
            watching.note(is_away=True)
            raise
        watching.note(is_away=False)
        watching.watch(connection, limits.present().silence)
        return connection
