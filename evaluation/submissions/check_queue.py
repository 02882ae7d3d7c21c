"""Whose file comes next, where many wait to be read: people take turns, however many each has sent."""

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from kbpo.core.database.locks import claim
from kbpo.core.errors import TooMany

RECENT = timedelta(hours=1)  # what was read for somebody in this time counts as turns taken
MOST_WAITING = 5  # files of one person


@dataclass(frozen=True, slots=True)
class Waiting:
    """A file that waits.

    Attributes
    ----------
    key : UUID
        Of the row that says so.
    user : int
        Whose turn it takes.
    since : datetime
    """

    key: UUID
    user: int
    since: datetime


def in_turn(waiting: Iterable[Waiting], recent: Mapping[int, int]) -> list[Waiting]:
    """Order files so that people take turns: whoever had the fewest comes first, then who waits longest.

    Parameters
    ----------
    waiting : iterable of Waiting
        Any order.
    recent : mapping
        How many turns each person has had lately; 0 for those who are not there.

    Examples
    --------
    >>> day = datetime(2026, 11, 20)
    >>> sent = [(1, 7), (2, 7), (3, 8), (4, 9)]  # of persons 7, 8 and 9, in this order
    >>> files = [Waiting(UUID(int=n), user, day + timedelta(minutes=n)) for n, user in sent]
    >>> [one.key.int for one in in_turn(files, {9: 1})]
    [1, 3, 2, 4]
    """
    turns = Counter(recent)
    ranked = []
    for one in sorted(waiting, key=lambda one: (one.since, one.key)):
        ranked.append((turns[one.user], one))
        turns[one.user] += 1
    return [one for _, one in sorted(ranked, key=lambda pair: pair[0])]  # the sort is stable


def claim_turn(user: int) -> AbstractContextManager[bool]:
    """Claim the one reading that a person has at a time."""
    return claim(f"reading for user {user}")


def refuse_too_many(waiting: int) -> None:
    """Refuse another file of somebody who has as many waiting as one may.

    Raises
    ------
    TooMany
        If it is so.
    """
    if waiting >= MOST_WAITING:
        raise TooMany(
            f"{waiting} of your files wait to be read already, and {MOST_WAITING} is the most: try again when"
            " one of them is done"
        )
