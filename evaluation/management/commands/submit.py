from pathlib import Path
from typing import Any

from django.core.files import File
from django.core.management.base import CommandParser
from django.db import transaction
from django.utils import timezone

from annotations.challenges import admission
from annotations.selectors import corpus_by_tag
from evaluation.management import attachments
from evaluation.registry import task_of
from evaluation.submissions import submitting
from kbpo.accounts.teams import find_or_create_team
from kbpo.core.commands import Command as BaseCommand
from kbpo.core.errors import Conflict, InvalidInput


class Command(BaseCommand):
    help = (
        "Upload a knowledge base for a team, to be judged and shown; prints the submission's id. Dates,"
        " phases and terms of the corpus do not bind it: it says so where a team would be refused."
    )
    offers_json = True

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--corpus", required=True, metavar="TAG")
        parser.add_argument("--team", required=True, help="Made, if there is none of that name.")
        parser.add_argument("--name", required=True, help="The system's.")
        parser.add_argument("--description", default="")
        parser.add_argument(
            "--format", default="", help="One of the corpus' task, as in jsonl; recognised if left out."
        )

        attachments.add_options(parser)

    @transaction.atomic  # a refused upload leaves no new team behind
    def handle(self, *args: Any, **options: Any) -> None:
        corpus, now = corpus_by_tag(options["corpus"]), timezone.now()
        team = find_or_create_team(name=options["team"])
        try:
            admission.check(corpus=corpus, team=team, now=now)
        except Conflict as error:  # what binds teams does not bind who runs the site, but they may not know
            self.stderr.write(f"{error} It is submitted all the same, by the site's operator.")
        try:
            with options["file"].open("rb") as stream, attachments.opened(options) as beside:
                submission = submitting.upload(
                    user=None,
                    team=team,
                    corpus=corpus,
                    task=task_of(corpus),
                    name=options["name"],
                    file=File(stream),
                    attachments={name: File(one) for name, one in beside.items()},
                    description=options["description"],
                    format=options["format"],
                    go_ahead=True,
                    now=now,
                )
        except OSError as error:
            where = str(error.filename or options["file"])
            raise InvalidInput(f"cannot be read: {error.strerror}", where=where) from error
        if options["json"]:
            self.print_json({"submission": submission.pk})
        else:
            self.stdout.write(str(submission.pk))
