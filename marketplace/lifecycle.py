"""The life of HITs and assignments: who takes a place, gives it back, answers, decides; what time decides.

Rows are locked in one order: requester or worker, HIT, assignment. What workers do never needs the
requester's row, so that they do not wait for each other; money that becomes free by it is given back by
`sweep`.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from kbpo.core.database.bulk import read_rows
from kbpo.core.errors import Conflict, InvalidInput, NotAllowed
from marketplace import ledger, qualifying
from marketplace.models import Assignment, Hit, HitType, Requester, RequestToken, Worker
from marketplace.protocol.errors import invalid_parameter, missing_assignment, missing_hit, wrong_state
from marketplace.protocol.identifiers import new_id

GRACE = timedelta(seconds=15)  # networks are slow, and a worker's timer is not ours
OVERRIDE = timedelta(days=30)  # from submission, in which a rejection can be taken back
TOKENS_LAST = timedelta(hours=24)
MOST_HELD = 25  # HITs in one worker's hands
LONGEST_FEEDBACK = 1024  # characters

State = Assignment.State


# Workers


def open_hits(worker: Worker, now: datetime) -> QuerySet[Hit]:
    """Return the HITs with a free place that a worker has no part in and is not blocked from.

    Whether they meet its requirements is for `qualifying.unmet` to say.
    """
    theirs = Assignment.objects.filter(hit=OuterRef("pk"), worker=worker, state__in=Assignment.TAKING)
    return Hit.objects.filter(
        ~Exists(theirs),
        ~Q(requester__blocks__worker=worker),
        disposed_at=None,
        expires_at__gt=now,
        taken__lt=F("max_assignments"),
    )


@transaction.atomic
def accept(*, worker: Worker, hit: Hit, now: datetime) -> Assignment:
    """Give a worker a place in a HIT; one who has it keeps it.

    Raises
    ------
    Conflict
        If no place is free, or they have done this HIT, or hold too many.
    NotAllowed
        If they do not meet the requirements.
    """
    _lock_worker(worker)
    hit = _lock_hit(hit.pk)
    if qualifying.is_blocked(worker, hit.requester_id):
        raise NotAllowed("This requester has no work for you.")
    return _take_place(worker, hit, now)


def _take_place(worker: Worker, hit: Hit, now: datetime) -> Assignment:
    """As `accept`, where both are locked, and the worker is not blocked."""
    parts = list(hit.assignments.order_by("pk"))
    part = next((one for one in parts if one.worker_id == worker.pk), None)
    if part is not None and part.state == State.ACCEPTED and part.deadline > now:
        return part
    if part is not None and part.state in Assignment.ANSWERED:
        raise Conflict("You have done this one already; take the next.")
    if hit.status(now) != Hit.Status.ASSIGNABLE or (part is not None and part.state == State.ACCEPTED):
        raise Conflict("This one is gone; take the next.")
    _check_may_accept(worker, hit.hit_type)
    if part is None:
        part = Assignment(hit=hit, worker=worker)
    part.assignment_id = _free_id(parts)
    part.state = State.ACCEPTED
    part.accepted_at = now
    part.deadline = now + timedelta(seconds=hit.hit_type.duration_seconds)
    part.save()
    hit.taken += 1
    hit.pending += 1
    hit.save(update_fields=["taken", "pending"])
    return part


@transaction.atomic
def accept_next(*, worker: Worker, hit_type: HitType, now: datetime) -> Assignment | None:
    """Give a worker a place in the oldest HIT of a type that has one; None if none has.

    Raises
    ------
    NotAllowed
        If they do not meet the requirements.
    Conflict
        If they hold too many.
    """
    _lock_worker(worker)
    free = open_hits(worker, now).filter(hit_type=hit_type).defer("question", "external_url").order_by("pk")
    # Others may hold the last ones, but only for the blink of an eye.
    hit = (
        free.select_for_update(skip_locked=True, of=("self",), no_key=True).first()
        or free.select_for_update(of=("self",), no_key=True).first()
    )
    if hit is None:
        return None
    hit.hit_type = hit_type
    return _take_place(worker, hit, now)


@transaction.atomic
def give_back(*, assignment: Assignment, now: datetime) -> None:
    """Let a worker return an accepted assignment: its place is free again, and nothing is lost by it.

    Raises
    ------
    Conflict
        If it is not accepted any more.
    """
    hit = _lock_hit(assignment.hit_id)
    assignment = _lock_assignment(assignment.pk)
    if assignment.state != State.ACCEPTED:
        raise Conflict(f"This one is {assignment.get_state_display()} already.")
    _leave(hit, assignment, State.RETURNED)


@transaction.atomic
def submit(*, assignment: Assignment, answer: str, now: datetime) -> Assignment:
    """Record a worker's answer. One that is there already stays, so that sending it twice is the same.

    Parameters
    ----------
    assignment : Assignment
    answer : str
        QuestionFormAnswers XML.
    now : datetime

    Raises
    ------
    Conflict
        If the assignment was returned, or ran out.
    """
    hits = Hit.objects.select_for_update(of=("self",), no_key=True).select_related("hit_type")
    hit = hits.only("hit_type__auto_approval_seconds").get(pk=assignment.hit_id)
    sent = {
        "state": State.SUBMITTED,
        "answer": answer,
        "submitted_at": now,
        "auto_approve_at": now + timedelta(seconds=hit.hit_type.auto_approval_seconds),
    }
    in_time = Assignment.objects.filter(pk=assignment.pk, state=State.ACCEPTED, deadline__gt=now - GRACE)
    if in_time.update(**sent):
        Hit.objects.filter(pk=hit.pk).update(pending=F("pending") - 1)
        for name, value in sent.items():
            setattr(assignment, name, value)
        return assignment
    assignment = Assignment.objects.get(pk=assignment.pk)
    if assignment.state in Assignment.ANSWERED:
        return assignment
    if assignment.state == State.RETURNED:
        raise Conflict("You returned this one, so its answer was not taken.")
    raise Conflict("The time for this one ran out, so it went back to the others.")


@transaction.atomic
def reply(*, assignment: Assignment, text: str) -> Assignment:
    """Record what a worker says to a rejection; a later word takes the place of an earlier one.

    Raises
    ------
    InvalidInput
        If it is empty or too long.
    Conflict
        If the assignment is not rejected.
    """
    text = text.strip()
    if not 1 <= len(text) <= LONGEST_FEEDBACK:
        raise InvalidInput(f"A reply has 1 to {LONGEST_FEEDBACK:,} characters; this one has {len(text):,}.")
    assignment = _lock_assignment(assignment.pk)
    if assignment.state != State.REJECTED:
        raise Conflict("This one is not rejected any more: there is nothing to answer.")
    assignment.reply = text
    assignment.save(update_fields=["reply"])
    return assignment


# Requesters


@transaction.atomic
def approve(
    *, requester: Requester, assignment_id: str, now: datetime, feedback: str = "", override: bool = False
) -> None:
    """Approve and pay an assignment.

    Parameters
    ----------
    requester : Requester
    assignment_id : str
    now : datetime
    feedback : str
        What the worker is told.
    override : bool
        Whether a rejected one may be approved too, within `OVERRIDE` of its submission.

    Raises
    ------
    RequestError
        If there is no such assignment of the requester's, it is in another state, or the money is short.
    """
    _check_feedback(feedback)
    requester, hit, assignment = _lock_all(requester, assignment_id)
    _check_decidable(assignment, override, now)
    if hit.disposed_at is not None:
        raise wrong_state("HIT", "Assignable, Unassignable, Reviewable, Reviewing", hit.status(now))
    assignment.state = State.APPROVED
    assignment.approved_at = now
    if feedback or assignment.rejected_at is not None:
        assignment.feedback = feedback
    if assignment.rejected_at is not None:
        cost = hit.hit_type.reward_cents + hit.fee_cents
        ledger.post(requester, ledger.Kind.HOLD, available=-cost, held=cost, hit=hit, now=now)
        hit.held_cents += cost
    assignment.save()
    assignment.hit = hit
    ledger.pay(requester, assignment, now=now)


@transaction.atomic
def reject(*, requester: Requester, assignment_id: str, now: datetime, feedback: str) -> None:
    """Reject an assignment, with the reason; its money is free again.

    Raises
    ------
    RequestError
        If there is no reason, no such assignment of the requester's, or it is in another state.
    """
    if not feedback.strip():
        raise invalid_parameter(
            "RequesterFeedback", "is empty; a rejection needs a reason that the worker sees."
        )
    _check_feedback(feedback)
    requester, hit, assignment = _lock_all(requester, assignment_id)
    _check_decidable(assignment, False, now)
    assignment.state = State.REJECTED
    assignment.rejected_at = now
    assignment.feedback = feedback
    assignment.save()
    ledger.hold_for(requester, hit, now=now)


def find_hit(requester: Requester, hit_id: str) -> Hit:
    """Return a requester's HIT.

    Raises
    ------
    RequestError
        If it has none of that id.
    """
    hit = Hit.objects.select_related("hit_type").filter(requester=requester, hit_id=hit_id).first()
    if hit is None:
        raise missing_hit(hit_id)
    return hit


def lock_hit(requester: Requester, hit_id: str) -> tuple[Requester, Hit]:
    """Lock a requester and one of its HITs.

    Raises
    ------
    RequestError
        If it has none of that id.
    """
    requester = ledger.lock_requester(requester.pk)
    return requester, _lock_hit(find_hit(requester, hit_id).pk)


def find_assignment(requester: Requester, assignment_id: str) -> Assignment:
    """Return an assignment of a requester's, with its present worker, or its last.

    Raises
    ------
    RequestError
        If it has none of that id.
    """
    found = Assignment.objects.filter(hit__requester=requester, assignment_id=assignment_id)
    found = found.select_related("hit__hit_type", "worker")
    assignment = found.filter(state__in=Assignment.TAKING).first() or found.order_by("-accepted_at").first()
    if assignment is None:
        raise missing_assignment(assignment_id)
    return assignment


# Time


def sweep(now: datetime) -> int:
    """Do all that time alone decides, each in a transaction of its own; return how much there was.

    Accepted assignments that ran out go back, submitted ones that nobody decided are approved and paid, and
    money for places in expired HITs is given back. Running it twice is harmless, and where nothing is due,
    as at nearly every page, it asks no more than that.
    """
    if not _is_due(now):
        return 0
    moved = expire_assignments(now) + approve_due(now) + release_expired(now)
    RequestToken.objects.filter(created_at__lte=now - TOKENS_LAST).delete()
    return moved


def _is_due(now: datetime) -> bool:
    """Say in one query whether any of what `sweep` does is to be done."""
    ((is_due,),) = read_rows(
        "SELECT EXISTS(SELECT FROM marketplace_assignment WHERE state = %s AND deadline <= %s)"
        " OR EXISTS(SELECT FROM marketplace_assignment WHERE state = %s AND auto_approve_at <= %s)"
        " OR EXISTS(SELECT FROM marketplace_hit"
        "   WHERE disposed_at IS NULL AND NOT is_released AND expires_at <= %s)"
        " OR EXISTS(SELECT FROM marketplace_requesttoken WHERE created_at <= %s)",
        [State.ACCEPTED.value, now - GRACE, State.SUBMITTED.value, now, now, now - TOKENS_LAST],
    )
    return bool(is_due)


def expire_assignments(now: datetime) -> int:
    """Free the places of accepted assignments that ran out; return how many."""
    due = Assignment.objects.filter(state=State.ACCEPTED, deadline__lte=now - GRACE)
    moved = 0
    for pk, hit_id in list(due.values_list("pk", "hit_id")):
        with transaction.atomic():
            hit = _lock_hit(hit_id)
            assignment = due.select_for_update().filter(pk=pk).first()
            if assignment is not None:
                _leave(hit, assignment, State.ABANDONED)
                moved += 1
    return moved


def approve_due(now: datetime) -> int:
    """Approve and pay submitted assignments whose requester let the time pass; return how many."""
    due = Assignment.objects.filter(state=State.SUBMITTED, auto_approve_at__lte=now)
    moved = 0
    for pk, hit_id, requester_id in list(due.values_list("pk", "hit_id", "hit__requester_id")):
        with transaction.atomic():
            requester = ledger.lock_requester(requester_id)
            hit = _lock_hit(hit_id)
            assignment = due.select_for_update(of=("self",)).select_related("worker").filter(pk=pk).first()
            if assignment is not None:
                assignment.state = State.APPROVED
                assignment.approved_at = now
                assignment.save()
                assignment.hit = hit
                ledger.pay(requester, assignment, now=now)
                moved += 1
    return moved


def release_expired(now: datetime) -> int:
    """Give back the money for places in HITs that expired; return for how many HITs."""
    due = Hit.objects.filter(disposed_at=None, is_released=False, expires_at__lte=now)
    moved = 0
    for pk, requester_id in list(due.values_list("pk", "requester_id")):
        with transaction.atomic():
            requester = ledger.lock_requester(requester_id)
            hit = _lock_hit(pk)
            if not hit.is_released and hit.disposed_at is None and hit.expires_at <= now:
                ledger.hold_for(requester, hit, now=now)
                moved += 1
    return moved


def _lock_worker(worker: Worker) -> None:
    """Have a worker accept one HIT at a time, so that nobody holds more than `MOST_HELD`."""
    Worker.objects.select_for_update(no_key=True).only("pk").get(pk=worker.pk)


def _lock_hit(pk: int) -> Hit:
    return Hit.objects.select_for_update(of=("self",), no_key=True).select_related("hit_type").get(pk=pk)


def _lock_assignment(pk: int) -> Assignment:
    return Assignment.objects.select_for_update(of=("self",)).select_related("worker").get(pk=pk)


def _lock_all(requester: Requester, assignment_id: str) -> tuple[Requester, Hit, Assignment]:
    requester = ledger.lock_requester(requester.pk)
    assignment = find_assignment(requester, assignment_id)
    return requester, _lock_hit(assignment.hit_id), _lock_assignment(assignment.pk)


def _leave(hit: Hit, assignment: Assignment, state: str) -> None:
    assignment.state = state
    assignment.save(update_fields=["state"])
    hit.taken -= 1
    hit.pending -= 1
    hit.is_released = False  # if it has expired, money for this place is to be given back
    hit.save(update_fields=["taken", "pending", "is_released"])


def _free_id(parts: Sequence[Assignment]) -> str:
    """Return the id of a place that somebody left, or a fresh one."""
    in_use = {part.assignment_id for part in parts if part.state in Assignment.TAKING}
    left = [part.assignment_id for part in parts if part.assignment_id not in in_use]
    return left[0] if left else new_id()


def _check_may_accept(worker: Worker, hit_type: HitType) -> None:
    if missing := qualifying.unmet(worker, [hit_type])[hit_type.pk]:
        raise NotAllowed(f"You do not qualify for this one yet. It needs: {missing[0].text}.")
    held = Assignment.objects.filter(worker=worker, state=State.ACCEPTED).count()
    if held >= MOST_HELD:
        raise Conflict(f"You hold {held} HITs; finish or return some before you accept more.")


def _check_feedback(feedback: str) -> None:
    if len(feedback) > LONGEST_FEEDBACK:
        raise invalid_parameter(
            "RequesterFeedback",
            f"has {len(feedback):,} characters; it may have {LONGEST_FEEDBACK:,} at most.",
        )


def _check_decidable(assignment: Assignment, override: bool, now: datetime) -> None:
    if assignment.state == State.SUBMITTED:
        return
    if override and assignment.state == State.REJECTED:
        assert assignment.submitted_at is not None  # the database says so
        if assignment.submitted_at + OVERRIDE <= now:
            raise wrong_state("Assignment", "Submitted, or Rejected and submitted within 30 days", "Rejected")
        return
    allowed = "Submitted, Rejected" if override else "Submitted"
    raise wrong_state("Assignment", allowed, assignment.state.capitalize())
