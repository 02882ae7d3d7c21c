from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotations import ontologies
from annotations.selectors import corpus_by_tag
from kbpo.core.commands import Command as BaseCommand


class Command(BaseCommand):
    help = "Give a corpus guidelines and examples of its own, from TOML (docs/ontologies)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--corpus", required=True, metavar="TAG")

    def handle(self, *args: Any, **options: Any) -> None:
        made = ontologies.load_guidelines(path=options["file"], corpus=corpus_by_tag(options["corpus"]))
        self.stdout.write(f"{options['corpus']}: version {made.version} of its guidelines holds")
