from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from evaluation.submissions import files
from kbpo.core.commands import Command as BaseCommand
from kbpo.core.keeping.backup import backup


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
            folders=files.folders(),
            named=files.named,
            now=timezone.now(),
        )
        if options["json"]:
            missing = [str(path) for path in made.missing]
            self.print_json({"bytes": made.size, "rows": made.rows, "files": made.files, "missing": missing})
            return
        self.stdout.write(
            f"{options['file']}: {made.rows:,} rows and {made.files:,} files in {made.size:,} bytes."
        )
        for path in made.missing:
            self.stderr.write(f"{path} is not there, though a submission names it.")
