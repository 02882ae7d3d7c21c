"""How much a page may send, and how often it may ask for what costs somebody else."""

from datetime import datetime

from kbpo.core import limits, shared_limits
from kbpo.core.limits import Limit

LARGEST = 128 << 10  # bytes of whatever a page sends
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
