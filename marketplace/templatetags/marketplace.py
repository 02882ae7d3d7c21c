"""Money and durations in words."""

from datetime import timedelta

from django import template

register = template.Library()


@register.filter
def amount(cents: int) -> str:
    """Write cents as a number of dollars, for a column that says so.

    Examples
    --------
    >>> amount(123450)
    '1,234.50'
    """
    return f"{cents // 100:,}.{cents % 100:02}"


@register.filter
def dollars(cents: int) -> str:
    """Write cents as dollars.

    Examples
    --------
    >>> dollars(123450)
    '$1,234.50'
    """
    return f"${amount(cents)}"


@register.filter
def duration(length: timedelta | int) -> str:
    """Write a duration in its largest unit, rounded.

    Parameters
    ----------
    length : timedelta or int
        An int is a number of seconds.

    Examples
    --------
    >>> duration(300)
    '5 minutes'
    """
    seconds = length.total_seconds() if isinstance(length, timedelta) else length
    for unit, size in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= 2 * size or seconds == size:
            return _count(round(seconds / size), unit)
    return _count(round(seconds), "second")


def _count(number: int, unit: str) -> str:
    return f"{number} {unit}{'' if number == 1 else 's'}"
