"""Prolific, the way to a paid crowd: its API, its rules, and how HITs fit its studies (docs/adr/0015)."""

from decimal import Decimal
from functools import cache

from crowd.models import Hit, ProlificTask
from crowd.providers.prolific.addresses import PARAMETERS, completion_url
from crowd.providers.prolific.api import Api
from crowd.providers.prolific.ending import end_studies
from crowd.providers.prolific.provider import Prolific
from crowd.providers.prolific.rules import read_rejection

__all__ = [
    "PARAMETERS",
    "Prolific",
    "completion_url",
    "connect",
    "end_studies",
    "is_closed",
    "read_rejection",
    "register",
]


@cache
def connect(
    api_url: str, token: str, *, project: str, fee_percent: Decimal, hits_per_worker: int
) -> Prolific:
    """Return an account at Prolific, one for each process; `Prolific` says what the arguments are."""
    return Prolific(
        Api(api_url, token), project=project, fee_percent=fee_percent, hits_per_worker=hits_per_worker
    )


def register() -> None:
    """Tell the HIT pages where Prolific's workers go back to, and when no more of them are wanted."""
    from crowd.hits import sending, working

    sending.register_completion("prolific", lambda hit, came: completion_url(hit, study_id=came.study_id))
    working.register_closed("prolific", is_closed)


def is_closed(hit: Hit) -> bool:
    """Say whether a HIT takes nobody new, though Prolific may still send someone to its page.

    It cannot close one address of a study, and it opens the place of rejected work again by itself.
    """
    if hit.ended_at is not None or hit.state not in (Hit.State.PLANNED, Hit.State.POSTED):
        return True
    return ProlificTask.objects.filter(annotation=hit.annotation, closed_at__isnull=False).exists()
