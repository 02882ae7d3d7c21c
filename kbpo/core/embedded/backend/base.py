"""Django finds a database backend by this module's name."""

from typing import Any

from kbpo.core.database.backend import base
from kbpo.core.embedded import Postgres, postgres


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection to the embedded Postgres of ``KBPO_HOME``, which it starts unless it runs."""

    def get_connection_params(self) -> dict[str, Any]:
        """Say where the server listens, once it does."""
        server: Postgres = postgres(self.settings_dict["KBPO_HOME"], durable=self.settings_dict["DURABLE"])
        self.settings_dict["HOST"] = str(server.acquire().parent)
        params: dict[str, Any] = super().get_connection_params()
        return params
