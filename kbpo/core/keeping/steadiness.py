"""Telling time that passed from a clock that jumped: never by one look at the clock.

The pipeline looks every few seconds. Between two looks that are far apart, or in the wrong order, the clock
jumped, or the service stood still: nobody can tell which. So nothing that people left here is thrown away
because of the time before it has been seen to pass, look after look, for long enough.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

SOONEST = timedelta(minutes=1)  # between two looks that are noted
LONGEST = timedelta(hours=1)  # between two looks with a clock that only went on
BACK = timedelta(minutes=1)  # by which clocks are put back, and those of two machines differ
STEADY = timedelta(days=1)  # seen to pass since the last jump, before anything is thrown away


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of the clock.

    Attributes
    ----------
    looked_at : datetime or None
        When it was looked at last.
    seconds : int
        That were seen to pass, since ever: no jump adds more than `LONGEST`.
    jumped_at : int
        How many they were at the last jump.
    """

    looked_at: datetime | None = None
    seconds: int = 0
    jumped_at: int = 0

    @property
    def steady_for(self) -> timedelta:
        """How long the clock has been seen to go on without a jump."""
        return timedelta(seconds=self.seconds - self.jumped_at)


def is_due(seen: Seen, now: datetime) -> bool:
    """Say whether a look at the clock is to be noted."""
    return seen.looked_at is None or not -BACK <= now - seen.looked_at < SOONEST


def look_again(seen: Seen, now: datetime) -> Seen:
    """Return what has been seen after another look; the first look, and a jump, start again.

    Examples
    --------
    >>> from datetime import UTC
    >>> noon = datetime(2026, 11, 22, 12, tzinfo=UTC)
    >>> seen = look_again(look_again(Seen(), noon), noon + timedelta(minutes=1))
    >>> seen.seconds, seen.jumped_at
    (60, 0)
    >>> look_again(seen, noon + timedelta(days=2)).steady_for
    datetime.timedelta(0)
    """
    if seen.looked_at is None:
        return Seen(now, seen.seconds, seen.seconds)
    passed = now - seen.looked_at
    seconds = seen.seconds + int(min(max(passed, timedelta(0)), LONGEST).total_seconds())
    has_jumped = passed > LONGEST or passed < -BACK
    return Seen(now, seconds, seconds if has_jumped else seen.jumped_at)
