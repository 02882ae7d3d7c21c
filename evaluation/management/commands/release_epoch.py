from typing import Any

from django.core.management.base import CommandParser

from annotations.selectors import corpus_by_tag
from evaluation import epochs
from kbpo.core.commands import Command as BaseCommand


class Command(BaseCommand):
    help = "Publish the open epoch's labels and secret, and open the next."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--corpus", required=True, metavar="TAG")

    def handle(self, *args: Any, **options: Any) -> None:
        epoch = epochs.release(corpus=corpus_by_tag(options["corpus"]))
        self.stdout.write(
            f"{epoch.corpus.tag}: epoch {epoch.number} is released; its secret is {epoch.secret}"
        )
