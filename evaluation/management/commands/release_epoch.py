from typing import Any

from django.core.management.base import CommandParser

from annotations.selectors import corpus_by_tag
from evaluation.registry import task_of
from evaluation.scoring import releasing
from kbpo.core.commands import Command as BaseCommand


class Command(BaseCommand):
    help = "Publish the open epoch's labels and secret, and open the next."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--corpus", required=True, metavar="TAG")
        parser.add_argument(
            "--retire",
            type=float,
            metavar="SHARE",
            help="Of the documents annotated in full, drawn uniformly: they are open from then on, and others"
            " take their place. None if left out; 1 for all.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        corpus = corpus_by_tag(options["corpus"])
        task = task_of(corpus)
        epoch = releasing.release(corpus=corpus, task=task, retire=options["retire"])
        self.stdout.write(
            f"{epoch.corpus.tag}: epoch {epoch.number} is released; its secret is {epoch.secret}"
        )
        if (retired := task.retired(epoch)) is not None:
            self.stdout.write(f"{epoch.corpus.tag}: {retired}")
