"""What came of telling a provider of a HIT, written down: posted, told, refused, or not affordable."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F

from crowd import budget
from crowd.models import Hit, HitBatch
from crowd.posting.rows import drop, lock_hit, pause
from crowd.providers.base import NotEnoughMoney, PublishedHit

FIRST_LOOK = timedelta(seconds=10)


@transaction.atomic
def record_posted(hit: Hit, found: PublishedHit, now: datetime) -> None:
    """Write down where a HIT is now."""
    batch = HitBatch.objects.select_for_update(no_key=True).get(pk=hit.batch_id)
    hit = Hit.objects.select_for_update(no_key=True).get(pk=hit.pk)
    if hit.state != Hit.State.PLANNED:
        return  # somebody else was here while the answer was on its way
    hit.state = Hit.State.POSTED
    hit.provider_id = found.provider_id
    hit.posted_at = now
    hit.expires_at = found.expires_at
    hit.posted_places = found.places
    hit.next_look_at = now + FIRST_LOOK
    if batch.state == HitBatch.State.CANCELLED:
        hit.wanted_until = now
    _quiet(hit)
    hit.save()


@transaction.atomic
def record_told(told: Hit, now: datetime) -> None:
    """Write down that the provider knows what was wanted when it was told."""
    hit = Hit.objects.select_for_update(no_key=True).get(pk=told.pk)
    if told.batch.state == HitBatch.State.OPEN:
        hit.posted_places = told.places
    if told.wanted_until is not None and hit.wanted_until == told.wanted_until:
        hit.expires_at, hit.wanted_until = told.wanted_until, None
    hit.next_look_at = now
    _quiet(hit)
    hit.save()


@transaction.atomic
def record_refused(hit: Hit, error: str, now: datetime) -> None:
    """Write down that the provider declines: a HIT fails, or stays as the provider has it."""
    told = hit
    hit = lock_hit(hit)
    if hit.state == Hit.State.PLANNED:
        drop(hit, Hit.State.FAILED, error, now)
    elif hit.state == Hit.State.POSTED:  # it stays as the provider has it
        more = hit.places - told.posted_places
        if more > 0:
            budget.release(
                key=budget.next_key("release", hit),
                hit=hit,
                cents=more * (hit.reward_cents + hit.fee_cents),
                now=now,
            )
            hit.places, hit.can_grow = told.posted_places, False
        _quiet(hit)
        hit.wanted_until = None
        hit.error = error
        hit.next_look_at = now
        hit.save()


@transaction.atomic
def give_up(hit: Hit, now: datetime) -> None:
    """Drop a HIT of a cancelled batch that the provider never got."""
    locked = lock_hit(hit)
    if locked.state == Hit.State.PLANNED:
        drop(locked, Hit.State.CANCELLED, "", now)


@transaction.atomic
def out_of_money(hit: Hit, error: NotEnoughMoney) -> None:
    """Pause a batch that the account at the provider does not cover; its HITs stay as they are."""
    batch = HitBatch.objects.select_for_update(no_key=True).get(pk=hit.batch_id)
    if batch.state == HitBatch.State.OPEN:
        pause(batch, f"The account at {batch.get_provider_display()} is short of money: {error}")
    # It was declined, so this try has left nothing behind.
    Hit.objects.filter(pk=hit.pk).update(claimed_until=None, tries=F("tries") - 1, error=str(error))


def _quiet(hit: Hit) -> None:
    hit.claimed_until, hit.tries, hit.error = None, 0, ""
