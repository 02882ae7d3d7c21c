"""Bring database and store of files to what this code needs, once they answer, whoever else is at it."""

import time
from argparse import ArgumentParser
from typing import Any

from django.db import OperationalError, connection

from kbpo.core import commands
from kbpo.core.database import migrating
from kbpo.core.errors import StoreAway, Unavailable
from kbpo.core.storage import store

PATIENCE, LOOK = 60, 0.5  # seconds: until the database answers, and between two tries


class Command(commands.Command):
    """Applies pending migrations, and has a store of files: for servers, before web, worker and beat."""

    help = (
        "Bring the database up to this code: waits until it answers, and applies what migrations are"
        " pending. Two that run at once take turns. What runs already may go on meanwhile: whatever waits for"
        " a lock tries again every few seconds, and lets others go first. Then it sees to it that the store"
        " of files is there: a bucket that is missing is made."
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
        with migrating.alone():
            pending = commands.pending_migrations()
            migrating.migrate()
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
