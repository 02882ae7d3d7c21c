from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotations import ontologies
from annotations.selectors import corpus_by_tag
from evaluation.registry import task_of
from kbpo.core.commands import Command as BaseCommand
from kbpo.core.errors import InvalidInput


class Command(BaseCommand):
    help = "Give a corpus guidelines and examples of its own, from TOML (docs/ontologies)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--corpus", required=True, metavar="TAG")

    def handle(self, *args: Any, **options: Any) -> None:
        corpus = corpus_by_tag(options["corpus"])
        if not task_of(corpus).has_ontology:
            raise InvalidInput(
                f"{corpus.tag} is of {task_of(corpus).label}, which has no ontology: the guidelines of its"
                " classes are in their list",
                where="--corpus",
            )
        made = ontologies.load_guidelines(path=options["file"], corpus=corpus)
        self.stdout.write(f"{options['corpus']}: version {made.version} of its guidelines holds")
