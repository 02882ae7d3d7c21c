"""How long something takes, in words."""

import datetime


def in_words(span: datetime.timedelta) -> str:
    """Say roughly how long something takes.

    Examples
    --------
    >>> in_words(datetime.timedelta(minutes=100))
    'about 2 hours'
    >>> in_words(datetime.timedelta(seconds=20))
    'less than a minute'
    """
    minutes = span.total_seconds() / 60
    for size, unit in ((24 * 60, "day"), (60, "hour"), (1, "minute")):
        number = round(minutes / size)
        if minutes >= size * (1 if unit == "minute" else 1.5):
            return f"about {number} {unit}{'' if number == 1 else 's'}"
    return "less than a minute"
