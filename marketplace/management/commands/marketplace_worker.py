from typing import Any

from django.core.management.base import CommandParser

from kbpo.accounts.models import User
from kbpo.core.commands import Command as BaseCommand
from kbpo.core.errors import InvalidInput, NotAllowed
from marketplace.workers import worker_for


class Command(BaseCommand):
    help = "Print the name that an annotator works under in the marketplace, made if they have none."
    offers_json = True

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("address", help="That they sign in with.")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(email__iexact=options["address"]).first()
        if user is None:
            raise InvalidInput(f"nobody has an account with {options['address']}", where="address")
        try:
            worker = worker_for(user)
        except NotAllowed as error:
            raise InvalidInput(str(error), where="address") from None
        if options["json"]:
            self.print_json({"worker_id": worker.worker_id})
        else:
            self.stdout.write(worker.worker_id)
