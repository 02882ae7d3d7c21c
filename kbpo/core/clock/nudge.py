"""Telling the workers that there is something to do, when a transaction has committed."""

import logging
import time

from django.conf import settings
from django.db import transaction

logger = logging.getLogger(__name__)

# Nobody waits for a hint: neither for a broker that is not there, nor for one that says nothing.
AT_ONCE = {"max_retries": 1, "interval_start": 0, "socket_connect_timeout": 0.3, "socket_timeout": 0.3}
AWAY = 10.0  # seconds in which a broker that was away is not told anything

_away_until = -AWAY


def nudge(task_name: str) -> None:
    """Have a task run soon after this transaction commits.

    It is a hint alone: beat runs every stage every few seconds anyway. So the message expires in seconds,
    none is sent where no broker runs, and a broker that is away is logged once and never an error.

    Parameters
    ----------
    task_name : str
        The task's full name, such as ``"kbpo.pipeline.validate_submissions"``.
    """
    if settings.KBPO_NUDGE:
        transaction.on_commit(lambda: _send(task_name), robust=True)


def _send(task_name: str) -> None:
    from kombu.exceptions import OperationalError

    from kbpo.core.clock.celery import EXPIRES, app, broker

    global _away_until
    if time.monotonic() < _away_until or (address := broker(start=False)) is None:
        return
    try:
        with app.connection_for_write(address, transport_options=AT_ONCE) as connection:
            app.send_task(task_name, expires=EXPIRES, connection=connection, retry=False)
    except (OperationalError, OSError) as error:
        now = time.monotonic()
        if now - _away_until > AWAY:  # else it has been away all the time
            logger.warning("The broker is away; the pipeline runs every few seconds all the same (%s)", error)
        _away_until = now + AWAY
