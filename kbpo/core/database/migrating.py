"""Helpers of migrations: many tables in one operation, a lock, and a mark of the initial migrations."""

import hashlib
import inspect
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

from django.db import Error, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import CreateModel
from django.db.migrations.operations.base import Operation

from kbpo.core.errors import Unavailable

LOCK_ID = 0x6B62706F  # "kbpo" in ASCII: an advisory lock that nothing else in the database uses
POLL_SECONDS = 0.5


class CreateModels(Operation):
    """Create the tables of several models; the state of all models is rendered once.

    Django renders every related model again for each `CreateModel`. Most models here refer to the user, so
    that 128 single operations took three quarters of the time of a fresh ``migrate``.

    Parameters
    ----------
    models : list of CreateModel
        They may refer to each other in any order: foreign keys are added at the end of the transaction.
    """

    reversible = True
    reduces_to_sql = True
    serialization_expand_args: ClassVar[list[str]] = ["models"]

    def __init__(self, models: list[CreateModel]) -> None:
        self.models = models

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        """Return the class name and its arguments, as `MigrationWriter` wants them."""
        return self.__class__.__qualname__, [self.models], {}

    def state_forwards(self, app_label: str, state: Any) -> None:
        """Add the models to the state, after dropping the rendered classes."""
        state.__dict__.pop("apps", None)
        for model in self.models:
            model.state_forwards(app_label, state)

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Create the tables."""
        for model in self.models:
            model.database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Drop the tables, the last first."""
        for model in reversed(self.models):
            model.database_backwards(app_label, schema_editor, from_state, to_state)

    def describe(self) -> str:
        """Return the line that ``migrate --plan`` prints."""
        return f"Create {len(self.models)} models"


@contextmanager
def migration_lock() -> Iterator[None]:
    """Hold the lock under which one process migrates; wait while another has it."""
    with connection.cursor() as cursor:
        while True:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", [LOCK_ID])
            if cursor.fetchone()[0]:
                break
            time.sleep(POLL_SECONDS)
        try:
            yield
        finally:
            with suppress(Error):  # a lost connection has lost its locks as well
                cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK_ID])


def mark_initial_migrations(**_: Any) -> None:
    """Note in a new database which initial migrations made it, after ``migrate``."""
    if _mark() == "":
        with connection.cursor() as cursor:
            cursor.execute(f"COMMENT ON TABLE django_migrations IS '{_digest(MigrationLoader(None))}'")


def refuse_another_version(loader: MigrationLoader) -> None:
    """Refuse a database that was created by different initial migrations.

    Initial migrations change until version 1.0, and nothing upgrades a database from one to the next.

    Parameters
    ----------
    loader : MigrationLoader
        Has read which migrations were applied.

    Raises
    ------
    Unavailable
    """
    ours = {app for app, _ in _ours(loader)}
    is_unknown = any(
        node[0] in ours and node not in loader.disk_migrations for node in loader.applied_migrations
    )
    if is_unknown or _mark() not in (None, "", _digest(loader)):
        raise Unavailable(
            "The database was made by another version before 1.0, which cannot be upgraded: use an empty"
            " database, or another folder in KBPO_HOME."
        )


def _mark() -> str | None:
    """Return the mark of a database; an empty one if it has none, None if it has no migrations yet."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(obj_description(oid), '') FROM pg_class"
            " WHERE oid = to_regclass('django_migrations')"
        )
        found = cursor.fetchone()
    return found and str(found[0])


def _digest(loader: MigrationLoader) -> str:
    digest = hashlib.sha256()
    for (app, name), path in sorted(_ours(loader).items()):
        if name.startswith("0001"):
            digest.update(f"{app}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def _ours(loader: MigrationLoader) -> dict[tuple[str, str], Path]:
    """Return the files of the service's own migrations."""
    paths = {node: Path(inspect.getfile(type(one))) for node, one in loader.disk_migrations.items()}
    return {node: path for node, path in paths.items() if "site-packages" not in path.parts}
