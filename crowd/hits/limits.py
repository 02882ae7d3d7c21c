"""How often a page may ask for what costs somebody else."""

from datetime import datetime

from django.core.cache import cache

from kbpo.core.errors import TooMany

SEARCHES = 60  # a minute, for each assignment


def count_search(*, assignment_id: int, now: datetime) -> None:
    """Count a search of Wikipedia.

    Raises
    ------
    TooMany
        If the assignment's page has searched `SEARCHES` times in this minute.
    """
    key = f"hit-searches-{assignment_id}-{int(now.timestamp()) // 60}"
    cache.add(key, 0, timeout=120)
    if cache.incr(key) > SEARCHES:
        raise TooMany("Too many searches in a minute: type the page’s title, or wait a little.")
