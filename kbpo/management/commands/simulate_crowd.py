from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction

from annotations.aggregation.crowds import CROWDS, ERROR, alike
from annotations.models import Corpus, Question
from annotations.ontologies import ontology_of
from annotations.selectors import corpus_by_tag
from crowd.simulation import simulated_crowd
from evaluation.design import batches
from evaluation.models import Epoch
from evaluation.registry import task_of
from evaluation.scoring import auditing
from kbpo.core.commands import Command as BaseCommand
from kbpo.core.errors import UsageError


class Command(BaseCommand):
    help = (
        "Answer every open question of a corpus from gold, as a crowd of people would, and those that audit "
        "its labels then."
    )
    offers_json = True

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--corpus", required=True, metavar="TAG")
        parser.add_argument("--gold", required=True, type=Path, metavar="FILE", help="Expert annotations.")
        parser.add_argument("--workers", type=int, default=30, metavar="N", help="Simulated people (30).")
        parser.add_argument(
            "--crowd",
            choices=list(CROWDS),
            default="alike",
            help="alike: all are wrong equally often; mixed: 24 of 30 in .02 to .10, 6 in .20 to .36; "
            "hard: mixed, and everybody by .25 more on a fifth of the questions (alike).",
        )
        parser.add_argument(
            "--error", type=float, metavar="P", help=f"How often a worker is wrong in alike ({ERROR})."
        )
        parser.add_argument("--seed", type=int, default=0, metavar="S", help="Of who answers what (0).")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["workers"] < 1:
            raise UsageError(f"--workers is {options['workers']}; it must be at least 1")
        error = options["error"]
        if error is not None and options["crowd"] != "alike":
            raise UsageError(f"--error goes with --crowd alike; in {options['crowd']} it differs by worker")
        if error is not None and not 0 <= error <= 1:
            raise UsageError(f"--error is {error}; it must be from 0 to 1")
        corpus = corpus_by_tag(options["corpus"])
        gold = simulated_crowd.read_gold(options["gold"], ontology_of(corpus))
        questions = answers = expert_answers = 0
        while True:
            report = simulated_crowd.simulate(
                corpus=corpus,
                gold=gold,
                workers=options["workers"],
                error=CROWDS[options["crowd"]] if error is None else alike(error),
                seed=options["seed"],
            )
            questions += report.questions
            answers += report.answers
            expert_answers += report.expert_answers
            if not _draw_audits(corpus) and not (report.answers and _asks(corpus)):
                break
        if options["json"]:
            self.print_json(
                {
                    "questions": questions,
                    "answers": answers,
                    "expert_answers": expert_answers,
                }
            )
        else:
            self.stdout.write(
                f"{corpus.tag}: {answers} answers to {questions} questions; "
                f"questions settled by an expert: {expert_answers}"
            )


def _draw_audits(corpus: Corpus) -> bool:
    """Draw what is to be audited of the labels that are there by now; say whether anything was."""
    is_drawn = False
    for epoch in corpus.epochs.filter(released_at=None):
        with transaction.atomic():
            Epoch.objects.select_for_update(of=("self",)).get(pk=epoch.pk)  # the pipeline may be at it
            batches.close_batches(epoch=epoch)
            while auditing.audit_epoch(epoch_id=epoch.pk, task=task_of(corpus)):
                is_drawn = True
    return is_drawn


def _asks(corpus: Corpus) -> bool:
    """Say whether people are asked anything: the pipeline draws audits too."""
    return Question.objects.filter(document__corpus=corpus, state=Question.State.OPEN).exists()
