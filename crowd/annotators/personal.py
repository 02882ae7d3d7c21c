"""What is kept about a person here: their HITs and bonuses, which stay when they go."""

from collections.abc import Mapping

from django.db.models import Sum

from crowd import budget
from crowd.models import Assignment, Bonus, HitBatch, Reservation, WorkerBlock
from kbpo.accounts.models import User
from kbpo.accounts.personal.parts import Leaving, Part, Rows

AT_ONCE = 500  # rows that are in memory


def _export(user: User) -> Mapping[str, Rows]:
    work = Assignment.objects.filter(worker__user=user).order_by("pk")
    bonuses = Bonus.objects.filter(worker__user=user).order_by("pk")
    blocks = WorkerBlock.objects.filter(worker__user=user).order_by("pk")
    return {
        "HITs": work.values(
            *("provider_id", "hit__batch__corpus__tag", "hit__batch__kind", "state", "submitted_at"),
            *("decided_at", "feedback", "override_feedback"),
        ).iterator(chunk_size=AT_ONCE),
        "bonuses": bonuses.values("corpus__tag", "cents", "message", "paid_at"),
        "blocks": blocks.values("worker__worker_id", "is_blocked", "decided_at"),
        "questions held for you": Reservation.objects.filter(worker=user).values("taken_at", "expires_at"),
    }


def _owed(user: User) -> list[str]:
    cents = Bonus.objects.filter(worker__user=user, paid_at=None).aggregate(sum=Sum("cents"))["sum"]
    if not cents:
        return []
    return [f"{budget.dollars(cents)} of bonuses are promised to you and not paid yet."]


def _forget(leaving: Leaving) -> None:
    Reservation.objects.filter(worker=leaving.user).delete()
    said = f"({leaving.user}, "
    for batch in HitBatch.objects.filter(paused_because__contains=said).select_for_update(no_key=True):
        batch.paused_because = batch.paused_because.replace(said, "(a deleted account, ")
        batch.save(update_fields=["paused_because"])


PART = Part("work", _export, _forget, _owed)
