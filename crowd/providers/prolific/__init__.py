"""Prolific, the way to a paid crowd: its API, its rules, and how HITs fit its studies (docs/adr/0012)."""

from functools import cache

from django.conf import settings

from crowd.models import Hit, ProlificTask
from crowd.providers.prolific.addresses import PARAMETERS, completion_url
from crowd.providers.prolific.api import Api
from crowd.providers.prolific.provider import Prolific
from crowd.providers.prolific.rules import read_rejection
from kbpo.core.errors import Unavailable

__all__ = ["PARAMETERS", "Prolific", "completion_url", "connect", "is_closed", "read_rejection"]


@cache
def connect() -> Prolific:
    """Return Prolific as the settings name it, one for each process.

    Raises
    ------
    Unavailable
        If the settings have no token or no project.
    """
    if not (settings.PROLIFIC_TOKEN and settings.PROLIFIC_PROJECT):
        raise Unavailable("Set PROLIFIC_TOKEN and PROLIFIC_PROJECT to post work to Prolific.")
    return Prolific(
        Api(settings.PROLIFIC_API_URL, settings.PROLIFIC_TOKEN),
        project=settings.PROLIFIC_PROJECT,
        fee_percent=settings.PROLIFIC_FEE_PERCENT,
        hits_per_worker=settings.PROLIFIC_HITS_PER_WORKER,
    )


def is_closed(hit: Hit) -> bool:
    """Say whether a HIT takes nobody new, though Prolific may still send someone to its page."""
    return ProlificTask.objects.filter(annotation=hit.annotation, closed_at__isnull=False).exists()
