"""Time limits of database connections."""

from collections.abc import Iterator

import pytest
from django.db import connection

from kbpo.core.database import limits
from kbpo.core.database.backend.base import DatabaseWrapper

DATABASE = {"HOST": "postgres.example.org", "NAME": "kbpo", "USER": "kbpo", "PASSWORD": "x", "PORT": "5432"}


@pytest.fixture
def web() -> Iterator[None]:
    """Set the limits that web processes have."""
    limits.set_limits(limits.WEB)
    yield
    limits.set_limits(limits.COMMANDS)


@pytest.mark.parametrize("pooled", [False, True])
def test_limits_of_a_web_process_are_parameters_of_its_connections(web: None, pooled: bool) -> None:
    settings = connection.settings_dict | DATABASE | {"DISABLE_SERVER_SIDE_CURSORS": pooled, "OPTIONS": {}}
    params = DatabaseWrapper(settings).get_connection_params()
    assert {name: params.get(name) for name in limits.WEB.of_client()} == {
        "connect_timeout": 2,
        "tcp_user_timeout": 3000,
        "keepalives_idle": 1,
        "keepalives_interval": 1,
        "keepalives_count": 3,
    }
    assert ("options" in params) is not pooled
