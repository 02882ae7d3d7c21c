"""How much a page may send, and how often it may ask for what costs somebody else."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from threading import BoundedSemaphore

from kbpo.core import limits, shared_limits
from kbpo.core.errors import Unavailable
from kbpo.core.limits import Limit

LARGEST = 128 << 10  # bytes of whatever a page sends
WAITING = 2  # threads of a process that may wait for a provider's word at once, of four
_waiting = BoundedSemaphore(WAITING)
#: For each assignment, or annotator.
SEARCHES = Limit("searches of Wikipedia", 60, 60, "searches of Wikipedia")
#: For each network that requests come from: new workers, of whom the provider is asked.
ARRIVALS = Limit("arrivals of workers", 60, 60, "arrivals from your network")


def count_search(*, who: str, now: datetime) -> None:
    """Count a search of Wikipedia.

    Parameters
    ----------
    who : str
        Names the assignment, or the annotator, whose page searches.
    now : datetime
        Aware.

    Raises
    ------
    TooMany
        If they have reached `SEARCHES`.
    """
    limits.require(SEARCHES, who, now=now)


def count_arrival(*, client_address: str, now: datetime) -> None:
    """Count a worker of whom the provider is to be asked, so that made-up names do not flood it.

    Parameters
    ----------
    client_address : str
        Where the request comes from.
    now : datetime
        Aware.

    Raises
    ------
    TooMany
        If `ARRIVALS` have come from that network.
    """
    shared_limits.require(shared_limits.by_network(ARRIVALS, client_address), now=now)


@contextmanager
def while_provider_is_asked() -> Iterator[None]:
    """Let few pages of a process wait for a provider at once: the other threads are for everybody else.

    Raises
    ------
    Unavailable
        As many wait as may.
    """
    if not _waiting.acquire(blocking=False):
        raise Unavailable("Many workers come at once. Reload this page in a moment; your place is kept.")
    try:
        yield
    finally:
        _waiting.release()
