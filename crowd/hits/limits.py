"""How much a page may send, and how often it may ask for what costs somebody else."""

from datetime import datetime

from django.core.cache import cache

from kbpo.core.errors import TooMany

LARGEST = 128 << 10  # bytes of whatever a page sends
SEARCHES = 60  # a minute, for each assignment, or annotator
ARRIVALS = 60  # a minute, for each address that requests come from: new ones, of whom the provider is asked


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
        If they have searched `SEARCHES` times in this minute.
    """
    if _count(f"searches-{who}", now) > SEARCHES:
        raise TooMany("Too many searches in a minute: type the page’s title, or wait a little.")


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
        If `ARRIVALS` have come from there in this minute.
    """
    if _count(f"arrivals-{client_address}", now) > ARRIVALS:
        raise TooMany(
            "Too many people have come from your network in a minute: reload this page a little later; your"
            " place is kept."
        )


def _count(what: str, now: datetime) -> int:
    key = f"{what}-{int(now.timestamp()) // 60}"
    cache.add(key, 0, timeout=120)
    try:
        return cache.incr(key)
    except ValueError:  # forgotten in between: a cache may forget at any time
        return 1
