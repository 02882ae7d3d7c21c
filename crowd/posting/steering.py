"""What operators do with a batch: pause it, resume, take back, extend, cancel."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, QuerySet, Value
from django.db.models.functions import Coalesce, Greatest

from crowd import budget
from crowd.models import BatchPlan, Hit, HitBatch
from crowd.outbox import IN_FLIGHT
from crowd.posting.rows import check_poster, drop, pause
from kbpo.accounts.models import User
from kbpo.core.acts import What, record
from kbpo.core.clock.nudge import nudge
from kbpo.core.errors import Conflict, InvalidInput

AT_ONCE = 50  # HITs that are dropped in one transaction


@transaction.atomic
def pause_batch(*, batch: HitBatch, by: User, reason: str, now: datetime) -> HitBatch:
    """Post nothing more of a batch; what is out stays out, and is collected and paid.

    Raises
    ------
    NotAllowed
        If `by` may not post work on its corpus.
    InvalidInput
        If there is no reason.
    Conflict
        If the batch is neither open nor being planned.
    """
    batch = _lock_batch(batch, by, HitBatch.State.OPEN, HitBatch.State.PLANNING)
    if not reason.strip():
        raise InvalidInput("say why it is paused; the next operator wants to know", where="reason")
    before = {"state": batch.state}
    pause(batch, f"{reason.strip()} ({by}, {now:%d %B %Y, %H:%M} UTC)")
    record(What.BATCH_PAUSED, by=by, about=batch, before=before, after={"state": batch.state})
    return batch


@transaction.atomic
def resume_batch(*, batch: HitBatch, by: User, now: datetime) -> HitBatch:
    """Go on with a paused batch: post what is planned, and plan what lacks votes.

    Raises
    ------
    NotAllowed, Conflict
        If `by` may not post work on its corpus, or the batch is not paused.
    """
    batch = _lock_batch(batch, by, HitBatch.State.PAUSED)
    is_planned = not BatchPlan.objects.filter(batch=batch).exists()
    batch.state = HitBatch.State.OPEN if is_planned else HitBatch.State.PLANNING
    batch.paused_because = ""
    batch.save(update_fields=["state", "paused_because"])
    record(What.BATCH_RESUMED, by=by, about=batch, before={"state": "paused"}, after={"state": batch.state})
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
        If `by` may not post work on its corpus, or the batch is neither open nor paused.
    """
    batch = _lock_batch(batch, by, HitBatch.State.OPEN, HitBatch.State.PAUSED)
    before = {"state": batch.state}
    pause(batch, f"Taken back ({by}, {now:%d %B %Y, %H:%M} UTC)")
    record(What.BATCH_TAKEN_BACK, by=by, about=batch, before=before, after={"state": batch.state})
    _take_back(batch, now)
    nudge("kbpo.pipeline.post_hits")
    return batch


@transaction.atomic
def extend_batch(*, batch: HitBatch, by: User, until: datetime, now: datetime) -> HitBatch:
    """Let the HITs of a batch that are out be found until another time.

    Raises
    ------
    NotAllowed, Conflict
        If `by` may not post work on its corpus, or the batch is neither open nor paused.
    InvalidInput
        If the time is past, or more than a year away.
    """
    batch = _lock_batch(batch, by, HitBatch.State.OPEN, HitBatch.State.PAUSED)
    if not now < until <= now + timedelta(days=365):
        raise InvalidInput(f"is {until:%Y-%m-%d %H:%M}; it must be in the coming year", where="until")
    _locked(batch.hits.filter(state=Hit.State.POSTED, ended_at=None)).update(wanted_until=until)
    record(What.BATCH_EXTENDED, by=by, about=batch, after={"until": until})
    nudge("kbpo.pipeline.post_hits")
    return batch


@transaction.atomic
def cancel_batch(*, batch: HitBatch, by: User, now: datetime) -> HitBatch:
    """End a batch: what is not posted never is, what is out is taken back, what was done is paid.

    Raises
    ------
    NotAllowed, Conflict
        If `by` may not post work on its corpus, or the batch is cancelled or finished.
    """
    batch = _lock_batch(batch, by, HitBatch.State.OPEN, HitBatch.State.PAUSED, HitBatch.State.PLANNING)
    before = {"state": batch.state}
    batch.state = HitBatch.State.CANCELLED
    batch.paused_because = ""
    batch.save(update_fields=["state", "paused_because"])
    record(What.BATCH_CANCELLED, by=by, about=batch, before=before, after={"state": batch.state})
    BatchPlan.objects.filter(batch=batch).delete()
    # What was tried may be out: it is looked for when nothing is on its way any more.
    _locked(batch.hits.filter(state=Hit.State.PLANNED, tries__gt=0)).update(
        claimed_until=Greatest(Coalesce("claimed_until", Value(now)), Value(now)) + IN_FLIGHT
    )
    _take_back(batch, now)
    drop_next(now=now)
    budget.release_batch(batch=batch, now=now)
    nudge("kbpo.pipeline.post_hits")
    return batch


@transaction.atomic
def drop_next(*, now: datetime) -> bool:
    """Let go of the next HITs of cancelled batches that no provider has heard of, at most `AT_ONCE`.

    Safe to run anywhere, at any time, twice.

    Returns
    -------
    bool
        Whether there was one.
    """
    hits = (
        Hit.objects.filter(state=Hit.State.PLANNED, tries=0, batch__state=HitBatch.State.CANCELLED)
        .select_related("batch__corpus")
        .order_by("pk")
        .select_for_update(no_key=True, skip_locked=True, of=("self",))[:AT_ONCE]
    )
    for hit in hits:
        drop(hit, Hit.State.CANCELLED, "", now)
    return bool(hits)


def _lock_batch(batch: HitBatch, by: User, *states: HitBatch.State) -> HitBatch:
    found = (
        HitBatch.objects.select_related("corpus")
        .select_for_update(no_key=True, of=("self",))
        .get(pk=batch.pk)
    )
    check_poster(by, found.corpus)
    if found.state not in states:
        raise Conflict(f"This batch is {found.get_state_display()}.")
    return found


def _locked(hits: QuerySet[Hit]) -> QuerySet[Hit]:
    """Lock HITs in the order in which all lock them."""
    return Hit.objects.filter(
        pk__in=list(hits.order_by("pk").select_for_update(no_key=True).values_list("pk", flat=True))
    )


def _take_back(batch: HitBatch, now: datetime) -> None:
    _locked(batch.hits.filter(state=Hit.State.POSTED, ended_at=None)).update(wanted_until=now)
