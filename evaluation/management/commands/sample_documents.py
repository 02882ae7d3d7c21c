from typing import Any

from django.core.management.base import CommandParser

from annotations.selectors import corpus_by_tag
from evaluation.kbp.recall import document_phases
from evaluation.kbp.task import TASK
from kbpo.core.commands import Command as BaseCommand


class Command(BaseCommand):
    help = (
        "Draw the documents of a corpus that people annotate in full: a share uniformly, and the others, once"
        " those are annotated, by what their entities are. Run it again to see how far it is."
    )
    offers_json = True

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--corpus", required=True, metavar="TAG")
        parser.add_argument("--n", type=int, required=True, metavar="N", help="Documents in all.")
        parser.add_argument(
            "--uniform-share",
            type=float,
            default=document_phases.UNIFORM_SHARE,
            metavar="SHARE",
            help="Of the documents that are drawn uniformly, first (.2).",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        corpus = corpus_by_tag(options["corpus"])
        TASK.check_corpus(corpus)
        found = document_phases.sample_documents(
            corpus=corpus, size=options["n"], uniform_share=options["uniform_share"]
        )
        sample = found.sample
        if options["json"]:
            self.print_json(
                {
                    "planned": sample.size,
                    "uniform": sample.first_size,
                    "drawn": found.drawn,
                    "not_annotated": found.lacking,
                    "second_phase_drawn": sample.second_drawn_at is not None,
                }
            )
            return
        then = (
            f"{found.lacking} of them are not annotated yet"
            if sample.second_drawn_at is not None
            else f"the others are drawn when the {found.lacking} that nobody has annotated yet are done"
        )
        self.stdout.write(
            f"{corpus.tag}: {found.drawn} of some {sample.size} documents are drawn, {sample.first_size} of"
            f" them uniformly; {then}"
        )
