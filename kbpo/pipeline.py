"""The pipeline: every stage in order, each a claim on rows and one call to a service.

The database is the queue. A stage takes the rows that are due, one transaction each, and can run anywhere,
at any time, twice, or be killed: what it did not commit is still due. Celery only says when; `advance` runs
everything that is due in this process.
"""

import logging
from collections.abc import Callable

from celery import shared_task
from django.db import InterfaceError, OperationalError
from django.utils import timezone

from annotations import labels, pairs
from crowd.marketplace import lifecycle
from evaluation import batches, checks, estimation, files, notices, sampling, submissions, uploads, work
from evaluation.models import Epoch, SampleBatch, Submission

logger = logging.getLogger(__name__)


def validate_submissions() -> int:
    """Read what was uploaded; return how many submissions moved on."""
    return _each_submission(Submission.State.UPLOADED, submissions.read_submission, "reading the file")


def sample_submissions() -> int:
    """Draw the samples of accepted submissions that may go ahead; return how many moved on."""
    return _each_submission(
        Submission.State.ACCEPTED, sampling.sample_submission, "drawing the sample", sampling.is_due
    )


def settle_questions() -> int:
    """Turn votes into labels; return how many questions moved on."""
    return labels.settle_questions()


def settle_documents() -> int:
    """Ask about the relations of documents whose mentions are settled, and settle them; return how many."""
    return pairs.settle_documents(now=timezone.now())


def close_batches() -> int:
    """Mark the batches that are fully labelled; return how many."""
    open_batches = SampleBatch.objects.filter(labelled_at=None)
    return sum(
        batches.close_batches(epoch=epoch)
        for epoch in Epoch.objects.filter(batches__in=open_batches).distinct()
    )


def score_epochs() -> int:
    """Compute the scores whose inputs have changed; return for how many epochs something happened."""
    due = Epoch.objects.filter(scores_due=True).order_by("id")
    moved = 0
    for epoch_id in list(due.values_list("pk", flat=True)):
        try:
            moved += estimation.score_epoch(epoch_id=epoch_id)
        except (OperationalError, InterfaceError):
            raise  # the database is away: the epoch is still due
        except Exception:
            logger.exception("epoch %s: scoring failed", epoch_id)
            estimation.note_failure(epoch_id=epoch_id)
            moved += 1
    return moved


def read_checks() -> int:
    """Read the files that are only checked; return how many moved on."""
    return checks.read_checks()


def send_notices() -> int:
    """Send the mail that is due; return how many messages were sent."""
    return notices.send_notices()


def remove_orphans() -> int:
    """Delete the uploaded files that no submission has; return how many. No stage: once an hour will do."""
    return files.remove_orphans(now=timezone.now())


def sweep_marketplace() -> int:
    """Do what the built-in marketplace owes to the clock; return how much. No stage: its pages do it too."""
    return lifecycle.sweep(timezone.now())


def remove_expired() -> int:
    """Throw away uploads that were left lying, and checks that are a day old; return how many."""
    return uploads.remove_expired()


STAGES: tuple[Callable[[], int], ...] = (
    validate_submissions,
    sample_submissions,
    settle_questions,
    settle_documents,
    close_batches,
    score_epochs,
    read_checks,
    send_notices,
    remove_expired,
)


def advance() -> dict[str, int]:
    """Run every stage, again and again, until nothing more can be done without people.

    Returns
    -------
    dict of str to int
        For each stage, how many rows it moved on.
    """
    moved = {stage.__name__: 0 for stage in STAGES}
    while True:
        step = {stage.__name__: stage() for stage in STAGES}
        if not any(step.values()):
            return moved
        for name, count in step.items():
            moved[name] += count


def _each_submission(
    state: str,
    act: work.Act,
    doing: str,
    is_due: Callable[[Submission], bool] = lambda submission: True,
) -> int:
    waiting = Submission.objects.filter(state=state).select_related("corpus", "team").order_by("id")
    return sum(
        work.run(submission_id=submission.pk, stage=state, act=act, doing=doing)
        for submission in list(waiting)
        if is_due(submission)  # asked in its turn: the one before may have taken the last place in the quota
    )


for _stage in (*STAGES, remove_orphans, sweep_marketplace):
    shared_task(name=f"kbpo.pipeline.{_stage.__name__}", ignore_result=True)(_stage)
