"""When waiting submissions get their places in the quota, planned ahead so that no place is promised twice.

Pure. A place is held by whoever a submission counts against: its team, and everybody in it. It is
limited by fewer of them: its team, and the person who uploaded it.
"""

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import itemgetter

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
    held = _Held()
    for time, place in taken:
        if time > now - WINDOW:
            held.add(place, time)
    found = []
    for place in waiting:
        time = _first_time(place, held, now)
        held.add(place, time)
        found.append(time)
    return found


class _Held:
    """Places and their times, by holder, so that planning one looks at those alone that it has to do with."""

    def __init__(self) -> None:
        self._times: defaultdict[Hashable, list[datetime]] = defaultdict(list)
        self._limited: defaultdict[Hashable, list[tuple[datetime, int]]] = defaultdict(list)

    def add(self, place: Place, time: datetime) -> None:
        """Hold one more."""
        for holder in place.counts_against:
            insort(self._times[holder], time)
        for holder, size in place.limits.items():
            insort(self._limited[holder], (time, size))

    def count(self, holder: Hashable, at: datetime) -> int:
        """Return how many of a holder's are in the window that ends at a time."""
        times = self._times[holder]
        return bisect_right(times, at) - bisect_right(times, at - WINDOW)

    def times(self, place: Place, now: datetime) -> list[datetime]:
        """Return when there may be more room for a place: another leaves its window, or is no later one."""
        held = {time for holder in place.counts_against for time in self._times[holder]}
        return sorted({now, *(time for time in held if time > now), *(time + WINDOW for time in held)})

    def fits(self, place: Place, at: datetime) -> bool:
        """Say whether neither its own window nor one of a later place would hold too many."""
        return all(self.count(holder, at) < size for holder, size in place.limits.items()) and all(
            self.count(holder, time) < size
            for holder in place.counts_against
            for time, size in self._later(holder, at)
        )

    def _later(self, holder: Hashable, at: datetime) -> list[tuple[datetime, int]]:
        limited = self._limited[holder]
        begin = bisect_right(limited, at, key=itemgetter(0))
        return limited[begin : bisect_left(limited, at + WINDOW, key=itemgetter(0))]


def _first_time(place: Place, held: _Held, now: datetime) -> datetime:
    if min(place.limits.values()) <= 0:
        return now + WINDOW
    for candidate in held.times(place, now):
        if candidate >= now and held.fits(place, candidate):
            return candidate
    raise AssertionError("after the last place of all every window is empty")
