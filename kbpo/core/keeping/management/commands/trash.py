from typing import Any

from django.core.management.base import CommandParser

from kbpo.core.commands import Command as BaseCommand
from kbpo.core.keeping import trash
from kbpo.core.storage import store


class Command(BaseCommand):
    help = "List what is in the trash of files, or put back what was moved there at once."
    offers_json = True

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--put-back", metavar="NAME", help="what the list calls it")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["put_back"]:
            number = trash.put_back(name=options["put_back"])
            if options["json"]:
                self.print_json({"put_back": number})
            else:
                self.stdout.write(f"{number} files are back where they were.")
            return
        thrown = trash.thrown()
        if options["json"]:
            self.print_json(
                [
                    {"name": one.name, "moved_at": one.moved_at.isoformat(), "reason": one.reason}
                    | {"deleted_after": (one.moved_at + trash.KEPT).isoformat(), "paths": list(one.places)}
                    for one in thrown
                ]
            )
            return
        if not thrown:
            self.stdout.write("The trash is empty.")
        for one in thrown:
            until = one.moved_at + trash.KEPT
            self.stdout.write(f"{one.name}: {one.reason}; deleted after {until:%Y-%m-%d %H:%M} UTC")
            for place in one.places:
                self.stdout.write(f"  {store().address(place)}")
