from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotations.selectors import corpus_by_tag
from evaluation.management import attachments
from evaluation.registry import task_of
from evaluation.submissions import submitting
from evaluation.submissions.problem_list import FIELDS
from kbpo.core.commands import Command as BaseCommand
from kbpo.core.errors import InvalidInput


class Command(BaseCommand):
    help = "Check a knowledge base as an upload would be checked; nothing is stored."
    offers_json = True

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--corpus", required=True, metavar="TAG")
        parser.add_argument(
            "--format", default="", help="One of the corpus' task, as in jsonl; recognised if left out."
        )

        attachments.add_options(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        corpus = corpus_by_tag(options["corpus"])
        task = task_of(corpus)
        try:
            with options["file"].open("rb") as stream, attachments.opened(options) as beside:
                format = options["format"] or task.reader.recognise(stream)
                reading = submitting.read_file(
                    task=task, stream=stream, corpus=corpus, format=format, attachments=beside
                )
        except OSError as error:
            where = str(error.filename or options["file"])
            raise InvalidInput(f"cannot be read: {error.strerror}", where=where) from error
        if options["json"]:
            self.print_json(
                {
                    "accepted": reading.accepted,
                    "problems": [
                        {key: asdict(problem)[key] for key in FIELDS} for problem in reading.problems
                    ],
                    "counts": dict(reading.counts),
                }
            )
        else:
            for problem in reading.problems:
                place = f"{problem.attachment}, " if problem.attachment else ""
                column = f", column {problem.column}" if problem.column else ""
                place = f"{place}line {problem.line}{column}"
                self.stdout.write(f"{place}: {problem.severity} {problem.code}: {problem.message}")
            claims = len(reading.predictions)
            self.stdout.write(
                f"accepted: {claims} claim{'s' * (claims != 1)}" if reading.accepted else "refused"
            )
        if not reading.accepted:
            errors = reading.counts["errors"]
            raise InvalidInput(f"{errors} error{'s' * (errors != 1)}", where=str(options["file"]))
