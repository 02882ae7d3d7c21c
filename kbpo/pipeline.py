"""The pipeline: every stage in order, each a claim on rows and one call to a service.

The database is the queue. A stage takes the rows that are due, one transaction each, and can run anywhere,
at any time, twice, or be killed: what it did not commit is still due. Celery only says when; `advance` runs
everything that is due in this process.
"""

import logging
from collections.abc import Callable

from celery import shared_task
from django.db import InterfaceError, OperationalError

from annotations import labels
from evaluation import estimation, sampling, submissions
from evaluation.models import Epoch, SampleBatch, Submission

logger = logging.getLogger(__name__)


def validate_submissions() -> int:
    """Read what was uploaded; return how many files were read."""
    due = Submission.objects.filter(state=Submission.State.UPLOADED).order_by("id")
    return _each_submission(due, submissions.read_submission, "reading the file")


def sample_submissions() -> int:
    """Draw the samples of accepted submissions that may go ahead; return how many were drawn."""
    due = Submission.objects.filter(state=Submission.State.ACCEPTED, go_ahead=True).order_by("id")
    return _each_submission(due, sampling.sample_submission, "drawing the sample")


def settle_questions() -> int:
    """Turn votes into labels; return how many questions moved on."""
    return labels.settle_questions()


def close_batches() -> int:
    """Mark the batches that are fully labelled; return how many."""
    open_batches = SampleBatch.objects.filter(labelled_at=None)
    return sum(
        sampling.close_batches(epoch=epoch)
        for epoch in Epoch.objects.filter(batches__in=open_batches).distinct()
    )


def score_epochs() -> int:
    """Compute the scores whose inputs have changed; return for how many epochs."""
    due = Epoch.objects.filter(scores_due=True).order_by("id")
    return sum(estimation.score_epoch(epoch_id=pk) for pk in list(due.values_list("pk", flat=True)))


STAGES: tuple[Callable[[], int], ...] = (
    validate_submissions,
    sample_submissions,
    settle_questions,
    close_batches,
    score_epochs,
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


def _each_submission(due, act: Callable[..., bool], doing: str) -> int:  # type: ignore[no-untyped-def]
    moved = 0
    for submission_id in list(due.values_list("pk", flat=True)):
        try:
            moved += act(submission_id=submission_id)
        except (OperationalError, InterfaceError):
            raise  # the database is away: the row is still due
        except Exception:
            # A submission that the service cannot handle must not stop the others, nor come back forever.
            logger.exception("submission %s: %s failed", submission_id, doing)
            submissions.fail(
                submission_id=submission_id,
                detail=f"Something went wrong on our side while {doing}. The operators have the details.",
            )
            moved += 1
    return moved


for _stage in STAGES:
    shared_task(name=f"kbpo.pipeline.{_stage.__name__}", ignore_result=True)(_stage)
