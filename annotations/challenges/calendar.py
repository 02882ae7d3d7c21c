"""When systems may be submitted: pure. Every period has its start and not its end, to the microsecond."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum


class State(StrEnum):
    """How a corpus stands."""

    OPEN = "open"
    UPCOMING = "upcoming"
    PAUSED = "paused"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Period:
    """The time from a start until just before an end; None: it always was, or never ends."""

    start: datetime | None = None
    end: datetime | None = None

    def __contains__(self, at: datetime) -> bool:
        """Say whether a moment is in it."""
        return (self.start is None or self.start <= at) and (self.end is None or at < self.end)


@dataclass(frozen=True, slots=True)
class Phase:
    """A named part of the time of a corpus.

    Attributes
    ----------
    name : str
    period : Period
    takes_submissions : bool
    """

    name: str
    period: Period
    takes_submissions: bool = True


@dataclass(frozen=True, slots=True)
class Standing:
    """How a corpus stands at a moment.

    Attributes
    ----------
    state : State
    phase : Phase or None
        The one that is on.
    next_phase : Phase or None
        The first that begins later.
    changes_at : datetime or None
        When it closes, if it is open; when it opens, if it will. None: that is not foreseen.
    closed_at : datetime or None
        Since when nothing is taken, where something was before.
    """

    state: State
    phase: Phase | None
    next_phase: Phase | None
    changes_at: datetime | None
    closed_at: datetime | None

    @property
    def is_open(self) -> bool:
        """Whether systems may be submitted."""
        return self.state is State.OPEN


def standing(dates: Period, phases: Sequence[Phase], now: datetime) -> Standing:
    """Return how a corpus stands at a moment.

    Systems may be submitted within its dates, and, where it has phases, in those that take submissions.

    Parameters
    ----------
    dates : Period
    phases : sequence of Phase
        That do not overlap.
    now : datetime

    Examples
    --------
    >>> from datetime import UTC
    >>> noon = datetime(2026, 12, 2, 12, tzinfo=UTC)
    >>> standing(Period(end=noon), (), noon - timedelta(microseconds=1)).state.value
    'open'
    >>> standing(Period(end=noon), (), noon).state.value
    'closed'
    """
    ordered = sorted(phases, key=lambda one: one.period.start or now)
    phase = next((one for one in ordered if now in one.period), None)
    next_phase = next((one for one in ordered if one.period.start and one.period.start > now), None)
    open_in = taking(dates, ordered)
    past = [one.end for one in open_in if one.end is not None and one.end <= now]
    closed_at = past[-1] if past else None
    for period in open_in:
        if now in period:
            return Standing(State.OPEN, phase, next_phase, period.end, None)
        if period.start is not None and period.start > now:
            state = State.PAUSED if past else State.UPCOMING
            return Standing(state, phase, next_phase, period.start, closed_at)
    return Standing(State.CLOSED, phase, next_phase, None, closed_at)


def taking(dates: Period, phases: Sequence[Phase]) -> tuple[Period, ...]:
    """Return the periods in which systems may be submitted, in order; those that touch are one."""
    parts = [one.period for one in phases if one.takes_submissions] if phases else [Period()]
    found: list[Period] = []
    for part in parts:
        period = _common(dates, part)
        if period is None:
            continue
        if found and found[-1].end is not None and found[-1].end == period.start:
            period = Period(found.pop().start, period.end)
        found.append(period)
    return tuple(found)


def time_left(span: timedelta) -> str:
    """Say how long is left, rounded down: nobody has less than it says.

    Examples
    --------
    >>> time_left(timedelta(days=3, hours=23)), time_left(timedelta(minutes=95))
    ('3 days', '95 minutes')
    """
    for unit, least in ((timedelta(days=1), 2), (timedelta(hours=1), 2), (timedelta(minutes=1), 1)):
        number = span // unit
        if number >= least:
            name = {timedelta(days=1): "day", timedelta(hours=1): "hour"}.get(unit, "minute")
            return f"{number} {name}{'s' * (number != 1)}"
    return "less than a minute"


def _common(one: Period, other: Period) -> Period | None:
    """Return what two periods have in common; None for nothing."""
    starts = [period.start for period in (one, other) if period.start is not None]
    ends = [period.end for period in (one, other) if period.end is not None]
    start, end = max(starts, default=None), min(ends, default=None)
    if start is not None and end is not None and start >= end:
        return None
    return Period(start, end)
