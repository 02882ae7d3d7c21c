from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from evaluation.submissions import files
from kbpo.core.commands import Command as BaseCommand
from kbpo.core.keeping.restore import restore


class Command(BaseCommand):
    help = "Restore a backup that this version made, into an empty database, or beside another's rows."
    needs_database = False  # its tables are made anew

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--key", required=True, type=Path, metavar="FILE", help="has the secret key")
        parser.add_argument(
            "--replace",
            action="store_true",
            help="also if the database is not empty; what was there is set aside",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        done = restore(
            archive=options["file"],
            key=options["key"],
            folders=files.FOLDERS,
            now=timezone.now(),
            replace=options["replace"],
        )
        self.stdout.write(
            f"Restored as of {done.made_at:%Y-%m-%d %H:%M} UTC: {done.rows:,} rows and {done.files:,} files."
        )
        if done.kept_in:
            self.stdout.write(f"What the database had is in its schema {done.kept_in}; drop it when you may.")
        if done.in_the_way:
            self.stdout.write(f"{done.in_the_way:,} files were in the way, and are in the trash.")
        if done.skipped:
            self.stdout.write(f"Tables that are not the service's were left out: {', '.join(done.skipped)}.")
        if done.strangers:
            self.stdout.write(
                f"{done.strangers:,} files are there that the backup does not know. Nothing is removed until"
                " you have looked at them, and have said so with 'python manage.py installation --join'."
            )
