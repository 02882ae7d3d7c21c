"""Have Prolific tell this site what happens to its studies."""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.urls import reverse

from crowd.providers.prolific import subscriptions
from crowd.providers.prolific.api import Api
from kbpo.core.commands import Command as BaseCommand
from kbpo.core.errors import Unavailable


class Command(BaseCommand):
    help = "Subscribe to Prolific's events; without PROLIFIC_WEBHOOK_SECRET, make the secret first."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--new-secret", action="store_true", help="replace the workspace's secret")

    def handle(self, *args: Any, **options: Any) -> None:
        if not (settings.PROLIFIC_TOKEN and settings.PROLIFIC_PROJECT):
            raise Unavailable("Set PROLIFIC_TOKEN and PROLIFIC_PROJECT first.")
        api = Api(settings.PROLIFIC_API_URL, settings.PROLIFIC_TOKEN)
        workspace = subscriptions.workspace_of(api, settings.PROLIFIC_PROJECT)
        if options["new_secret"] or not settings.PROLIFIC_WEBHOOK_SECRET:
            secret = subscriptions.new_secret(api, workspace)
            self.stdout.write(f"Set PROLIFIC_WEBHOOK_SECRET={secret} and start the site again.")
        made = subscriptions.subscribe(api, workspace, settings.SITE_URL + reverse("prolific_hook"))
        self.stdout.write(
            f"Subscribed to {', '.join(made)}." if made else "Subscribed to everything already."
        )
