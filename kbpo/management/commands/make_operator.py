"""Make somebody an operator, or end it."""

from typing import Any

from django.core.management.base import CommandParser

from kbpo.accounts import operators
from kbpo.core.commands import Command as BaseCommand


class Command(BaseCommand):
    """Gives and takes the desk and the admin."""

    help = (
        "Make the person with an email address an operator, who sees everything that is sealed; they have"
        " signed up and confirmed the address. With --end they are none any longer, and signed out."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the address and ``--end``."""
        parser.add_argument("email", help="the account's email address")
        parser.add_argument("--end", action="store_true", help="make them a person like others again")

    def handle(self, *args: Any, **options: Any) -> None:
        """Act, and say what follows."""
        if options["end"]:
            user = operators.end_operator(email=options["email"])
            self.stdout.write(f"{user.email} is no operator any longer, and is signed out everywhere.")
            return
        user = operators.make_operator(email=options["email"])
        self.stdout.write(f"{user.email} is an operator; on a server the next page asks for a second factor.")
