from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction

from annotations.aggregation.crowds import CROWDS, ERROR, alike
from annotations.models import Corpus, Question
from annotations.ontologies import ontology_of
from annotations.selectors import corpus_by_tag
from crowd.simulation import replaying, simulated_crowd
from crowd.simulation.simulated_crowd import SimulationReport
from evaluation.design import batches
from evaluation.generation.importing import Replayed
from evaluation.models import Epoch
from evaluation.registry import task_of
from evaluation.scoring import auditing
from kbpo.core.commands import Command as BaseCommand
from kbpo.core.errors import UsageError


class Command(BaseCommand):
    help = (
        "Answer every open question of a corpus from gold, as a crowd of people would, and those that audit "
        "its labels then; or as people answered it elsewhere."
    )
    offers_json = True

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--corpus", required=True, metavar="TAG")
        answers = parser.add_mutually_exclusive_group(required=True)
        answers.add_argument("--gold", type=Path, metavar="FILE", help="Expert annotations.")
        answers.add_argument(
            "--judgements",
            type=Path,
            metavar="FILE",
            help="What people said elsewhere of these outputs, as import_judgements reads it: each is asked "
            "for one of the judgements of its own, drawn with replacement.",
        )
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
        if options["judgements"]:
            self._say(corpus, _replay(corpus, options["judgements"], options["seed"]), options)
            return
        gold = simulated_crowd.read_gold(options["gold"], ontology_of(corpus))
        found = SimulationReport(0, 0, 0)
        while True:
            report = simulated_crowd.simulate(
                corpus=corpus,
                gold=gold,
                workers=options["workers"],
                error=CROWDS[options["crowd"]] if error is None else alike(error),
                seed=options["seed"],
            )
            found += report
            if not _draw_audits(corpus) and not (report.answers and _asks(corpus)):
                break
        self._say(corpus, found, options)

    def _say(self, corpus: Corpus, found: SimulationReport, options: dict[str, Any]) -> None:
        if options["json"]:
            self.print_json(asdict(found))
        else:
            self.stdout.write(
                f"{corpus.tag}: {found.answers} answers to {found.questions} questions; "
                f"questions settled by an expert: {found.expert_answers}"
            )


def _replay(corpus: Corpus, path: Path, seed: int) -> SimulationReport:
    """Have people say again what they said elsewhere."""
    return replaying.replay(corpus=corpus, recorded=Replayed(path, corpus).of, seed=seed)


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
