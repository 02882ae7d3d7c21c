"""Leases on rows whose act a provider is told of: one process at a time."""

from datetime import datetime
from typing import TypeVar

from django.db import transaction
from django.db.models import Q, QuerySet

from crowd import outbox
from crowd.models import Assignment, Bonus, Hit, WorkerBlock, WorkerQualification
from kbpo.core.database import leases
from kbpo.core.health import logs

#: Acts that providers are told of once; HITs have their own rules (`crowd.posting.steering`).
Leased = type[Assignment] | type[Bonus] | type[WorkerBlock] | type[WorkerQualification]

Row = TypeVar("Row", Hit, Assignment, Bonus, WorkerBlock, WorkerQualification)


def is_free(now: datetime) -> Q:
    """Select the rows that nobody acts on, and that wait for no later try."""
    return leases.is_over("claimed_until", now, longest=outbox.LONGEST_LEASE)


def try_now(model: Leased, *, pk: int, now: datetime) -> bool:
    """Have an act tried now that waits for a later try; return whether there is one.

    Only one that is put off for longer than any lease is touched: on another somebody may act just now.
    """
    waits = model._default_manager.filter(pk=pk, claimed_until__gt=now + outbox.LEASE + leases.CLOCKS_DIFFER)
    return bool(waits.update(claimed_until=now))


@transaction.atomic
def take_first(due: QuerySet[Row], *, now: datetime) -> Row | None:
    """Take the first row on which nobody acts, for `outbox.LEASE`; who is killed loses it after that.

    Parameters
    ----------
    due : QuerySet
        In the order in which they are taken.
    now : datetime
    """
    free = due.filter(is_free(now))
    row = free.select_for_update(no_key=True, skip_locked=True, of=("self",)).first()
    if row is not None:
        row.claimed_until = now + outbox.LEASE
        row.tries += 1
        row.save(update_fields=["claimed_until", "tries"])
        logs.note(**_about(row))
    return row


def _about(row: Hit | Assignment | Bonus | WorkerBlock | WorkerQualification) -> dict[str, object]:
    """Return what lines of the log say of an act."""
    match row:
        case Hit():
            return {"hit": row.pk, "batch": row.batch_id}
        case Assignment():
            return {"hit": row.hit_id, "assignment": row.pk}
        case Bonus():
            return {"bonus": row.pk, "assignment": row.assignment_id}
    return {}
