from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from evaluation.models import Submission
from kbpo.core.commands import Command as BaseCommand
from kbpo.core.errors import InvalidInput
from kbpo.pages.money.foreseen import forecast_of


class Command(BaseCommand):
    help = "Say what judging an accepted submission would take, before it is sampled: with each metric."
    offers_json = True

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("submission", type=int, help="Its number.")

    def handle(self, *args: Any, **options: Any) -> None:
        found = Submission.objects.filter(pk=options["submission"]).select_related("corpus").first()
        if found is None:
            raise InvalidInput("is the number of no submission", where=str(options["submission"]))
        foreseen = forecast_of(found, viewer=None, now=timezone.now())
        if options["json"]:
            self.print_json(foreseen)
            return
        details = foreseen["details"]
        self.stdout.write(
            f"{foreseen['labels']:.0f} of {details['units']} to be judged{_cost(foreseen['cents'])}, for"
            f" ±{100 * foreseen['half_width']:.1f} points at {foreseen['level']:.0%}"
        )
        for way in details["ways"]:
            said = [
                f"{way['judgements']:.0f} judgements{_cost(way['cents'])}",
                f"±{100 * way['half_width']:.1f} points{'' if way['is_reached'] else ', out of reach'}",
                *([way["words"]] if way["words"] else []),
                *(["planned so"] if way["is_taken"] else []),
            ]
            self.stdout.write(f"  {way['label']}: {'; '.join(said)}")
        if details["limit"]:
            self.stdout.write(details["limit"])


def _cost(cents: int | None) -> str:
    return "" if cents is None else f" for ${cents / 100:,.2f}"
