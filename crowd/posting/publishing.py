"""Telling providers what they do not know of a HIT: claimed by a lease, called without a transaction."""

import logging
from datetime import datetime, timedelta
from math import ceil
from random import Random

from django.db.models import F, Q

from crowd import outbox
from crowd.interfaces.addresses import hit_url
from crowd.interfaces.offers import PAID_WITHOUT_US
from crowd.leases import take_first
from crowd.lessons import skill_of
from crowd.models import Hit, HitBatch
from crowd.posting.recording import (
    give_up,
    out_of_money,
    record_posted,
    record_refused,
    record_told,
)
from crowd.pricing import expected
from crowd.providers import registry
from crowd.providers.base import (
    NewHit,
    NoAnswer,
    NotEnoughMoney,
    Provider,
    PublishedHit,
    Refused,
    first_of,
)

logger = logging.getLogger(__name__)

TOKENS_LAST = timedelta(hours=23)  # at the provider, a little less than they do
CLOCKS_DIFFER = timedelta(hours=1)


def post_next(*, now: datetime, rng: Random) -> bool:
    """Tell a provider of the next HIT what it does not know: that it is to be posted, to grow, or to end.

    Safe to run anywhere, at any time, twice.

    Parameters
    ----------
    now : datetime
    rng : Random
        Spreads what is tried again.

    Returns
    -------
    bool
        Whether there was one to tell, however it went.
    """
    hit = _claim(now)
    if hit is None:
        return False
    try:
        _tell(hit, registry.provider(hit.batch.provider), now)
    except NoAnswer as error:
        until = now + outbox.wait(hit.tries, rng, retry_after=error.retry_after)
        if hit.batch.state == HitBatch.State.CANCELLED:
            until = max(until, now + outbox.IN_FLIGHT)
        # Unless somebody has cancelled its batch meanwhile: they say when it is safe to look for it.
        mine = Hit.objects.filter(pk=hit.pk, claimed_until=hit.claimed_until)
        mine.update(error=str(error), claimed_until=until, next_look_at=until)
    except NotEnoughMoney as error:
        out_of_money(hit, error)
    except Refused as error:
        _refused(hit, error, now)
    return True


def _claim(now: datetime) -> Hit | None:
    """Take the oldest HIT of which a provider does not know what it should, for a while."""
    open_ = Q(batch__state=HitBatch.State.OPEN)
    to_tell = (
        Q(state=Hit.State.PLANNED) & (open_ | Q(batch__state=HitBatch.State.CANCELLED, tries__gt=0))
        | Q(state=Hit.State.POSTED, wanted_until__isnull=False)
        | Q(state=Hit.State.POSTED, posted_places__lt=F("places")) & open_
    )
    due = Hit.objects.filter(to_tell, batch__provider__in=registry.configured())
    return take_first(due.select_related("batch__corpus").order_by("pk"), now=now)


def _tell(hit: Hit, provider: Provider, now: datetime) -> None:
    if hit.state == Hit.State.PLANNED:
        if hit.batch.state == HitBatch.State.CANCELLED:
            found = _look_for(hit, provider)
        elif hit.tries > 1 and now - hit.created_at > TOKENS_LAST:
            # The provider may have forgotten the token: what it made of it would be made again.
            found = _look_for(hit, provider) or provider.publish(_offer(hit))
        else:
            found = provider.publish(_offer(hit))
        if found is None:
            give_up(hit, now)
        else:
            record_posted(hit, found, now)
        return
    assert hit.provider_id is not None
    if hit.posted_places < hit.places and hit.batch.state == HitBatch.State.OPEN:
        missing = hit.places - provider.get(hit.provider_id).places
        if missing > 0:
            provider.extend(hit.provider_id, places=missing, token=f"{hit.annotation}+{hit.places}")
    if hit.wanted_until is not None and hit.wanted_until > now:
        provider.prolong(hit.provider_id, until=hit.wanted_until)
    elif hit.wanted_until is not None:
        provider.expire(hit.provider_id)
    record_told(hit, now)


def _offer(hit: Hit) -> NewHit:
    batch, skill = hit.batch, str(skill_of(hit.batch))
    return NewHit(
        token=hit.request_token,
        annotation=hit.annotation,
        title=batch.title,
        description=batch.description,
        keywords=batch.keywords,
        url=hit_url(hit),
        reward_cents=hit.reward_cents,
        places=hit.places,
        duration_seconds=batch.duration_seconds,
        lifetime_seconds=batch.lifetime_seconds,
        # It must not pay what waits for a person here, so it is the longest that there is: the time that
        # workers are told is kept by those persons (ADR 28).
        auto_approval_seconds=int(PAID_WITHOUT_US.total_seconds()),
        qualified_for=None if batch.is_tutorial else skill,
        unqualified_for=skill if batch.is_tutorial else None,
        group=f"batch {batch.pk}",
        estimated_seconds=_estimated_seconds(hit),
    )


def _estimated_seconds(hit: Hit) -> int | None:
    takes = expected.of_hit(hit)
    return None if takes is None else max(1, ceil(round(takes.seconds, 6)))  # not 79 of 78.00000000000001


def _look_for(hit: Hit, provider: Provider) -> PublishedHit | None:
    since = hit.created_at - CLOCKS_DIFFER
    return first_of(provider.published_since(since), [hit.annotation]).get(hit.annotation)


def _refused(hit: Hit, error: Refused, now: datetime) -> None:
    if hit.state == Hit.State.PLANNED and hit.tries > 1:
        # An earlier try may have gone through, its answer lost.
        try:
            found = _look_for(hit, registry.provider(hit.batch.provider))
        except NoAnswer:
            return  # when the lease has run out
        if found is not None:
            record_posted(hit, found, now)
            return
    logger.warning("HIT %s was refused: %s", hit.pk, error)
    record_refused(hit, str(error), now)
