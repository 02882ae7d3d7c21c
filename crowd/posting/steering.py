"""What operators do with a batch: pause it, resume, take back, extend, cancel."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, QuerySet

from crowd.models import Hit, HitBatch
from crowd.outbox import IN_FLIGHT
from crowd.posting.rows import check_operator, drop, pause
from kbpo.accounts.models import User
from kbpo.core.errors import Conflict, InvalidInput
from kbpo.core.nudge import nudge


@transaction.atomic
def pause_batch(*, batch: HitBatch, by: User, reason: str, now: datetime) -> HitBatch:
    """Post nothing more of a batch; what is out stays out, and is collected and paid.

    Raises
    ------
    NotAllowed
        If `by` is no operator.
    InvalidInput
        If there is no reason.
    Conflict
        If the batch is not open.
    """
    batch = _lock_batch(batch, by, HitBatch.State.OPEN)
    if not reason.strip():
        raise InvalidInput("say why it is paused; the next operator wants to know", where="reason")
    pause(batch, f"{reason.strip()} ({by}, {now:%d %B %Y, %H:%M} UTC)")
    return batch


@transaction.atomic
def resume_batch(*, batch: HitBatch, by: User, now: datetime) -> HitBatch:
    """Go on with a paused batch: post what is planned, and plan what lacks votes.

    Raises
    ------
    NotAllowed, Conflict
        If `by` is no operator, or the batch is not paused.
    """
    batch = _lock_batch(batch, by, HitBatch.State.PAUSED)
    batch.state = HitBatch.State.OPEN
    batch.paused_because = ""
    batch.save(update_fields=["state", "paused_because"])
    # what waited for its next try is tried now; what somebody is at this moment is not
    batch.hits.filter(state=Hit.State.PLANNED, claimed_until=F("next_look_at")).update(claimed_until=None)
    nudge("kbpo.pipeline.post_hits")
    return batch


@transaction.atomic
def expire_batch(*, batch: HitBatch, by: User, now: datetime) -> HitBatch:
    """Let nobody accept a batch's HITs any more, and pause it; who is at one may finish, and is paid.

    Places that stay empty are given back, and their questions are free; resumed, the batch asks them again.

    Raises
    ------
    NotAllowed, Conflict
        If `by` is no operator, or the batch is neither open nor paused.
    """
    batch = _lock_batch(batch, by, HitBatch.State.OPEN, HitBatch.State.PAUSED)
    pause(batch, f"Taken back ({by}, {now:%d %B %Y, %H:%M} UTC)")
    _take_back(batch, now)
    nudge("kbpo.pipeline.post_hits")
    return batch


@transaction.atomic
def extend_batch(*, batch: HitBatch, by: User, until: datetime, now: datetime) -> HitBatch:
    """Let the HITs of a batch that are out be found until another time.

    Raises
    ------
    NotAllowed, Conflict
        If `by` is no operator, or the batch is neither open nor paused.
    InvalidInput
        If the time is past, or more than a year away.
    """
    batch = _lock_batch(batch, by, HitBatch.State.OPEN, HitBatch.State.PAUSED)
    if not now < until <= now + timedelta(days=365):
        raise InvalidInput(f"is {until:%Y-%m-%d %H:%M}; it must be in the coming year", where="until")
    _lock_hits(batch).filter(state=Hit.State.POSTED, ended_at=None).update(wanted_until=until)
    nudge("kbpo.pipeline.post_hits")
    return batch


@transaction.atomic
def cancel_batch(*, batch: HitBatch, by: User, now: datetime) -> HitBatch:
    """End a batch: what is not posted never is, what is out is taken back, what was done is paid.

    Raises
    ------
    NotAllowed, Conflict
        If `by` is no operator, or the batch is cancelled or finished.
    """
    batch = _lock_batch(batch, by, HitBatch.State.OPEN, HitBatch.State.PAUSED)
    batch.state = HitBatch.State.CANCELLED
    batch.paused_because = ""
    batch.save(update_fields=["state", "paused_because"])
    hits = _lock_hits(batch)
    for hit in hits.filter(state=Hit.State.PLANNED):
        hit.batch = batch
        if hit.tries == 0:
            drop(hit, Hit.State.CANCELLED, "", now)
        else:  # it may be out: looked for when nothing is on its way any more
            hit.claimed_until = max(hit.claimed_until or now, now) + IN_FLIGHT
            hit.save(update_fields=["claimed_until"])
    _take_back(batch, now)
    nudge("kbpo.pipeline.post_hits")
    return batch


def _lock_batch(batch: HitBatch, by: User, *states: HitBatch.State) -> HitBatch:
    check_operator(by)
    found = (
        HitBatch.objects.select_related("corpus")
        .select_for_update(no_key=True, of=("self",))
        .get(pk=batch.pk)
    )
    if found.state not in states:
        raise Conflict(f"This batch is {found.get_state_display()}.")
    return found


def _lock_hits(batch: HitBatch) -> QuerySet[Hit]:
    list(batch.hits.order_by("pk").select_for_update(no_key=True).values_list("pk", flat=True))
    return batch.hits.all()


def _take_back(batch: HitBatch, now: datetime) -> None:
    _lock_hits(batch).filter(state=Hit.State.POSTED, ended_at=None).update(wanted_until=now)
