"""Prolific, the way to a paid crowd: its API, its rules, and how HITs fit its studies (ADR 26)."""

from decimal import Decimal
from functools import cache

from crowd.models import Hit, ProlificTask
from crowd.providers.prolific.addresses import PARAMETERS, completion_url
from crowd.providers.prolific.api import Api
from crowd.providers.prolific.arriving import has_sent
from crowd.providers.prolific.ending import end_studies
from crowd.providers.prolific.provider import Prolific
from crowd.providers.prolific.rules import read_rejection

__all__ = [
    "PARAMETERS",
    "Prolific",
    "completion_url",
    "connect",
    "end_studies",
    "has_sent",
    "is_closed",
    "read_rejection",
]


@cache
def connect(
    api_url: str, token: str, *, project: str, fee_percent: Decimal, hits_per_worker: int
) -> Prolific:
    """Return an account at Prolific, one for each process; `Prolific` says what the arguments are."""
    return Prolific(
        Api(api_url, token), project=project, fee_percent=fee_percent, hits_per_worker=hits_per_worker
    )


def is_closed(hit: Hit) -> bool:
    """Say whether a HIT takes nobody new, though Prolific may still send someone to its page.

    It cannot close one address of a study, and it opens the place of rejected work again by itself.
    """
    if hit.ended_at is not None or hit.state not in (Hit.State.PLANNED, Hit.State.POSTED):
        return True
    return ProlificTask.objects.filter(annotation=hit.annotation, closed_at__isnull=False).exists()
