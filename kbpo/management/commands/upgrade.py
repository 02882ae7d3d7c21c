"""Bring the database up to this code's migrations, once it answers, whoever else is at it."""

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management import call_command
from django.db import OperationalError, connection

from kbpo.core import commands
from kbpo.core.errors import Unavailable

PATIENCE, LOOK = 60, 0.5  # seconds: until the database answers, and between two tries


class Command(commands.Command):
    """Applies what migrations are pending: for servers, before web, worker and beat start."""

    help = (
        "Bring the database up to this code: waits until it answers, and applies what migrations are"
        " pending. Two that run at once take turns. What runs already may go on meanwhile."
    )
    needs_database = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add ``--wait``."""
        parser.add_argument(
            "--wait",
            type=int,
            default=PATIENCE,
            metavar="SECONDS",
            help="for the database to answer; %(default)s",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Wait, take the lock, migrate, and say what was done."""
        wait_for_database(float(options["wait"]))
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [commands.MIGRATION_LOCK])
            try:
                pending = commands.pending_migrations()
                call_command("migrate", interactive=False, verbosity=0)
            finally:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [commands.MIGRATION_LOCK])
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
