"""PgBouncer before Postgres, on a socket: sessions are shared between transactions."""

import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg

from tests.processes import wait_until

SESSIONS = 12  # with Postgres, at most: fewer than the clients that there are
CONFIGURATION = """
[databases]
kbpo = host={postgres} port=5432 dbname=kbpo user=kbpo

[pgbouncer]
pool_mode = transaction
listen_addr =
unix_socket_dir = {sockets}
listen_port = 5432
auth_type = trust
auth_file = {users}
admin_users = kbpo
max_client_conn = 200
default_pool_size = {sessions}
query_wait_timeout = 60
ignore_startup_parameters = extra_float_digits
"""
#: It refuses to be root, and what it reaches lies below folders that only root may enter.
AS_NOBODY = (
    *("setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups"),
    *("--inh-caps", "+dac_override", "--ambient-caps", "+dac_override"),
)


def may_pool() -> str:
    """Say why there is no PgBouncer here; nothing where there is one."""
    missing = [name for name in ("pgbouncer", "setpriv") if shutil.which(name) is None]
    return f"not installed: {', '.join(missing)} (packages pgbouncer, util-linux)" if missing else ""


@contextlib.contextmanager
def pooled(postgres: Path) -> Iterator[Path]:
    """Run PgBouncer before the Postgres of a socket's folder; yield the folder of its own socket."""
    with tempfile.TemporaryDirectory(prefix="kbpo-pool-", dir="/tmp") as name:  # short, as sockets' paths are
        folder = Path(name)
        folder.chmod(0o755)
        users, sockets = folder / "users.txt", folder / "sockets"
        sockets.mkdir(mode=0o777)
        sockets.chmod(0o777)
        users.write_text('"kbpo" ""\n')
        settings = folder / "pgbouncer.ini"
        settings.write_text(
            CONFIGURATION.format(postgres=postgres, sockets=sockets, users=users, sessions=SESSIONS)
        )
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                [*AS_NOBODY, "pgbouncer", str(settings)], stdout=log, stderr=subprocess.STDOUT
            )
        try:
            is_there = wait_until((sockets / ".s.PGSQL.5432").exists, 20)
            assert is_there, (folder / "log").read_text()
            yield sockets
        finally:
            process.terminate()
            process.wait(20)


def counted(sockets: Path) -> tuple[str, int]:
    """Return how PgBouncer shares sessions, and how many transactions it has passed on."""
    with psycopg.connect(f"host={sockets} dbname=pgbouncer user=kbpo", autocommit=True) as admin:
        (pool,) = _rows(admin, "SHOW POOLS")
        (stats,) = _rows(admin, "SHOW STATS")
    return str(pool["pool_mode"]), int(stats["total_xact_count"])


def _rows(admin: Any, asked: str) -> list[dict[str, Any]]:
    cursor = psycopg.ClientCursor(admin)  # the console knows no prepared statements
    cursor.execute(asked)
    names = [column.name for column in cursor.description or ()]
    found = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    return [row for row in found if row["database"] == "kbpo"]
