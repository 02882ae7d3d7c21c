"""The database of a run: made by migrations once, copied by all others, and emptied after what commits."""

import fcntl
import hashlib
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import django
from django.apps import apps
from django.conf import settings
from django.db import connection, transaction
from django.test import TransactionTestCase
from django.test.utils import setup_databases

import kbpo_formats
from annotations import ontologies
from kbpo.core.embedded import postgres
from kbpo.core.embedded.postgres_server import POSTGRES_VERSION

SMALL = 1 << 20  # bytes; what is larger is truncated rather than deleted
#: What each database has of the code alone, and no test changes.
KEPT = ("django_content_type", "auth_permission")


def copy_database(shared: Path) -> None:
    """Give this process' server a database as migrations make it.

    The first process that comes leaves one in the folder `shared`; until the code changes, or the day does
    (what migrations write may bear it), others copy that one.
    """
    with (shared / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = shared / _digest()
        if not made.is_dir():
            for old in shared.iterdir():
                if old.is_dir():
                    shutil.rmtree(old)
            _make(shared / "partial")
            (shared / "partial").rename(made)
        home = Path(settings.KBPO_HOME, "postgres")
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        # its files belong to who runs the server
        subprocess.run(["cp", "-a", str(made / "postgres" / "data"), str(home)], check=True)
    connection.settings_dict["NAME"] = connection.creation._get_test_db_name()


def _make(home: Path) -> None:
    given = dict(connection.settings_dict)
    connection.settings_dict["KBPO_HOME"] = home
    try:
        setup_databases(verbosity=0, interactive=False, serialized_aliases=())
    finally:
        connection.close()
        connection.settings_dict.update(given)
        postgres(home, durable=False).release()


def _digest() -> str:
    """Tell apart all that makes a database: our code, the libraries' migrations, the server, and the day."""
    said = hashlib.sha256(f"{POSTGRES_VERSION} {django.__version__} {datetime.now(UTC):%F}".encode())
    folders = {
        Path(app.path, "migrations") if "site-packages" in app.path else Path(app.path)
        for app in apps.get_app_configs()
    } | {Path(kbpo_formats.__file__).parent}  # its ontologies are rows
    for folder in sorted(folders):
        for path in sorted(folder.rglob("*")):
            if path.suffix != ".pyc" and path.is_file():
                said.update(f"\0{path}\0".encode() + path.read_bytes())
    return said.hexdigest()


def empty_quickly() -> None:
    """Have tests that commit empty the tables that they wrote to, in place of truncating all."""
    TransactionTestCase._fixture_teardown = _empty


def _empty(case: Any) -> None:
    names = set(connection.introspection.django_table_names()) - set(KEPT)
    with transaction.atomic(), connection.cursor() as cursor:
        # neither foreign keys nor what keeps the audit log is in the way
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute("SELECT relname FROM pg_class WHERE relkind = 'r' AND relname = ANY(%s)", [[*names]])
        there = ", ".join(f'"{name}"' for [name] in cursor.fetchall())
        # until whoever still writes is done
        cursor.execute(f"LOCK TABLE {there} IN ACCESS EXCLUSIVE MODE")
        cursor.execute(
            "SELECT relname, pg_relation_size(oid) FROM pg_class "
            "WHERE relkind = 'r' AND relname = ANY(%s) AND pg_relation_size(oid) > 0",
            [[*names]],
        )
        for name, size in cursor.fetchall():
            cursor.execute(f'DELETE FROM "{name}"' if size < SMALL else f'TRUNCATE "{name}" CASCADE')
    ontologies.store_builtin_after_migrating()
