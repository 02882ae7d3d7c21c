"""Signs of life of beat and of the workers, written into the database every few seconds.

Each process has a thread for it, so that work that takes long is not taken for death. The rows are in the
database and not in Redis: that a broker is away must not look as if everything were dead.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection
from django.utils import timezone

from kbpo.core.database.outages import is_outage, log_outage
from kbpo.core.health.models import Heartbeat

logger = logging.getLogger(__name__)

EVERY = 15.0  # seconds between two signs
LATE = timedelta(minutes=1)  # after which a process that gave none is taken for dead
BEAT, WORKER = str(Heartbeat.Name.BEAT), str(Heartbeat.Name.WORKER)
#: When somebody last looked for troubles, which the worker's children do: its main process may outlive them.
WATCH = str(Heartbeat.Name.WATCH)
NAMES = (BEAT, WORKER, str(Heartbeat.Name.MAILER))
NOT_WATCHED = timedelta(minutes=3)  # after which somebody else looks: it is done each minute
#: Whose sign a worker gives, by the queue that it takes from.
OF_QUEUES = {"kbpo": Heartbeat.Name.WORKER, "mail": Heartbeat.Name.MAILER}


@dataclass(frozen=True, slots=True)
class Sign:
    """The last sign of life of a process.

    Attributes
    ----------
    name : str
        One of `NAMES`.
    label : str
        What people call it.
    seen_at : datetime or None
        None where there was never one.
    age : timedelta or None
    """

    name: str
    label: str
    seen_at: datetime | None
    age: timedelta | None

    @property
    def is_late(self) -> bool:
        """Whether the process is to be taken for dead."""
        return self.age is None or self.age > LATE


def give(names: Iterable[str], *, now: datetime) -> None:
    """Write down that these processes are alive."""
    Heartbeat.objects.bulk_create(
        [Heartbeat(name=name, seen_at=now) for name in sorted(names)],
        update_conflicts=True,
        unique_fields=["name"],
        update_fields=["seen_at"],
    )


def signs(*, now: datetime) -> list[Sign]:
    """Return the last sign of each process that there must be."""
    seen = dict(Heartbeat.objects.values_list("name", "seen_at"))
    return [
        Sign(
            name,
            str(Heartbeat.Name(name).label),
            seen.get(name),
            # One of a clock that was ahead is no sign that something is alive for ever.
            abs(now - seen[name]) if name in seen else None,
        )
        for name in NAMES
    ]


class Publishing:
    """Whether beat has sent anything lately: its thread would live on where its loop hangs."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def note(self, **_: object) -> None:
        """Note that something was sent."""
        self._last = time.monotonic()

    def is_alive(self) -> bool:
        """Say whether something was sent since the last sign but one."""
        return time.monotonic() - self._last < 2 * EVERY


def once(
    names: Iterable[str], *, is_alive: Callable[[], bool], watch: Callable[[], object] | None = None
) -> None:
    """Give one sign; where others give none, do what they would: notice it.

    Parameters
    ----------
    names : iterable of str
        Whose signs this process gives.
    is_alive : callable
        Whether it is alive.
    watch : callable, optional
        Looks for trouble. Beat has the worker's children call it, unless one of them is dead or hangs.
    """
    now = timezone.now()
    if is_alive():
        give(names, now=now)
    if watch is not None and (
        any(sign.is_late for sign in signs(now=now) if sign.name in (BEAT, WORKER)) or _nobody_watches(now)
    ):
        watch()


def _nobody_watches(now: datetime) -> bool:
    seen = Heartbeat.objects.filter(name=WATCH).values_list("seen_at", flat=True).first()
    return seen is not None and abs(now - seen) > NOT_WATCHED


def start(
    names: Iterable[str],
    *,
    is_alive: Callable[[], bool] = lambda: True,
    watch: Callable[[], object] | None = None,
    over: threading.Event | None = None,
) -> threading.Thread:
    """Give signs of life from now on, in a thread that ends with the process."""
    kept, end = tuple(names), over or threading.Event()

    def go_on() -> None:
        while True:
            try:
                once(kept, is_alive=is_alive, watch=watch)
            except Exception as error:  # the next may come through
                if is_outage(error):
                    log_outage(error)
                else:
                    logger.exception("no sign of life could be given")
            finally:
                connection.close()
            if end.wait(EVERY):
                return

    thread = threading.Thread(target=go_on, name="signs of life", daemon=True)
    thread.start()
    return thread
