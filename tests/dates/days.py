"""The days on which the tests run, as seen from any day."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count
from zoneinfo import ZoneInfo

# On either side of UTC, so that for hours it is yesterday in one and tomorrow in the other. Their summers are
# in opposite halves of the year: on every day at least one of the two clocks is put forward.
ZONES = ("America/New_York", "Pacific/Auckland")

DAYS: dict[str, Callable[[datetime, str], datetime]] = {
    "a day ahead": lambda now, zone: now + timedelta(days=1),
    "a month ahead": lambda now, zone: now + timedelta(days=30),
    "400 days ahead": lambda now, zone: now + timedelta(days=400),
    "a leap day": lambda now, zone: next_leap_day(now, zone),
    # the clock is put forward or back while the tests run
    "a change of summer time": lambda now, zone: next_change(now, zone) - timedelta(minutes=1),
}


def begin(name: str, now: datetime, zone: str) -> datetime:
    """Return the moment at which a run begins.

    Parameters
    ----------
    name : str
        Of `DAYS`.
    now : datetime
        Aware.
    zone : str
        One with summer time.
    """
    return DAYS[name](now, zone)


def next_leap_day(now: datetime, zone: str) -> datetime:
    """Return noon, in a zone, of the first 29 February that is after now."""
    for year in count(now.year):
        try:
            noon = datetime(year, 2, 29, 12, tzinfo=ZoneInfo(zone))
        except ValueError:
            continue
        if noon > now:
            return noon
    raise AssertionError("there are leap years for ever")


def next_change(now: datetime, zone: str) -> datetime:
    """Return when the clocks of a zone are next put forward or back.

    Raises
    ------
    ValueError
        If they are not within a year.
    """
    start = now.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    here = ZoneInfo(zone)
    for hours in range(1, 24 * 366):
        moment = start + timedelta(hours=hours)
        before = moment - timedelta(hours=1)
        if before >= now and moment.astimezone(here).utcoffset() != before.astimezone(here).utcoffset():
            return moment
    raise ValueError(f"zone is {zone!r}; it must be one with summer time")
