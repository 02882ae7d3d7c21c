from typing import Any

from django.core.management.base import CommandParser

from kbpo.accounts import factors
from kbpo.core.commands import Command as BaseCommand


class Command(BaseCommand):
    help = (
        "Take all second factors from an account whose owner has lost them, and sign it out everywhere. Be "
        "sure that it is them who ask. They are told by mail; an operator has to set up a new one at the "
        "next sign-in."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", help="the account's email address")

    def handle(self, *args: Any, **options: Any) -> None:
        user = factors.reset_factors(email=options["email"])
        self.stdout.write(f"{user.email} signs in by password alone now, and is told by mail.")
