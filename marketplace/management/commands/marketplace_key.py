from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction
from django.utils import timezone

from kbpo.accounts.models import User
from kbpo.core.commands import Command as BaseCommand
from kbpo.core.errors import InvalidInput
from marketplace import ledger, requesters
from marketplace.models import Requester


class Command(BaseCommand):
    help = (
        "Make a pair of keys for a requester of the marketplace, and the requester if there is none of that "
        "name; prints the secret this once. Or revoke a pair."
    )
    offers_json = True

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="The requester's, as workers see it.")
        parser.add_argument("--owner", metavar="ADDRESS", help="Whose mail gets the workers' replies.")
        parser.add_argument("--deposit", default="0", metavar="DOLLARS", help="Added to the balance: 100.00")
        parser.add_argument("--rate", type=float, default=20, help="Requests a second.")
        parser.add_argument("--burst", type=float, default=100, help="Requests at once.")
        parser.add_argument(
            "--revoke", metavar="KEY", help="Make no keys; have this access key id work no more."
        )

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        if options["revoke"]:
            requesters.revoke_key(name=options["name"], access_key_id=options["revoke"])
            return
        now = timezone.now()
        requester = Requester.objects.filter(name=options["name"]).first() or requesters.create_requester(
            name=options["name"], owner=self.find_owner(options["owner"])
        )
        if cents := ledger.read_deposit(options["deposit"]):
            ledger.deposit(requester=requester, cents=cents, now=now)
        key = requesters.create_key(
            requester=requester, now=now, rate=options["rate"], burst=options["burst"]
        )
        if options["json"]:
            self.print_json({"access_key_id": key.access_key_id, "secret_access_key": key.secret})
        else:
            self.stdout.write(f"AWS_ACCESS_KEY_ID={key.access_key_id}")
            self.stdout.write(f"AWS_SECRET_ACCESS_KEY={key.secret}")

    def find_owner(self, address: str | None) -> User | None:
        if address is None:
            return None
        owner = User.objects.filter(email__iexact=address).first()
        if owner is None:
            raise InvalidInput(f"nobody has an account with {address}", where="--owner")
        return owner
