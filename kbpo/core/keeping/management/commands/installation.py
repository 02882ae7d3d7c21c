from typing import Any

from django.core.management.base import CommandParser

from kbpo.core.commands import Command as BaseCommand
from kbpo.core.keeping import installation
from kbpo.core.storage import store


class Command(BaseCommand):
    help = "Say whether files and database know each other; where they do not, nothing is ever removed."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--join", action="store_true", help="have them belong together: you have made sure that they do"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["join"]:
            installation.join()
        found, standing = installation.row(), installation.standing()
        if standing.is_new:
            self.stdout.write("Neither files nor database have a name yet: the pipeline gives them one.")
        elif standing.trouble:
            self.stdout.write(standing.trouble)
        else:
            self.stdout.write(
                f"Installation {found.name}: database and files"
                f" ({store().address(installation.PLACE).rpartition('/')[0]}) belong together."
            )
        if found.warning:
            self.stdout.write(f"Since {found.warned_at:%Y-%m-%d %H:%M} UTC: {found.warning}")
