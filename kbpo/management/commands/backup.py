from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from evaluation.submissions import files
from kbpo.core.commands import Command as BaseCommand
from kbpo.core.keeping.backup import backup
from kbpo.core.storage import store


class Command(BaseCommand):
    help = "Write database and files into one encrypted archive, while the service runs."
    needs_database = False  # before an update it is backed up as it is
    offers_json = True

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="must not be there yet")
        parser.add_argument(
            "--key", required=True, metavar="KEY", help="age1…, or a file that has it; backup_key makes one"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        made = backup(
            to=options["file"],
            key=options["key"],
            folders=files.FOLDERS,
            named=files.named,
            now=timezone.now(),
        )
        if options["json"]:
            counts = {"bytes": made.size, "rows": made.rows, "files": made.files}
            self.print_json(counts | {"missing": [store().address(place) for place in made.missing]})
            return
        self.stdout.write(
            f"{options['file']}: {made.rows:,} rows and {made.files:,} files in {made.size:,} bytes."
        )
        for place in made.missing:
            self.stderr.write(f"{store().address(place)} is not there, though a submission names it.")
