"""How often somebody may do something: counts in the database, where they hold for all web processes.

Each count is one row and one statement, so two requests at once cannot both be the last that is taken. It
begins with the first that is counted and ends a fixed time later. The table is unlogged: a count needs no
write to the disk, and after a crash of the database all begin anew.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection
from django.utils.crypto import salted_hmac

from kbpo.core.errors import TooMany
from kbpo.core.models import RequestCount


@dataclass(frozen=True, slots=True)
class Limit:
    """So many of something in so much time.

    Attributes
    ----------
    name : str
        Tells this count from others; counts of the same name and owner are one.
    amount : int
        How many are taken.
    seconds : int
        In how much time, from the first on.
    what : str
        What they are, in the plural, as people are told: "wrong passwords from your network".
    """

    name: str
    amount: int
    seconds: int
    what: str


@dataclass(frozen=True, slots=True)
class Counted:
    """How a limit stands after one more was counted.

    Attributes
    ----------
    limit : Limit
    is_taken : bool
        Whether that one was taken.
    left : int
        How many more are.
    seconds : int
        After how many the count begins anew, 1 or more.
    """

    limit: Limit
    is_taken: bool
    left: int
    seconds: int


def take(limit: Limit, *whose: str, now: datetime) -> int:
    """Count one more, unless the limit is reached.

    Returns
    -------
    int
        0 if it is taken; otherwise the seconds after which one will be, 1 or more.
    """
    counted = count(limit, *whose, now=now)
    return 0 if counted.is_taken else counted.seconds


def count(limit: Limit, *whose: str, now: datetime) -> Counted:
    """Count one more, unless the limit is reached, and say how it stands.

    Call it outside of transactions: until its own ends, everybody whose count it is waits.

    Parameters
    ----------
    limit : Limit
    *whose : str
        Whose count it is: an address, an account. None: everybody's.
    now : datetime
        Aware.
    """
    ends_at = now + timedelta(seconds=limit.seconds)
    with connection.cursor() as cursor:
        # A count that ends later than one that begins now was begun by a clock that was ahead.
        cursor.execute(
            """
            INSERT INTO core_requestcount AS kept (key, count, ends_at) VALUES (%(key)s, 1, %(ends_at)s)
            ON CONFLICT (key) DO UPDATE SET
                count = CASE WHEN kept.ends_at > %(now)s AND kept.ends_at <= %(ends_at)s
                             THEN LEAST(kept.count, %(amount)s) + 1 ELSE 1 END,
                ends_at = CASE WHEN kept.ends_at > %(now)s AND kept.ends_at <= %(ends_at)s
                               THEN kept.ends_at ELSE %(ends_at)s END
            RETURNING count, ends_at
            """,
            {"key": _key(limit, whose), "ends_at": ends_at, "now": now, "amount": limit.amount},
        )
        counted, ends_at = cursor.fetchone()
    wait = max(1, -int((now - ends_at) // timedelta(seconds=1)))
    return Counted(limit, counted <= limit.amount, max(0, limit.amount - counted), wait)


def require(limit: Limit, *whose: str, now: datetime) -> None:
    """Count one more.

    Raises
    ------
    TooMany
        The limit is reached; it says when it will not be.
    """
    counted = count(limit, *whose, now=now)
    if not counted.is_taken:
        raise too_many(counted)


def too_many(counted: Counted) -> TooMany:
    """Return the refusal of one more than a limit takes; it says when one will be taken."""
    limit, wait = counted.limit, counted.seconds
    return TooMany(
        f"Too many {limit.what}: more than {limit.amount} in {in_words(limit.seconds)}. "
        f"Try again in {in_words(wait)}.",
        retry_after=wait,
    )


def is_reached(limit: Limit, *whose: str, now: datetime) -> bool:
    """Say whether one more would be refused, without counting it."""
    kept = RequestCount.objects.filter(key=_key(limit, whose), ends_at__gt=now, count__gte=limit.amount)
    return kept.exists()


def give_back(limit: Limit, *whose: str) -> None:
    """Take one off a count: it was none of those that the limit is about."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE core_requestcount SET count = count - 1 WHERE key = %s AND count > 0",
            [_key(limit, whose)],
        )


def mark(limit: Limit, *whose: str, now: datetime) -> None:
    """Remember that something was done, for the limit's time from now on."""
    ends_at = now + timedelta(seconds=limit.seconds)
    RequestCount.objects.bulk_create(
        [RequestCount(key=_key(limit, whose), count=1, ends_at=ends_at)],
        update_conflicts=True,
        unique_fields=["key"],
        update_fields=["ends_at"],
    )


def is_marked(limit: Limit, *whose: str, now: datetime) -> bool:
    """Say whether something is remembered."""
    return RequestCount.objects.filter(key=_key(limit, whose), ends_at__gt=now).exists()


def sweep(*, now: datetime) -> int:
    """Delete the counts that have ended; return how many."""
    return RequestCount.objects.filter(ends_at__lte=now).delete()[0]


def in_words(seconds: int) -> str:
    """Return a time as people say it, rounded up."""
    for unit, length in (("hour", 3600), ("minute", 60), ("second", 1)):
        if seconds >= length:
            number = -(-seconds // length)
            return f"{number} {unit}{'' if number == 1 else 's'}"
    return "a moment"


def _key(limit: Limit, whose: tuple[str, ...]) -> str:
    # Nobody who reads the table learns addresses, and no separator can be part of a name.
    words = "".join(f"{len(word)}:{word}" for word in (limit.name, *whose))
    return salted_hmac("kbpo.core.limits", words.encode(errors="replace"), algorithm="sha256").hexdigest()
