from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from kbpo.core.commands import Command as BaseCommand
from kbpo.core.keeping import sealing


class Command(BaseCommand):
    help = "Make a key for backups: the secret half into a file, for you to keep; the public half is printed."
    needs_database = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="must not be there yet")

    def handle(self, *args: Any, **options: Any) -> None:
        public = sealing.make_key(options["file"])
        self.stdout.write(public)
        self.stderr.write(
            f"{options['file']} opens the backups that are made with --key {public}."
            " Keep it in two places, neither of them this server: without it no backup can be read."
        )
