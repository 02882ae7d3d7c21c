from getpass import getpass
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from kbpo.accounts import passwords
from kbpo.core.commands import Command as BaseCommand
from kbpo.core.errors import UsageError


class Command(BaseCommand):
    help = (
        "Give an account another password, which is asked for twice. Its API tokens end, and it is signed "
        "out everywhere: who knew the old one may have made some."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", help="the account's email address")

    def handle(self, *args: Any, **options: Any) -> None:
        password = getpass("The new password: ")
        if getpass("Once more: ") != password:
            raise UsageError("these were two passwords; nothing has changed")
        user = passwords.change(email=options["email"], password=password, now=timezone.now())
        self.stdout.write(f"{user.email} has another password; tokens and sessions have ended.")
