"""Django finds a database backend by this module's name."""

from typing import Any

from django.db.backends.postgresql import base

from kbpo.core.database import limits


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection to Postgres under this process' time limits.

    Attributes
    ----------
    claimed : set of int
        What its thread has claimed (`kbpo.core.database.locks`).
    spares : list of DatabaseWrapper
        Connections that held a claim, kept for the next; closed with this one.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.claimed: set[int] = set()
        self.spares: list[DatabaseWrapper] = []

    def another(self) -> "DatabaseWrapper":
        """Return another connection to the same database, which commits nothing by itself."""
        other: DatabaseWrapper = self.copy()
        other.inc_thread_sharing()  # whoever closes this one may close it too
        other.set_autocommit(False)
        return other

    def close(self) -> None:
        """Close it, and its spares."""
        self.close_spares()
        super().close()

    def close_spares(self) -> None:
        """Close the connections that are kept for the next claims."""
        while self.spares:
            self.spares.pop().close()

    def get_connection_params(self) -> dict[str, Any]:
        """Add the limits; what ``DATABASE_URL`` says itself comes first.

        A pooler takes none: a session is not this connection's, and has the limits of its role.
        """
        params: dict[str, Any] = super().get_connection_params()
        present = limits.present()
        if self.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS"):
            return present.of_client() | params
        options = f"{present.options()} {params.get('options', '')}".strip()
        return present.of_client() | params | ({"options": options} if options else {})
