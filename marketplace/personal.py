"""What is kept about a person here: their work and what it paid, which stay with a worker without a name."""

from collections.abc import Mapping

from kbpo.accounts.models import User
from kbpo.accounts.personal.parts import Leaving, Part, Rows
from marketplace import browse, ledger, lifecycle
from marketplace.models import Assignment, Requester, Worker

AT_ONCE = 500  # rows that are in memory


def _export(user: User) -> Mapping[str, Rows]:
    worker = Worker.objects.filter(user=user).first()
    if worker is None:
        return {}
    work = worker.assignments.order_by("pk").values(
        *("assignment_id", "hit__hit_type__title", "state", "accepted_at", "submitted_at", "approved_at"),
        *("rejected_at", "answer", "feedback", "reply"),
    )
    paid = worker.entries.order_by("pk").values("kind", "available_cents", "held_cents", "reason", "at")
    granted = worker.qualifications.order_by("pk").values(
        "qualification_type__name", "value", "granted_at", "revoked_at", "reason"
    )
    return {
        "marketplace: worker": [{"worker_id": worker.worker_id, "created_at": worker.created_at}],
        "marketplace: assignments": work.iterator(chunk_size=AT_ONCE),
        "marketplace: payments": paid.iterator(chunk_size=AT_ONCE),
        "marketplace: qualifications": granted,
    }


def _owed(user: User) -> list[str]:
    worker = Worker.objects.filter(user=user).first()
    cents = browse.pending_cents(worker) if worker else 0
    if not cents:
        return []
    return [f"Work of yours that pays ${ledger.write_amount(cents)} waits for review at the marketplace."]


def _forget(leaving: Leaving) -> None:
    Requester.objects.filter(owner=leaving.user).update(owner=None)
    begun = Assignment.objects.filter(worker__user=leaving.user, state=Assignment.State.ACCEPTED)
    for assignment in begun.order_by("pk"):
        lifecycle.give_back(assignment=assignment, now=leaving.now)


PART = Part("marketplace", _export, _forget, _owed)
