"""Settling: what the provider has taken is paid or given back, once, and its votes count or do not."""

from datetime import datetime

from django.db import transaction

from annotations import labels
from annotations.models import Question, Response
from annotations.responses import judged_before
from crowd import budget
from crowd.models import Assignment, Bonus, Hit, HitBatch
from crowd.providers import registry
from kbpo.core.clock.nudge import nudge

State = Assignment.State
Decision = Assignment.Decision


@transaction.atomic
def settle_approved(*, hit: Hit, assignment: Assignment, now: datetime) -> bool:
    """Record that the provider has approved work, and pay it once.

    Parameters
    ----------
    hit, assignment
        Locked by the caller.

    Raises
    ------
    OverBudget
        If its money was given back, and no budget has room.
    """
    if assignment.state not in (State.SUBMITTED, State.REJECTED):
        return False
    _weigh(assignment, is_valid=True)
    if not assignment.is_covered:
        set_aside(hit, assignment, now)
    if assignment.state == State.REJECTED and assignment.decision != Decision.OVERRIDE:
        set_aside(hit, assignment, now)  # somebody took it back at the provider
        assignment.decision = Decision.OVERRIDE
    elif assignment.state == State.SUBMITTED:
        assignment.decision = Decision.APPROVE
    assignment.hit = hit
    budget.pay(assignment=assignment, now=now)
    _settled(assignment, State.APPROVED, now)
    close_if_done(hit, now)
    return True


@transaction.atomic
def settle_rejected(*, hit: Hit, assignment: Assignment, now: datetime) -> bool:
    """Record that the provider has taken a rejection: the money is free, and the votes do not count.

    Where the provider gives the place to somebody else, the money is kept for them.

    Parameters
    ----------
    hit, assignment
        Locked by the caller.
    """
    if assignment.state != State.SUBMITTED:
        return False
    if assignment.decision != Decision.REJECT:  # rejected at the provider, by other hands
        assignment.decision = ""
    _weigh(assignment, is_valid=False)
    if assignment.is_covered and hit.ended_at is None and _reopens(hit):
        hit.places += 1
        hit.posted_places += 1
        hit.save(update_fields=["places", "posted_places"])
    elif assignment.is_covered:
        budget.release(
            key=f"release|assignment {assignment.pk} rejected",
            hit=hit,
            assignment=assignment,
            cents=hit.reward_cents + hit.fee_cents,
            now=now,
        )
    _release_bonuses(assignment, now)
    _settled(assignment, State.REJECTED, now)
    HitBatch.objects.filter(pk=hit.batch_id, state=HitBatch.State.FINISHED).update(state=HitBatch.State.OPEN)
    close_if_done(hit, now)
    return True


@transaction.atomic
def flag(*, assignment_id: int, words: str) -> bool:
    """Have work that is not paid yet wait for a person, for what was not known when it was taken in.

    Its votes do not count meanwhile. What a person has decided stays so, and what the provider may know of.

    Parameters
    ----------
    assignment_id : int
    words : str
        Why.
    """
    found = Assignment.objects.filter(pk=assignment_id, state=State.SUBMITTED).first()
    if found is None:
        return False
    _, assignment = lock(found)
    is_told = assignment.decision != "" and (assignment.tries or assignment.told_at is not None)
    if assignment.state != State.SUBMITTED or assignment.flag or assignment.decided_by_id or is_told:
        return False
    _weigh(assignment, is_valid=False)
    assignment.flag, assignment.hold = words, ""
    assignment.decision, assignment.decided_at = "", None
    assignment.save()
    nudge("kbpo.pipeline.review_work")
    return True


def close_if_done(hit: Hit, now: datetime) -> bool:
    """Close a locked HIT to which nothing more can come, and all of whose work is decided."""
    if hit.state != Hit.State.POSTED or hit.ended_at is None:
        return False
    if hit.assignments.filter(state=State.SUBMITTED).exists():
        return False
    hit.state = Hit.State.CLOSED
    hit.closed_at = now
    hit.save(update_fields=["state", "closed_at"])
    return True


@transaction.atomic
def cover(*, assignment: Assignment, now: datetime) -> None:
    """Set money aside for work that came when no budget had room; what has its money keeps it.

    Raises
    ------
    OverBudget
        If there is still no room.
    """
    hit, assignment = lock(assignment)
    if not assignment.is_covered:
        set_aside(hit, assignment, now)
        assignment.save(update_fields=["is_covered"])


def lock(assignment: Assignment) -> tuple[Hit, Assignment]:
    """Lock an assignment and, before it, its HIT."""
    hit = (
        Hit.objects.select_related("batch__corpus")
        .select_for_update(no_key=True, of=("self",))
        .get(pk=assignment.hit_id)
    )
    assignment = Assignment.objects.select_for_update(no_key=True).get(pk=assignment.pk)
    assignment.hit = hit
    return hit, assignment


def set_aside(hit: Hit, assignment: Assignment, now: datetime) -> None:
    """Set money aside for one assignment of a locked HIT, beyond what its places have."""
    promise = budget.Promise(
        key=budget.next_key("reserve", hit),
        cents=hit.reward_cents + hit.fee_cents,
        hit=hit,
        assignment=assignment,
    )
    budget.reserve(promises=[promise], batch=hit.batch, now=now)
    assignment.is_covered = True


def _release_bonuses(assignment: Assignment, now: datetime) -> None:
    """Give back what was set aside for the bonuses of work that was rejected; they stay written down.

    They are set aside again and paid if the rejection is taken back.
    """
    never_tried = Bonus.objects.filter(assignment=assignment, paid_at=None, tries=0)
    for bonus in never_tried.order_by("pk").select_for_update(no_key=True):
        budget.release_bonus(bonus=bonus, now=now)


def _reopens(hit: Hit) -> bool:
    return registry.provider(hit.batch.provider).reopens_rejected


def _settled(assignment: Assignment, state: str, now: datetime) -> None:
    assignment.state = state
    assignment.told_at = now
    assignment.claimed_until, assignment.tries, assignment.error = None, 0, ""
    assignment.save()


def _weigh(assignment: Assignment, *, is_valid: bool) -> None:
    """Have an assignment's votes count, or not; called before money is moved, as questions are locked first.

    Labels that are settled stay as they are; documents that are settled with a vote that does not count are
    settled again.
    """
    responses = assignment.responses.filter(is_expert=False).exclude(is_valid=is_valid)
    if assignment.gold_id is not None:  # what was asked only to learn of the worker is never a vote
        responses = responses.exclude(question=assignment.gold_id)
    if is_valid:
        responses = responses.filter(~judged_before())
    questions = sorted(responses.values_list("question", flat=True))
    if questions:
        list(Question.objects.filter(pk__in=questions).order_by("pk").select_for_update(no_key=True))
        Response.objects.filter(pk__in=list(responses.values_list("pk", flat=True))).update(is_valid=is_valid)
        if not is_valid:
            labels.reopen_questions(questions=questions)
        nudge("kbpo.pipeline.settle_questions" if is_valid else "kbpo.pipeline.post_hits")
