"""Who acts on a HIT at its provider: whoever has taken it, for a while."""

from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from crowd import outbox
from crowd.models import Hit


@transaction.atomic
def take_first(due: QuerySet[Hit], *, now: datetime) -> Hit | None:
    """Take the first HIT on which nobody acts, for `outbox.LEASE`; who is killed loses it after that.

    Parameters
    ----------
    due : QuerySet of Hit
        In the order in which they are taken.
    now : datetime
    """
    free = due.filter(outbox.is_free(now))
    hit = free.select_for_update(no_key=True, skip_locked=True, of=("self",)).first()
    if hit is not None:
        hit.claimed_until = now + outbox.LEASE
        hit.tries += 1
        hit.save(update_fields=["claimed_until", "tries"])
    return hit
