"""One process at a time for each of our objects at Prolific, without a lock held over HTTP."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from crowd.models import ProlificObject
from crowd.providers.base import NoAnswer
from crowd.providers.prolific.api import Unclear
from kbpo.core.database import leases

LEASE = timedelta(seconds=300)  # longer than all that is done under it, timeouts and all
SETTLING = timedelta(seconds=60)  # in which a request without an answer may still be carried out
PATIENCE = 10.0  # seconds that a process waits for another
_LOOK = 0.2  # seconds between looks


@contextmanager
def claimed(
    name: str,
    kind: str,
    *,
    clock: Callable[[], datetime],
    patience: float = PATIENCE,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[ProlificObject]:
    """Have one of our objects at Prolific for oneself.

    After a request that had no answer the claim is kept for a while: what was sent may still be carried out,
    and whoever came next would not see it yet.

    Parameters
    ----------
    name : str
        By which the object is found at Prolific.
    kind : str
        Of `ProlificObject.Kind`.
    clock : callable
        Returns the time.
    patience : float
        Seconds to wait for another process.
    sleep : callable

    Raises
    ------
    NoAnswer
        If another process keeps it for longer than that.
    """
    row, _ = ProlificObject.objects.get_or_create(name=name, defaults={"kind": kind, "created_at": clock()})
    until = _claim(row, clock)
    while until is None and patience > 0:
        sleep(_LOOK)
        patience -= _LOOK
        until = _claim(row, clock)
    if until is None:
        raise NoAnswer("Another process is at the same study at Prolific.", retry_after=5.0)
    row.refresh_from_db()
    mine = ProlificObject.objects.filter(pk=row.pk, claimed_until=until)
    try:
        yield row
    except Unclear:
        mine.update(claimed_until=clock() + SETTLING)
        raise
    except BaseException:
        mine.update(claimed_until=None)
        raise
    mine.update(claimed_until=None)


def _claim(row: ProlificObject, clock: Callable[[], datetime]) -> datetime | None:
    now = clock()
    until = now + LEASE
    free = leases.is_over("claimed_until", now, longest=LEASE)
    return until if ProlificObject.objects.filter(free, pk=row.pk).update(claimed_until=until) else None
