"""Whether the provider has sent a worker who comes: known before a row is made, or anything is shown.

The built-in marketplace signs its arrivals, Prolific is asked. Another service with MTurk's API does neither:
its API tells of assignments only once they are submitted (ADR 29).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import BoundedSemaphore

from django.conf import settings

from crowd.hits.arrivals import MTURK_PARAMETERS, SIGNED_AT, Arrival
from crowd.hits.policy import Provider
from crowd.models import Assignment, Hit
from crowd.providers import prolific, registry
from crowd.providers.arrival_signatures import is_signed
from crowd.providers.base import ProviderError
from kbpo.core import rate_limits
from kbpo.core.errors import NotAllowed, Unavailable
from kbpo.core.numbers import whole_number

FRESH = timedelta(minutes=10)  # in which an address that was just made begins a task
SKEW = timedelta(minutes=1)  # that the marketplace's clock may be ahead
#: For which an address shows its own worker the task again, beside the time that they have for it.
LINGERS = timedelta(hours=1)
LATEST = 2**40  # seconds since 1970
PROVIDER_SLOTS = 2  # threads of a process, of four, that may wait for a provider's answer
_provider_slots = BoundedSemaphore(PROVIDER_SLOTS)


@contextmanager
def provider_slot() -> Iterator[None]:
    """Hold one of the few slots for asking a provider; raise Unavailable if all are taken."""
    if not _provider_slots.acquire(blocking=False):
        raise Unavailable("Many workers come at once. Reload this page in a moment; your place is kept.")
    try:
        yield
    finally:
        _provider_slots.release()


_AGAIN = "Open the task again where you accepted it; what you have done so far is kept."


def verify(
    hit: Hit, arrival: Arrival, *, known: Assignment | None, now: datetime, client_address: str
) -> bool:
    """Say whether the provider has sent this worker; False where it cannot be told, and is let pass.

    Parameters
    ----------
    hit : Hit
        With its batch.
    arrival : Arrival
        Of a worker, no preview.
    known : Assignment or None
        The row of the assignment, if there is one.
    now : datetime
    client_address : str
        Where the request comes from.

    Raises
    ------
    NotAllowed
        If the provider has not sent them, or not now.
    TooMany
        If that address has made up too many names.
    Unavailable
        If it cannot be told now.
    """
    match arrival.provider:
        case Provider.PROLIFIC:
            if known is None or known.verified_at is None:
                _ask_prolific(hit, arrival, now, client_address)
        case Provider.MTURK if settings.MTURK_UNSIGNED_ARRIVALS and not arrival.signature:
            return False
        case _:
            _check_signature(hit, arrival, known, now)
    return True


def _check_signature(hit: Hit, arrival: Arrival, known: Assignment | None, now: datetime) -> None:
    if settings.MTURK_KEYS is None:
        raise Unavailable(
            "Nobody can be let in to this task now: the keys with which arrivals are checked are not set"
            " (MTURK_SECRET_ACCESS_KEY)."
        )
    is_whole = arrival.said.keys() == set(MTURK_PARAMETERS)
    if not is_whole or not is_signed(arrival.said, arrival.signature, secret=settings.MTURK_KEYS[1]):
        raise NotAllowed(f"This page is shown to who has accepted the task alone. {_AGAIN}")
    if not _is_of(hit, arrival.hit_id):
        raise NotAllowed(f"This address is another task's. {_AGAIN}")
    signed_at = whole_number(arrival.said[SIGNED_AT], LATEST) or 0
    lasts = FRESH
    if known is not None:  # this very worker has seen it before
        lasts = timedelta(seconds=hit.batch.duration_seconds) + LINGERS
    age = timedelta(seconds=now.timestamp() - signed_at)
    if not -SKEW <= age <= lasts:
        raise NotAllowed(f"The address of this page is too old. {_AGAIN}")


def _is_of(hit: Hit, hit_id: str) -> bool:
    """Say whether the provider calls the HIT so; who accepts it may be quicker than the answer to posting."""
    if hit.provider_id is not None:
        return hit.provider_id == hit_id
    return not Hit.objects.filter(provider_id=hit_id).exists()


def _ask_prolific(hit: Hit, arrival: Arrival, now: datetime, client_address: str) -> None:
    # Made-up worker ids must not flood the provider with questions.
    rate_limits.require_each(rate_limits.by_network(rate_limits.WORKER_ARRIVALS, client_address), now=now)
    with provider_slot():
        is_there = _has_sent(hit, arrival)
    if not is_there:
        raise NotAllowed(
            "Prolific does not know this submission of yours, or it is not active any more: open the study"
            " again at Prolific."
        )


def _has_sent(hit: Hit, arrival: Arrival) -> bool:
    try:
        return prolific.has_sent(
            registry.prolific_account(),
            hit,
            study_id=arrival.study_id,
            submission_id=arrival.assignment_id,
            worker_id=arrival.worker_id,
        )
    except (ProviderError, Unavailable) as error:
        raise Unavailable(
            "Prolific does not answer, so it cannot be told that it has sent you. Reload this page in a"
            " minute; nothing is lost, and your place is kept."
        ) from error
