"""Ending studies: nothing else tells Prolific that no more is wanted, and it keeps their money until then."""

from django.db.models import Exists, OuterRef, QuerySet

from crowd.models import Hit, HitBatch, ProlificTask
from crowd.providers.base import Provider
from crowd.providers.prolific.addresses import provider_id


def end_studies(prolific: Provider) -> int:
    """Remove the HITs of batches that are over, which ends their studies; return how many HITs.

    Safe to run anywhere, at any time, twice.

    Raises
    ------
    NoAnswer, Refused
        The rest is left for another time.
    """
    removed = 0
    for task in _over().select_related("study"):
        prolific.remove(provider_id(task.study.remote_id or "", task.annotation))
        removed += 1
    return removed


def _over() -> QuerySet[ProlificTask]:
    batches = (HitBatch.State.FINISHED, HitBatch.State.CANCELLED)
    states = (Hit.State.CLOSED, Hit.State.CANCELLED, Hit.State.FAILED)
    hits = Hit.objects.filter(annotation=OuterRef("annotation"), state__in=states, batch__state__in=batches)
    return ProlificTask.objects.filter(
        Exists(hits), removed_at=None, study__remote_id__isnull=False
    ).order_by("pk")
