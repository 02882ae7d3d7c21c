from typing import Any

from evaluation.submissions import work
from kbpo import pipeline
from kbpo.core.commands import Command as BaseCommand


class Command(BaseCommand):
    help = "Run the pipeline until nothing more can be done without people."
    offers_json = True

    def handle(self, *args: Any, **options: Any) -> None:
        moved = pipeline.advance()
        if at := work.next_try():
            self.stderr.write(f"What ended in an error (see the log) is tried again from {at:%H:%M:%S} UTC.")
        if options["json"]:
            self.print_json(moved)
            return
        for stage, count in moved.items():
            self.stdout.write(f"{stage}: {count}")
