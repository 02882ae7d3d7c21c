"""When waiting submissions get their places in the quota, planned ahead so that no place is promised twice.

Pure. A place is held by whoever a submission counts against: its team, and everybody who is or was in it. It
is limited by fewer of them: its team, and the person who uploaded it.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

WINDOW = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Place:
    """What a submission takes of the quotas.

    Attributes
    ----------
    counts_against : frozenset of hashable
        The holders in whose count it is.
    limits : mapping of hashable to int
        How many the holders who must have one left may have in a window.
    """

    counts_against: frozenset[Hashable]
    limits: Mapping[Hashable, int]


def left(place: Place, taken: Iterable[tuple[datetime, Place]], now: datetime) -> int:
    """Return how many more such places there are now."""
    recent = [one for time, one in taken if now - WINDOW < time <= now]
    return max(
        0,
        min(
            size - sum(holder in one.counts_against for one in recent)
            for holder, size in place.limits.items()
        ),
    )


def plan(waiting: Sequence[Place], taken: Iterable[tuple[datetime, Place]], now: datetime) -> list[datetime]:
    """Plan when each of those that wait gets its place, in their order.

    Each gets the first time at which no window of seven days has more than its limits allow, those of the
    ones before it included. Where a limit is none there is no such time: it is looked at again in a week.

    Parameters
    ----------
    waiting : sequence of Place
    taken : iterable of (datetime, Place)
        Aware.
    now : datetime
        Aware.

    Returns
    -------
    list of datetime
        None before `now`.
    """
    held = [(time, place) for time, place in taken if time > now - WINDOW]
    found = []
    for place in waiting:
        time = _first_time(place, held, now)
        held.append((time, place))
        found.append(time)
    return found


def _first_time(place: Place, held: Sequence[tuple[datetime, Place]], now: datetime) -> datetime:
    if min(place.limits.values()) <= 0:
        return now + WINDOW
    for candidate in sorted({now, *(time + WINDOW for time, _ in held)}):
        if candidate >= now and _fits(place, candidate, held):
            return candidate
    raise AssertionError("after the last place of all every window is empty")


def _fits(place: Place, at: datetime, held: Sequence[tuple[datetime, Place]]) -> bool:
    """Say whether neither its own window nor one of a later place would hold too many."""
    later = [(time, other) for time, other in held if at < time < at + WINDOW]
    return all(_count(holder, at, held) < size for holder, size in place.limits.items()) and all(
        _count(holder, time, held) < size
        for time, other in later
        for holder, size in other.limits.items()
        if holder in place.counts_against
    )


def _count(holder: Hashable, at: datetime, held: Sequence[tuple[datetime, Place]]) -> int:
    return sum(at - WINDOW < time <= at and holder in place.counts_against for time, place in held)
