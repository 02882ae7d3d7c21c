"""Batches: which of them are labelled, and how far the scores of an epoch may rest on them."""

from django.db import transaction
from django.utils import timezone

from annotations.models import Question
from evaluation.models import Epoch, SampleBatch


@transaction.atomic
def close_batches(*, epoch: Epoch) -> int:
    """Mark the batches whose every question is settled; return how many that were.

    Scores rest on batches 1 to B that are all fully labelled, so only a batch that lengthens that run makes
    them due.
    """
    locked = Epoch.objects.select_for_update().get(pk=epoch.pk)
    unsettled = Question.objects.exclude(state=Question.State.SETTLED)
    ready = SampleBatch.objects.filter(epoch=locked, labelled_at=None).exclude(questions__in=unsettled)
    before = last_labelled(locked)
    closed = SampleBatch.objects.filter(pk__in=list(ready.values_list("pk", flat=True))).update(
        labelled_at=timezone.now()
    )
    if closed and last_labelled(locked) > before:
        Epoch.objects.filter(pk=locked.pk).update(scores_due=True)
    return closed


def last_labelled(epoch: Epoch) -> int:
    """Return B: the last batch such that batches 1 to B are all fully labelled; 0 if the first is not."""
    numbers = SampleBatch.objects.filter(epoch=epoch).order_by("number").values_list("number", "labelled_at")
    through = 0
    for number, labelled_at in numbers:
        if labelled_at is None:
            break
        through = number
    return through
