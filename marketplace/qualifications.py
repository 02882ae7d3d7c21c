"""Qualifications, as workers have and ask for them."""

from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from kbpo.core.errors import Conflict, NotAllowed
from marketplace.models import Qualification, QualificationType, Worker


@transaction.atomic
def grant(*, worker: Worker, type_id: str, now: datetime) -> Qualification:
    """Give a worker a qualification that is there for the asking; one who has it keeps it.

    Raises
    ------
    NotAllowed
        If it is not for the asking.
    Conflict
        If it was taken from them.
    """
    found = QualificationType.objects.filter(type_id=type_id, is_active=True).first()
    if found is None or found.auto_granted_value is None:
        raise NotAllowed("This qualification is given by its requester alone.")
    qualification, _ = Qualification.objects.get_or_create(
        qualification_type=found,
        worker=worker,
        defaults={"value": found.auto_granted_value, "granted_at": now},
    )
    if qualification.revoked_at is not None:
        raise Conflict(
            f"This qualification was taken from you: {qualification.reason or 'no reason was given'}"
        )
    return qualification


def granted(worker: Worker) -> QuerySet[Qualification]:
    """Return what a worker has, and what was taken from them, the latest first."""
    return (
        Qualification.objects.filter(worker=worker)
        .select_related("qualification_type__requester")
        .order_by("-granted_at", "-pk")
    )
