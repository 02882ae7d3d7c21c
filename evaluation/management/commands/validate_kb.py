from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotations.selectors import corpus_by_tag
from evaluation.registry import task_of
from evaluation.submissions import submitting
from kbpo.core.commands import Command as BaseCommand
from kbpo.core.errors import InvalidInput

SHOWN = ("line", "column", "code", "severity", "message", "text")


class Command(BaseCommand):
    help = "Check a knowledge base as an upload would be checked; nothing is stored."
    offers_json = True

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--corpus", required=True, metavar="TAG")
        parser.add_argument(
            "--format", default="", help="One of the corpus' task, as in jsonl; recognised if left out."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        corpus = corpus_by_tag(options["corpus"])
        task = task_of(corpus)
        try:
            with options["file"].open("rb") as stream:
                format = options["format"] or task.reader.recognise(stream)
                reading = submitting.read_file(task=task, stream=stream, corpus=corpus, format=format)
        except OSError as error:
            raise InvalidInput(f"cannot be read: {error.strerror}", where=str(options["file"])) from error
        if options["json"]:
            self.print_json(
                {
                    "accepted": reading.accepted,
                    "problems": [
                        {
                            key: asdict(problem)[key]
                            for key in ("line", "column", "code", "severity", "message", "text")
                        }
                        for problem in reading.problems
                    ],
                    "counts": dict(reading.counts),
                }
            )
        else:
            for problem in reading.problems:
                column = f", column {problem.column}" if problem.column else ""
                self.stdout.write(
                    f"line {problem.line}{column}: {problem.severity} {problem.code}: {problem.message}"
                )
            claims = len(reading.predictions)
            self.stdout.write(
                f"accepted: {claims} claim{'s' * (claims != 1)}" if reading.accepted else "refused"
            )
        if not reading.accepted:
            errors = sum(problem.severity == "ERROR" for problem in reading.problems)
            raise InvalidInput(f"{errors} error{'s' * (errors != 1)}", where=str(options["file"]))
