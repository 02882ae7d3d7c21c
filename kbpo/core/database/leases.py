"""Leases: rows that somebody has taken until a time, or that pause until one."""

from datetime import datetime, timedelta

from django.db.models import Q

#: By which the clocks of two machines may differ.
CLOCKS_DIFFER = timedelta(minutes=5)


def is_over(field: str, now: datetime, *, longest: timedelta) -> Q:
    """Select the rows that nobody has now.

    A time further away than any lease of the kind can be was written by a clock that has been put right
    since: it holds nothing.

    Parameters
    ----------
    field : str
        Until when a row is held; null where nobody has it.
    now : datetime
    longest : timedelta
        That a lease of this kind can be.
    """
    return (
        Q(**{field: None})
        | Q(**{f"{field}__lte": now})
        | Q(**{f"{field}__gt": now + longest + CLOCKS_DIFFER})
    )


def is_held(until: datetime | None, now: datetime, *, longest: timedelta) -> bool:
    """Say the opposite of one time, as `is_over` does.

    Examples
    --------
    >>> from datetime import UTC
    >>> noon = datetime(2026, 11, 22, 12, tzinfo=UTC)
    >>> hour = timedelta(hours=1)
    >>> [is_held(until, noon, longest=hour) for until in (None, noon, noon + hour, noon + 48 * hour)]
    [False, False, True, False]
    """
    return until is not None and now < until <= now + longest + CLOCKS_DIFFER
