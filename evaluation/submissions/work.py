"""Doing a stage of a submission's life: a sign of life, a deadline, a few tries, then a failure in words.

Between two tries that end in an error there is a pause, ever longer: what was away may be back by then.

While a stage works it holds a claim on the submission, so nobody else does the same, and a killed process
lets go at once; the row itself stays free for those who press a button. Only the count of tries is written
beforehand: what kills its worker does not come back forever. A worker that is stopped, by a deploy or a power
cut, is no fault of the submission that it was at: more tries may be lost than may end in an error, and the
deadline waits while nobody works.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import F, Min
from django.utils import timezone

from evaluation.models import Epoch, StageWork, Submission
from evaluation.submissions import lifecycle
from kbpo.core.database.leases import is_held
from kbpo.core.database.locks import claim
from kbpo.core.database.outages import is_outage, is_store_outage

logger = logging.getLogger(__name__)

PAUSES = (timedelta(seconds=10), timedelta(minutes=1))  # after the first error, the second, …
ERRORS = 1 + len(PAUSES)  # tries that may end in an error
ATTEMPTS = 10  # tries that may begin, however they end
DEADLINE = timedelta(hours=3)  # of work, over all tries; reading one file may take an hour on a busy machine
HEARTBEAT = 5.0  # seconds between two signs of life
Act = Callable[..., bool]


def run(*, submission_id: int, stage: str, act: Act, doing: str) -> bool:
    """Do a stage of a submission, if it is in that state and nobody is at it.

    Parameters
    ----------
    stage : str
        The state in which the stage finds the submission.
    act : callable
        Called with ``submission_id``. It works without the row's lock, then takes it, checks the state again,
        and returns whether it moved the submission on. Whatever it raises counts as a try, but for a database
        that is away, and for a submission that has left the state meanwhile.
    doing : str
        What it does, for people: "reading the file".

    Returns
    -------
    bool
        Whether the submission moved on, be it to failure.
    """
    with claim(f"submission {submission_id}") as is_ours:
        return is_ours and _try(submission_id, stage, act, doing)


def _try(submission_id: int, stage: str, act: Act, doing: str) -> bool:
    work = _begin(submission_id, stage)
    if work is None:
        return False
    if reason := _hopeless(work):
        lifecycle.fail(
            submission_id=submission_id,
            stage=stage,
            detail=f"We failed at {doing}: it {reason}. This is our fault, not your file's. Resume it to have"
            " us try again; the operators see what happened.",
        )
        return True
    clock = _Clock(work.heartbeat_at)
    try:
        with _signs_of_life(work, clock):
            moved = act(submission_id=submission_id)
    except Exception as error:
        if is_outage(error):
            raise  # the row is still due
        if is_store_outage(error):
            _wait_for_files(work, clock.now(), error)
            raise
        if not _is_in(submission_id, stage):
            return False
        logger.exception("submission %s: %s failed", submission_id, doing)
        now = clock.now()
        StageWork.objects.filter(pk=work.pk).update(
            error=f"{type(error).__name__}: {error}",
            errors=work.errors + 1,
            heartbeat_at=now,
            not_before=again_at(errors=work.errors + 1, now=now),
        )
        return True
    if not moved:  # it is somebody else's turn: this was no try
        StageWork.objects.filter(pk=work.pk, stage=stage).update(attempts=F("attempts") - 1)
        StageWork.objects.filter(pk=work.pk, stage=stage, attempts=0).delete()
    return moved


def _wait_for_files(work: StageWork, now: datetime, error: Exception) -> None:
    """Try again after a pause: where files cannot be read, no try counts, nor the time that it took."""
    StageWork.objects.filter(pk=work.pk, stage=work.stage).update(
        error=f"{type(error).__name__}: {getattr(error, 'detail', error)}",
        attempts=F("attempts") - 1,
        heartbeat_at=now,
        deadline_at=work.deadline_at + (now - work.heartbeat_at),
        not_before=now + PAUSES[0],
    )


def _hopeless(work: StageWork) -> str:
    """Say why a stage is not tried again; nothing where it is."""
    if work.errors >= ERRORS:
        return f"stopped {work.errors} times"
    if work.attempts > ATTEMPTS:
        return f"stopped {ATTEMPTS} times"
    if work.heartbeat_at > work.deadline_at:
        return "did not finish in time"
    return ""


def again_at(*, errors: int, now: datetime) -> datetime | None:
    """Say when something is tried again after so many errors; None for at once, be it to give up."""
    return now + PAUSES[errors - 1] if errors < ERRORS else None


def try_now(*, submission_id: int) -> bool:
    """Have a stage that pauses after an error tried at once; return whether there is one."""
    pauses = StageWork.objects.filter(
        submission=submission_id, submission__state=F("stage"), not_before__isnull=False
    )
    return bool(pauses.update(not_before=None))


def next_try() -> datetime | None:
    """Return when the first of what pauses after an error is tried again; None where nothing does."""
    works = StageWork.objects.filter(submission__state=F("stage")).aggregate(at=Min("not_before"))["at"]
    scores = Epoch.objects.filter(scores_due=True).aggregate(at=Min("scoring_not_before"))["at"]
    return min((at for at in (works, scores) if at), default=None)


def _is_in(submission_id: int, stage: str) -> bool:
    return Submission.objects.filter(pk=submission_id, state=stage).exists()


@transaction.atomic
def _begin(submission_id: int, stage: str) -> StageWork | None:
    if not _is_in(submission_id, stage):
        return None
    now = timezone.now()
    fresh = {
        "stage": stage,
        "attempts": 0,
        "errors": 0,
        "started_at": now,
        "heartbeat_at": now,
        "deadline_at": now + DEADLINE,
        "error": "",
        "not_before": None,
    }
    work, _ = StageWork.objects.get_or_create(submission_id=submission_id, defaults=fresh)
    if work.stage != stage:
        for field, value in fresh.items():
            setattr(work, field, value)
    if is_held(work.not_before, now, longest=PAUSES[-1]):
        return None
    work.not_before = None
    work.attempts += 1
    work.deadline_at += now - work.heartbeat_at  # nobody was at it since
    work.heartbeat_at = now
    work.save()
    return work


class _Clock:
    """The time since some work began, which no jump of the clock makes longer: its deadline is about work."""

    def __init__(self, begun: datetime) -> None:
        self._begun, self._started = begun, time.monotonic()

    def now(self) -> datetime:
        return self._begun + timedelta(seconds=time.monotonic() - self._started)


@contextmanager
def _signs_of_life(work: StageWork, clock: _Clock) -> Iterator[None]:
    over = threading.Event()

    def beat() -> None:
        try:
            while not over.wait(HEARTBEAT):
                StageWork.objects.filter(pk=work.pk).update(heartbeat_at=clock.now())
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
