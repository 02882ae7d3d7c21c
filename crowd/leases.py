"""Who acts on a HIT at its provider: whoever has taken it, for a while."""

from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from crowd import outbox
from crowd.models import Hit
from kbpo.core.database import leases


def is_free(now: datetime) -> Q:
    """Select the rows that nobody acts on, and that wait for no later try."""
    return leases.is_over("claimed_until", now, longest=outbox.LONGEST_LEASE)


@transaction.atomic
def take_first(due: QuerySet[Hit], *, now: datetime) -> Hit | None:
    """Take the first HIT on which nobody acts, for `outbox.LEASE`; who is killed loses it after that.

    Parameters
    ----------
    due : QuerySet of Hit
        In the order in which they are taken.
    now : datetime
    """
    free = due.filter(is_free(now))
    hit = free.select_for_update(no_key=True, skip_locked=True, of=("self",)).first()
    if hit is not None:
        hit.claimed_until = now + outbox.LEASE
        hit.tries += 1
        hit.save(update_fields=["claimed_until", "tries"])
    return hit
