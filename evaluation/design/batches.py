"""Batches: which of them are labelled and audited, and how far the scores of an epoch may rest on them."""

from django.db import transaction
from django.utils import timezone

from annotations.models import Question
from evaluation.models import Epoch, SampleBatch


@transaction.atomic
def close_batches(*, epoch: Epoch) -> int:
    """Mark the batches whose every question is settled; return how many that were.

    Scores rest on batches 1 to B that are all fully labelled, so only a batch that lengthens that run makes
    them due; where labels are audited, the audits' answers do.
    """
    locked = Epoch.objects.select_for_update(of=("self",)).select_related("corpus").get(pk=epoch.pk)
    unsettled = Question.objects.exclude(state=Question.State.SETTLED)
    ready = SampleBatch.objects.filter(epoch=locked, labelled_at=None).exclude(questions__in=unsettled)
    before = last_scored(locked)
    closed = SampleBatch.objects.filter(pk__in=list(ready.values_list("pk", flat=True))).update(
        labelled_at=timezone.now()
    )
    if closed and last_scored(locked) > before:
        Epoch.objects.filter(pk=locked.pk).update(scores_due=True)
    return closed


def last_labelled(epoch: Epoch) -> int:
    """Return B: the last batch such that batches 1 to B are all fully labelled; 0 if the first is not."""
    return _last_with(epoch, "labelled_at")


def last_scored(epoch: Epoch) -> int:
    """Return the last batch that scores may rest on.

    Up to it all are fully labelled and, where labels of the epoch are audited, all audits are answered.
    """
    labelled = last_labelled(epoch)
    return min(labelled, _last_with(epoch, "audited_at")) if is_audited(epoch) else labelled


def is_audited(epoch: Epoch) -> bool:
    """Say whether labels of an epoch are audited: an epoch that was released without audits stays so."""
    if not epoch.corpus.audit_share:
        return False
    return epoch.released_at is None or epoch.batches.filter(audited_at__isnull=False).exists()


def _last_with(epoch: Epoch, field: str) -> int:
    numbers = SampleBatch.objects.filter(epoch=epoch).order_by("number").values_list("number", field)
    through = 0
    for number, at in numbers:
        if at is None:
            break
        through = number
    return through
