"""The base of the service's commands: one line for what is refused, a database that is ready, ``--json``."""

import json
from collections.abc import Mapping
from typing import Any, NoReturn

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import InterfaceError, OperationalError, connection
from django.db.migrations.executor import MigrationExecutor

from kbpo.core.database.migrating import migration_lock, refuse_another_version
from kbpo.core.errors import KbpoError, Unavailable, UsageError


class Refused(CommandError):
    """A command's refusal, as Django reports it: one line on stderr and an exit status."""


class Command(BaseCommand):
    """Base class of commands.

    A `KbpoError` that ``handle`` raises becomes one line on stderr and exit status 1, a `UsageError` exit
    status 2, as for arguments that cannot be read. The database is ready when ``handle`` begins.

    Attributes
    ----------
    offers_json : bool
        Whether the command takes ``--json``. Then ``options["json"]`` says whether it was given.
    needs_database : bool
        Whether the database is to be ready, with all migrations, before the command begins.
    """

    offers_json = False
    needs_database = True
    requires_system_checks = []

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Add ``--json`` where it is offered."""
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.print_usage = lambda file=None: None  # type: ignore[method-assign]  # errors are one line
        if self.offers_json:
            parser.add_argument("--json", action="store_true", help="print one JSON document, nothing else")
        return parser

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Prepare the database and run the command; turn refusals into one line each."""
        try:
            refuse_unreadable(options)
            if self.needs_database:
                prepare_database()
            return super().execute(*args, **options)
        except UsageError as error:
            self.refuse(error, status=2)
        except (OperationalError, InterfaceError) as error:
            self.refuse(Unavailable(f"The database cannot be used: {error}"), status=1)
        except KbpoError as error:
            self.refuse(error, status=1)

    def refuse(self, error: KbpoError, *, status: int) -> NoReturn:
        """End the command with the error as one line."""
        raise Refused(" ".join(str(error).split()), returncode=status) from error

    def print_json(self, document: Any) -> None:
        """Print the one JSON document of ``--json``.

        Parameters
        ----------
        document : object
            What `json` can write; NaN and infinities are refused, since JSON has none.
        """
        self.stdout.write(json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2))


def refuse_unreadable(options: Mapping[str, Any]) -> None:
    """Refuse arguments that are not UTF-8: they cannot be stored, nor be anything's name."""
    for name, value in options.items():
        if isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value):
            raise UsageError(f"--{name} is {value!r}, which is not UTF-8")


def prepare_database() -> None:
    """Bring the embedded database up to date; refuse any other that is not.

    Inside a transaction the database is taken as it is.

    Raises
    ------
    Unavailable
        If the database cannot be reached, or is not the embedded one and has migrations pending.
    """
    if connection.in_atomic_block:
        return
    try:
        if not (pending := pending_migrations()):
            return
        if not settings.EMBEDDED_DATABASE:
            raise Unavailable(
                f"{pending} migrations are not applied to the database: run 'python manage.py upgrade'."
            )
        with migration_lock():
            call_command("migrate", interactive=False, verbosity=0)
    except OperationalError as error:
        raise Unavailable(f"The database cannot be used: {error}") from error


def pending_migrations() -> int:
    """Count the migrations that the database lacks.

    Raises
    ------
    Unavailable
        If other initial migrations made the database.
    """
    executor = MigrationExecutor(connection)
    refuse_another_version(executor.loader)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
