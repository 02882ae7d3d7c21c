"""Releasing an epoch, with the snapshot of the leaderboard that stays of it."""

from django.db import transaction

from annotations.models import Corpus
from evaluation.design import epochs
from evaluation.models import Epoch
from evaluation.scoring.published import freezing
from evaluation.task import Task
from kbpo.accounts.models import User


@transaction.atomic
def release(
    *,
    corpus: Corpus,
    task: Task,
    number: int | None = None,
    retire: float | None = None,
    by: User | None = None,
) -> Epoch:
    """Release the open epoch of a corpus, and keep its leaderboard as it stands then; all or nothing.

    Parameters, returns and errors are those of `evaluation.design.epochs.release`.
    """
    epoch = epochs.release(corpus=corpus, task=task, number=number, retire=retire, by=by)
    freezing.freeze_released(epoch=epoch, task=task)
    return epoch
