"""Command that brings the database and the store of files up to this version of the code."""

import time
from argparse import ArgumentParser
from typing import Any

from django.core.cache import cache
from django.core.management import call_command
from django.db import OperationalError, connection

from kbpo.core import commands
from kbpo.core.database.migrating import migration_lock
from kbpo.core.errors import StoreAway, Unavailable
from kbpo.core.storage import store

PATIENCE, LOOK = 60, 0.5  # seconds: until the database answers, and between two tries


class Command(commands.Command):
    """Applies migrations and prepares the store of files, before web, worker, mailer and beat start."""

    help = (
        "Bring the database up to this version: wait until it answers, then apply pending migrations, one"
        " process at a time, and clear the cache. Stop web, worker, mailer and beat first. Then check the"
        " store of files; a missing bucket is created."
    )
    needs_database = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add ``--wait``."""
        parser.add_argument(
            "--wait",
            type=int,
            default=PATIENCE,
            metavar="SECONDS",
            help="for each of the two to answer; %(default)s",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Wait, take the lock, migrate, and say what was done."""
        wait_for_database(float(options["wait"]))
        with migration_lock():
            pending = commands.pending_migrations()
            call_command("migrate", interactive=False, verbosity=0)
            cache.clear()
        prepare_store(float(options["wait"]))
        self.stdout.write(f"{pending} migrations were applied." if pending else "The database is up to date.")


def wait_for_database(patience: float) -> None:
    """Return once the database answers.

    Raises
    ------
    Unavailable
        If it does not within so many seconds: with what it said last.
    """
    deadline = time.monotonic() + patience
    while True:
        try:
            connection.ensure_connection()
        except OperationalError as error:
            if time.monotonic() > deadline:
                words = " ".join(str(error).split())
                raise Unavailable(f"The database did not answer within {patience:.0f} s: {words}") from error
            time.sleep(LOOK)
        else:
            return


def prepare_store(patience: float) -> None:
    """Return once the store of files answers, and has what files are in.

    Raises
    ------
    Unavailable
        If it does not within so many seconds: with what it said last.
    """
    deadline = time.monotonic() + patience
    while True:
        try:
            store().prepare()
        except StoreAway as error:
            if time.monotonic() > deadline:
                words = f"The store of files was not there within {patience:.0f} s: {error.detail}"
                raise Unavailable(words) from error
            time.sleep(LOOK)
        else:
            return
