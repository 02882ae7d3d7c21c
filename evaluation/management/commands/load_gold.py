from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotations.selectors import corpus_by_tag
from evaluation.kbp.recall.gold import load_gold
from evaluation.kbp.task import TASK
from kbpo.core.commands import Command as BaseCommand
from kbpo.core.errors import UsageError


class Command(BaseCommand):
    help = (
        "Load expert annotations, and draw the exhaustive documents from those annotated. The file must cover"
        " the whole corpus or a uniform sample of it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--corpus", required=True, metavar="TAG")
        parser.add_argument("--documents", type=int, metavar="N", help="Draw N documents; all if left out.")
        parser.add_argument("--seed", type=int, metavar="S", help="Of the draw; a secret one if left out.")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["seed"] is not None and options["documents"] is None:
            raise UsageError("--seed goes with --documents")
        corpus = corpus_by_tag(options["corpus"])
        TASK.check_corpus(corpus)
        report, sample = load_gold(
            path=options["file"], corpus=corpus, documents=options["documents"], seed=options["seed"]
        )
        self.stdout.write(
            f"{corpus.tag}: {report.created} annotated documents loaded, {report.unchanged} were there"
            f" already; {sample.size} of the corpus' {sample.population} documents are its exhaustive sample"
        )
