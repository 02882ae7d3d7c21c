"""How much a page may send, and how often it may ask for what costs somebody else."""

from datetime import datetime

from django.core.cache import cache

from kbpo.core.errors import TooMany

LARGEST = 128 << 10  # bytes of whatever a page sends
SEARCHES = 60  # a minute, for each assignment, or annotator


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
    key = f"searches-{who}-{int(now.timestamp()) // 60}"
    cache.add(key, 0, timeout=120)
    try:
        searched = cache.incr(key)
    except ValueError:  # forgotten in between: a cache may forget at any time
        return
    if searched > SEARCHES:
        raise TooMany("Too many searches in a minute: type the page’s title, or wait a little.")
