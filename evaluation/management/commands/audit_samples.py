from typing import Any

from django.core.management.base import CommandParser

from annotations.selectors import corpus_by_tag
from evaluation.design import audit
from evaluation.registry import task_of
from evaluation.scoring import audit as scores
from kbpo.core.commands import Command as BaseCommand
from kbpo.core.errors import Conflict


class Command(BaseCommand):
    help = (
        "Draw every stored sample of a corpus again from its secret, and look again at labels, documents and"
        " scores: the same, or a failure."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--corpus", required=True, metavar="TAG")

    def handle(self, *args: Any, **options: Any) -> None:
        corpus = corpus_by_tag(options["corpus"])
        task = task_of(corpus)
        findings = [*audit.audit_corpus(corpus, task), *scores.audit(corpus, task)]
        for finding in findings:
            self.stdout.write(finding)
        if findings:
            raise Conflict(f"{corpus.tag}: {len(findings)} findings: not everything came out the same")
        self.stdout.write(f"{corpus.tag}: every sample came out the same")
