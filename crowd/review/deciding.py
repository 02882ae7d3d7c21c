"""Deciding: a rule only ever approves, a person may reject, and take that back."""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.db import transaction

from crowd.leases import is_free
from crowd.models import Assignment
from crowd.providers import registry
from crowd.review import holding
from crowd.review.reasons import check_feedback, check_reason, check_reviewer
from crowd.review.settling import lock, set_aside
from kbpo.accounts.models import User
from kbpo.core.acts import What, record
from kbpo.core.clock.nudge import nudge
from kbpo.core.errors import Conflict

OVERRIDE = timedelta(days=30)  # from submission, in which a rejection can be taken back
State = Assignment.State
Decision = Assignment.Decision
PARTICIPLES = {Decision.APPROVE: "approved", Decision.REJECT: "rejected", Decision.OVERRIDE: "approved"}


def approve_by_rule(*, now: datetime) -> int:
    """Approve what nothing speaks against and nobody has to look at before; return how much.

    What is flagged or held waits for a person, for however long (ADR 28).
    """
    holding.look_again(now=now)
    return Assignment.objects.filter(
        is_free(now),
        state=State.SUBMITTED,
        decision="",
        flag="",
        hold="",
        counted_at__isnull=False,
    ).update(decision=Decision.APPROVE, decided_at=now, tries=0)


def approve_all(*, assignments: Collection[int], by: User, now: datetime) -> int:
    """Approve the work that a person has looked at in one go; return how much still was to be decided.

    Each is a transaction of its own: somebody else may be at some of it.

    Raises
    ------
    NotAllowed
        If `by` may not review some of it; what was approved before stays so.
    """
    done = 0
    for pk in sorted(assignments):
        found = Assignment.objects.filter(pk=pk, state=State.SUBMITTED).select_related("hit").first()
        if found is None:
            continue
        try:
            approve(assignment=found, by=by, now=now)
        except Conflict:
            continue
        done += 1
    return done


@transaction.atomic
def approve(*, assignment: Assignment, by: User, now: datetime, feedback: str = "") -> Assignment:
    """Approve work that is waiting.

    Raises
    ------
    NotAllowed
        If `by` may not review work on its corpus, or it is their own.
    InvalidInput
        If the feedback is too long.
    Conflict
        If it is decided already.
    """
    assignment = _lock_to_decide(assignment, by, now)
    check_feedback(feedback)
    _decide(assignment, Decision.APPROVE, by, feedback.strip(), now)
    return assignment


@transaction.atomic
def reject(*, assignment: Assignment, by: User, reason: str, now: datetime) -> Assignment:
    """Reject work that is waiting, with the reason that its worker is told.

    Once the provider has taken it, its votes are discounted, its money is free, and its questions are asked
    again.

    Raises
    ------
    NotAllowed
        If `by` may not review work on its corpus, or it is their own.
    InvalidInput
        If there is no reason, it is too long, or the provider would not take it.
    Conflict
        If it is decided already.
    """
    assignment = _lock_to_decide(assignment, by, now)
    check_reason(reason)
    registry.provider(assignment.hit.batch.provider).check_rejection(reason)
    _decide(assignment, Decision.REJECT, by, reason.strip(), now)
    return assignment


@transaction.atomic
def override(*, assignment: Assignment, by: User, reason: str, now: datetime) -> Assignment:
    """Take a rejection back: the work is paid after all, from money set aside now, and its votes count.

    Raises
    ------
    NotAllowed
        If `by` may not review work on its corpus, or it is their own.
    InvalidInput
        If there is no reason, or it is too long.
    Conflict
        If it is not rejected, or was submitted more than `OVERRIDE` ago.
    OverBudget
        If no budget has room.
    """
    check_reviewer(by, assignment)
    hit, assignment = lock(assignment)
    check_reason(reason)
    if assignment.state != State.REJECTED or assignment.decision == Decision.OVERRIDE:
        raise Conflict("This work is not rejected, or the rejection is being taken back already.")
    assert assignment.submitted_at is not None  # the database says so
    if now - assignment.submitted_at >= OVERRIDE:
        raise Conflict(
            f"A rejection can be taken back within {OVERRIDE.days} days of the work; that is over."
        )
    set_aside(hit, assignment, now)
    before = {"state": assignment.state, "decision": assignment.decision}
    assignment.override_feedback = reason.strip()
    assignment.decision = Decision.OVERRIDE
    assignment.decided_by, assignment.decided_at = by, now
    assignment.told_at, assignment.claimed_until, assignment.tries, assignment.error = None, None, 0, ""
    assignment.save()
    after = {"state": assignment.state, "decision": assignment.decision}
    record(What.REJECTION_TAKEN_BACK, by=by, about=assignment, before=before, after=after)
    nudge("kbpo.pipeline.review_work")
    return assignment


def due_by(assignment: Assignment) -> datetime:
    """Return until when a worker was told that their work is decided and paid."""
    assert assignment.submitted_at is not None
    return assignment.submitted_at + timedelta(seconds=assignment.hit.batch.auto_approval_seconds)


def _lock_to_decide(assignment: Assignment, by: User, now: datetime) -> Assignment:
    check_reviewer(by, assignment)
    _, assignment = lock(assignment)
    if assignment.state != State.SUBMITTED:
        raise Conflict(f"This work is {assignment.get_state_display()} already.")
    if assignment.decision and assignment.tries:
        raise Conflict(f"This work is being {PARTICIPLES[Decision(assignment.decision)]} at this moment.")
    return assignment


def _decide(assignment: Assignment, decision: str, by: User, feedback: str, now: datetime) -> None:
    before = {"decision": assignment.decision}
    assignment.decision = decision
    assignment.decided_by, assignment.decided_at = by, now
    assignment.feedback = feedback
    assignment.claimed_until, assignment.tries, assignment.error = None, 0, ""
    assignment.save()
    what = What.WORK_REJECTED if decision == Decision.REJECT else What.WORK_APPROVED
    record(what, by=by, about=assignment, before=before, after={"decision": decision})
    nudge("kbpo.pipeline.review_work")
