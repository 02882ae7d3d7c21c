"""Doing a stage of a submission's life: a sign of life, a deadline, three tries, then a failure in words.

While a stage works it holds the submission's row lock, so nobody else does the same, and a killed process
lets go at once. Only the count of tries is written beforehand: a file that kills its reader does not come
back forever.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.db import InterfaceError, OperationalError, connection, transaction
from django.utils import timezone

from evaluation import lifecycle
from evaluation.models import StageWork, Submission

logger = logging.getLogger(__name__)

ATTEMPTS = 3
DEADLINE = timedelta(minutes=10)
HEARTBEAT = 5.0  # seconds between two signs of life
Act = Callable[..., bool]


def run(*, submission_id: int, stage: str, act: Act, doing: str) -> bool:
    """Do a stage of a submission, if it is in that state and nobody is at it.

    Parameters
    ----------
    stage : str
        The state in which the stage finds the submission.
    act : callable
        Called with ``submission_id``. It locks the row, checks the state again, and returns whether it moved
        the submission on. Whatever it raises counts as a try, but for a database that is away.
    doing : str
        What it does, for people: "reading the file".

    Returns
    -------
    bool
        Whether the submission moved on, be it to failure.
    """
    work = _begin(submission_id, stage)
    if work is None:
        return False
    if work.attempts > ATTEMPTS or timezone.now() > work.deadline_at:
        reason = "did not finish in time" if work.attempts <= ATTEMPTS else f"stopped {ATTEMPTS} times"
        lifecycle.fail(
            submission_id=submission_id,
            detail=f"We failed at {doing}: it {reason}. This is our fault, not your file's. Resume it to have"
            " us try again; the operators see what happened.",
        )
        return True
    try:
        with _signs_of_life(work):
            moved = act(submission_id=submission_id)
    except (OperationalError, InterfaceError):
        raise  # the database is away: the row is still due
    except Exception as error:
        logger.exception("submission %s: %s failed", submission_id, doing)
        StageWork.objects.filter(pk=work.pk).update(error=f"{type(error).__name__}: {error}")
        return True
    if not moved:  # it is somebody else's turn: this was no try
        StageWork.objects.filter(pk=work.pk, attempts=work.attempts).delete()
    return moved


@transaction.atomic
def _begin(submission_id: int, stage: str) -> StageWork | None:
    submission = (
        Submission.objects.select_for_update(skip_locked=True).filter(pk=submission_id, state=stage).first()
    )
    if submission is None:
        return None
    now = timezone.now()
    fresh = {"stage": stage, "attempts": 0, "started_at": now, "deadline_at": now + DEADLINE, "error": ""}
    work, _ = StageWork.objects.get_or_create(submission=submission, defaults={**fresh, "heartbeat_at": now})
    if work.stage != stage:
        for field, value in fresh.items():
            setattr(work, field, value)
    work.attempts += 1
    work.heartbeat_at = now
    work.save()
    return work


@contextmanager
def _signs_of_life(work: StageWork) -> Iterator[None]:
    over = threading.Event()

    def beat() -> None:
        try:
            while not over.wait(HEARTBEAT):
                StageWork.objects.filter(pk=work.pk).update(heartbeat_at=timezone.now())
        finally:
            connection.close()

    thread = threading.Thread(
        target=beat, name=f"signs of life of submission {work.submission_id}", daemon=True
    )
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
