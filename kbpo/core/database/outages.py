"""Telling a database that is away from one that refuses what it is asked."""

import logging
import threading
import time
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from django.db import InterfaceError, OperationalError

from kbpo.core.disk import is_no_space
from kbpo.core.errors import StoreAway, StoreFull

logger = logging.getLogger(__name__)

P = ParamSpec("P")

# Of SQLSTATE: the connection was lost or not made; the server stops, starts, or ended the session; all its
# connections are taken. Running out of disk or memory, deadlocks and timeouts are faults of what was asked.
AWAY = ("08", "57P", "53300")
# What nobody waits for any longer: a statement's time, or a lock's.
TOO_SLOW = ("57014", "55P03", "40P01")
FULL = ("53100",)
ONE_LINE_EVERY = 60.0  # seconds, of the log

_lock = threading.Lock()
_last_line = -ONE_LINE_EVERY


def is_outage(error: BaseException) -> bool:
    """Say whether an error means that the database cannot be reached now.

    What was being done is then still due, and no try of it is counted: nothing could be noted anyway.

    Examples
    --------
    >>> is_outage(InterfaceError("the connection is closed"))
    True
    >>> is_outage(ValueError("no number"))
    False
    """
    if isinstance(error, InterfaceError):
        return True
    if not isinstance(error, OperationalError):
        return False
    state = _state(error)
    return state is None or state.startswith(AWAY)


def is_too_slow(error: BaseException) -> bool:
    """Say whether a statement was ended by a time limit of its connection, or by a deadlock."""
    return isinstance(error, OperationalError) and _state(error) in TOO_SLOW


def is_full(error: BaseException) -> bool:
    """Say whether the database has no room left on its disk."""
    return isinstance(error, OperationalError) and _state(error) in FULL


def is_store_outage(error: BaseException) -> bool:
    """Say whether an error means that the store of files cannot be reached now, or takes no more.

    What was being done is then still due, and no try of it is counted.
    """
    return isinstance(error, StoreAway | StoreFull) or is_no_space(error)


def log_outage(error: BaseException) -> None:
    """Write a line on an outage, one a minute in each process, without a traceback."""
    global _last_line
    with _lock:
        if time.monotonic() - _last_line < ONE_LINE_EVERY:
            return
        _last_line = time.monotonic()
    what = "the store of files" if is_store_outage(error) else "the database"
    words = getattr(error, "detail", None) or str(error)
    logger.error("%s is away: %s", what, " ".join(words.split())[:600])


def later_if_away(stage: Callable[P, int]) -> Callable[P, int]:
    """Have a task of the pipeline end quietly while database or files are away: what it would do is due."""

    @wraps(stage)
    def quiet(*args: P.args, **kwargs: P.kwargs) -> int:
        try:
            return stage(*args, **kwargs)
        except (OperationalError, InterfaceError, StoreAway, StoreFull, OSError) as error:
            if not (is_outage(error) or is_store_outage(error)):
                raise
            log_outage(error)
            return 0

    return quiet


def _state(error: BaseException) -> str | None:
    return getattr(error.__cause__, "sqlstate", None)
