"""Removing: HITs that are over leave the provider's books, when nothing of them can change any more."""

import logging
from datetime import datetime, timedelta
from random import Random

from django.db.models import Exists, OuterRef, Q

from crowd import outbox
from crowd.leases import take_first
from crowd.models import Assignment, Bonus, Hit
from crowd.providers import registry
from crowd.providers.base import NoAnswer, NotFound, Refused
from kbpo.accounts.models import WorkerIdentity

#: Longer than a rejection can be taken back, or a HIT be given more places.
KEPT = timedelta(days=31)

logger = logging.getLogger(__name__)


def remove_next(*, now: datetime, rng: Random) -> bool:
    """Have a provider forget the next HIT that was closed long ago.

    Studies at Prolific end as a whole (`crowd.providers.prolific.end_studies`). Safe to run anywhere, at any
    time, twice.

    Parameters
    ----------
    now : datetime
    rng : Random
        Spreads what is tried again.

    Returns
    -------
    bool
        Whether there was one to remove, however it went.
    """
    hit = _claim(now)
    if hit is None:
        return False
    assert hit.provider_id is not None  # the database says so
    mine = Hit.objects.filter(pk=hit.pk, state=Hit.State.CLOSED)
    try:
        registry.provider(hit.batch.provider).remove(hit.provider_id)
    except NoAnswer as error:
        until = now + outbox.wait(hit.tries, rng, retry_after=error.retry_after)
        mine.update(claimed_until=until, error=str(error))
        return True
    except NotFound:
        pass  # an earlier try went through, or somebody else removed it
    except Refused as error:
        logger.warning("HIT %s cannot be removed: %s", hit.pk, error)
        mine.update(claimed_until=now + outbox.DECLINED_FOR, error=str(error))
        return True
    mine.update(removed_at=now, can_grow=False, claimed_until=None, tries=0, error="")
    return True


def _claim(now: datetime) -> Hit | None:
    names = [name for name in registry.configured() if name != WorkerIdentity.Provider.PROLIFIC]
    undecided = Assignment.objects.filter(hit=OuterRef("pk")).filter(
        Q(state=Assignment.State.SUBMITTED) | ~Q(decision="") & Q(told_at=None)
    )
    unpaid = Bonus.objects.filter(assignment__hit=OuterRef("pk"), paid_at=None)
    due = Hit.objects.filter(
        ~Exists(undecided),
        ~Exists(unpaid),
        state=Hit.State.CLOSED,
        removed_at=None,
        closed_at__lte=now - KEPT,
        batch__provider__in=names,
    )
    return take_first(due.select_related("batch").order_by("closed_at"), now=now)
