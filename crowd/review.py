"""What becomes of work: approved, rejected, taken back; paid once; told to the provider by an outbox.

A rule only ever approves. Work that is flagged waits for a person, until shortly before the provider would
approve it by itself; its votes do not count as long as it waits. Only a person rejects, with a reason, and
what was rejected is asked again at once. A label that was settled before stays as it is (docs/adr/0021).
"""

import logging
import secrets
from datetime import datetime, timedelta
from random import Random

from django.db import transaction
from django.db.models import Q

from annotations.models import Question, Response
from crowd import budget, outbox
from crowd.models import Assignment, Bonus, Hit, HitBatch, WorkerBlock
from crowd.providers import registry
from crowd.providers.base import NoAnswer, Refused
from kbpo.accounts.models import User, WorkerIdentity
from kbpo.core.errors import Conflict, InvalidInput, NotAllowed, OverBudget
from kbpo.core.nudge import nudge

logger = logging.getLogger(__name__)

APPROVED_BY_RULE_AFTER = timedelta(0)
#: Before the provider's own approval: so long a person has less than that.
MARGIN = timedelta(hours=6)
OVERRIDE = timedelta(days=30)  # from submission, in which a rejection can be taken back
LONGEST_FEEDBACK = 1024  # characters
DECLINED_FOR = timedelta(hours=1)

State = Assignment.State
Decision = Assignment.Decision
PARTICIPLES = {Decision.APPROVE: "approved", Decision.REJECT: "rejected", Decision.OVERRIDE: "approved"}


def approve_by_rule(*, now: datetime) -> int:
    """Approve what nothing speaks against, and what nobody has looked at in time; return how much.

    Flagged work is approved when a person has had until `MARGIN` before the provider's automatic approval.
    """
    waiting = Assignment.objects.filter(
        Q(claimed_until=None) | Q(claimed_until__lte=now),
        state=State.SUBMITTED,
        decision="",
        counted_at__isnull=False,
    )
    due = [assignment.pk for assignment in waiting.select_related("hit__batch") if _is_due(assignment, now)]
    return waiting.filter(pk__in=due).update(decision=Decision.APPROVE, decided_at=now, tries=0)


@transaction.atomic
def approve(*, assignment: Assignment, by: User, now: datetime, feedback: str = "") -> Assignment:
    """Approve work that is waiting.

    Raises
    ------
    NotAllowed
        If `by` is no operator.
    InvalidInput
        If the feedback is too long.
    Conflict
        If it is decided already.
    """
    assignment = _lock_to_decide(assignment, by, now)
    _check_feedback(feedback)
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
        If `by` is no operator.
    InvalidInput
        If there is no reason, it is too long, or the provider would not take it.
    Conflict
        If it is decided already.
    """
    assignment = _lock_to_decide(assignment, by, now)
    _check_reason(reason)
    registry.provider(assignment.hit.batch.provider).check_rejection(reason)
    _decide(assignment, Decision.REJECT, by, reason.strip(), now)
    return assignment


@transaction.atomic
def override(*, assignment: Assignment, by: User, reason: str, now: datetime) -> Assignment:
    """Take a rejection back: the work is paid after all, from money set aside now, and its votes count.

    Raises
    ------
    NotAllowed
        If `by` is no operator.
    InvalidInput
        If there is no reason, or it is too long.
    Conflict
        If it is not rejected, or was submitted more than `OVERRIDE` ago.
    OverBudget
        If no budget has room.
    """
    _check_operator(by)
    hit, assignment = lock(assignment)
    _check_reason(reason)
    if assignment.state != State.REJECTED or assignment.decision == Decision.OVERRIDE:
        raise Conflict("This work is not rejected, or the rejection is being taken back already.")
    assert assignment.submitted_at is not None  # the database says so
    if now - assignment.submitted_at >= OVERRIDE:
        raise Conflict(
            f"A rejection can be taken back within {OVERRIDE.days} days of the work; that is over."
        )
    _reserve_again(hit, assignment, now)
    assignment.override_feedback = reason.strip()
    assignment.decision = Decision.OVERRIDE
    assignment.decided_by, assignment.decided_at = by, now
    assignment.told_at, assignment.claimed_until, assignment.tries, assignment.error = None, None, 0, ""
    assignment.save()
    nudge("kbpo.pipeline.review_work")
    return assignment


def tell_next(*, now: datetime, rng: Random) -> bool:
    """Tell a provider of the next decision, and settle its money; return whether there was one.

    Safe to run anywhere, at any time, twice.
    """
    assignment = _claim(now)
    if assignment is None:
        return False
    provider = registry.provider(assignment.hit.batch.provider)
    try:
        if assignment.decision == Decision.REJECT:
            provider.reject(assignment.provider_id, feedback=assignment.feedback)
        elif assignment.decision == Decision.OVERRIDE:
            provider.approve(assignment.provider_id, feedback=assignment.override_feedback, override=True)
        else:
            provider.approve(assignment.provider_id, feedback=assignment.feedback)
        _settle(assignment, now)
    except NoAnswer as error:
        until = now + outbox.wait(assignment.tries, rng, retry_after=error.retry_after)
        Assignment.objects.filter(pk=assignment.pk).update(claimed_until=until, error=str(error))
    except OverBudget as error:
        Assignment.objects.filter(pk=assignment.pk).update(claimed_until=now + DECLINED_FOR, error=str(error))
    except Refused as error:
        logger.warning("assignment %s: %s was refused: %s", assignment.pk, assignment.decision, error)
        _take_decision_back(assignment, str(error), now)
    return True


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
    if assignment.state == State.REJECTED and assignment.decision != Decision.OVERRIDE:
        _reserve_again(hit, assignment, now)  # somebody took it back at the provider
        assignment.decision = Decision.OVERRIDE
    elif assignment.state == State.SUBMITTED:
        assignment.decision = Decision.APPROVE
    assignment.hit = hit
    budget.pay(assignment=assignment, now=now)
    _settled(assignment, State.APPROVED, now)
    _weigh(assignment, is_valid=True)
    close_if_done(hit, now)
    return True


@transaction.atomic
def settle_rejected(*, hit: Hit, assignment: Assignment, now: datetime) -> bool:
    """Record that the provider has taken a rejection: the money is free, and the votes do not count.

    Parameters
    ----------
    hit, assignment
        Locked by the caller.
    """
    if assignment.state != State.SUBMITTED:
        return False
    if assignment.decision != Decision.REJECT:  # rejected at the provider, by other hands
        assignment.decision = ""
    budget.release(
        key=f"release|assignment {assignment.pk} rejected",
        hit=hit,
        assignment=assignment,
        cents=hit.reward_cents + hit.fee_cents,
        now=now,
    )
    _settled(assignment, State.REJECTED, now)
    _weigh(assignment, is_valid=False)
    HitBatch.objects.filter(pk=hit.batch_id, state=HitBatch.State.FINISHED).update(state=HitBatch.State.OPEN)
    close_if_done(hit, now)
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


# Bonuses


@transaction.atomic
def promise_bonus(*, assignment: Assignment, cents: int, reason: str, message: str, now: datetime) -> Bonus:
    """Write down a bonus for an assignment's worker, and set its money aside; the same reason is one bonus.

    Parameters
    ----------
    assignment : Assignment
        Collected, so that its worker is known.
    cents : int
        1 or more.
    reason : str
        Such as ``"tutorial relation"``: a worker gets one bonus for it.
    message : str
        To the worker.
    now : datetime

    Raises
    ------
    OverBudget
        If no budget has room; then there is no bonus.
    """
    assert assignment.worker is not None, "whose work is not collected is not known"
    account = registry.provider(assignment.hit.batch.provider)
    bonus, _ = Bonus.objects.get_or_create(
        worker=assignment.worker,
        reason=reason,
        defaults={
            "corpus": assignment.hit.batch.corpus,
            "assignment": assignment,
            "message": message,
            "cents": cents,
            "fee_cents": account.bonus_fee_cents(cents=cents),
            "request_token": secrets.token_hex(16),
        },
    )
    budget.reserve_bonus(bonus=bonus, now=now)
    nudge("kbpo.pipeline.pay_bonuses")
    return bonus


def pay_next_bonus(*, now: datetime, rng: Random) -> bool:
    """Pay the next bonus that is due; return whether there was one. Safe to run twice."""
    bonus = _claim_bonus(now)
    if bonus is None:
        return False
    try:
        budget.reserve_bonus(bonus=bonus, now=now)
        registry.provider(bonus.worker.provider).pay_bonus(
            worker_id=bonus.worker.worker_id,
            assignment_id=bonus.assignment.provider_id,
            cents=bonus.cents,
            message=bonus.message,
            token=bonus.request_token,
        )
        _settle_bonus(bonus, now)
    except NoAnswer as error:
        until = now + outbox.wait(bonus.tries, rng, retry_after=error.retry_after)
        Bonus.objects.filter(pk=bonus.pk).update(claimed_until=until, error=str(error))
    except (Refused, OverBudget) as error:  # money may come, and a person may help
        logger.warning("bonus %s: %s", bonus.pk, error)
        Bonus.objects.filter(pk=bonus.pk).update(claimed_until=now + DECLINED_FOR, error=str(error))
    return True


# Blocks


@transaction.atomic
def block_worker(*, worker: WorkerIdentity, by: User, reason: str, now: datetime) -> WorkerBlock:
    """Give a worker no more of our work; what they did is reviewed and paid like any other.

    Raises
    ------
    NotAllowed
        If `by` is no operator.
    InvalidInput
        If there is no reason, or it is too long.
    """
    return _change_block(worker, by, reason, now, is_blocked=True)


@transaction.atomic
def unblock_worker(*, worker: WorkerIdentity, by: User, reason: str, now: datetime) -> WorkerBlock:
    """Give a worker our work again.

    Raises
    ------
    NotAllowed, InvalidInput
        As `block_worker` says.
    """
    return _change_block(worker, by, reason, now, is_blocked=False)


def tell_next_block(*, now: datetime, rng: Random) -> bool:
    """Tell a provider of the next block, or its end; return whether there was one."""
    block = _claim_block(now)
    if block is None:
        return False
    provider = registry.provider(block.worker.provider)
    mine = WorkerBlock.objects.filter(pk=block.pk, decided_at=block.decided_at)
    try:
        act = provider.block if block.is_blocked else provider.unblock
        act(block.worker.worker_id, reason=block.reason)
    except NoAnswer as error:
        until = now + outbox.wait(block.tries, rng, retry_after=error.retry_after)
        mine.update(claimed_until=until, error=str(error))
    except Refused as error:
        mine.update(claimed_until=now + DECLINED_FOR, error=str(error))
    else:
        mine.update(told_at=now, claimed_until=None, tries=0, error="")
    return True


def _is_due(assignment: Assignment, now: datetime) -> bool:
    """Say whether a rule approves work now; flagged work waits, half of the provider's delay at least."""
    assert assignment.counted_at is not None
    assert assignment.submitted_at is not None
    if not assignment.flag:
        return assignment.counted_at + APPROVED_BY_RULE_AFTER <= now
    return last_moment(assignment) <= now


def last_moment(assignment: Assignment) -> datetime:
    """Return until when flagged work waits for a person."""
    assert assignment.submitted_at is not None
    delay = timedelta(seconds=assignment.hit.batch.auto_approval_seconds)
    return assignment.submitted_at + max(delay - MARGIN, delay / 2)


def _lock_to_decide(assignment: Assignment, by: User, now: datetime) -> Assignment:
    _check_operator(by)
    _, assignment = lock(assignment)
    if assignment.state != State.SUBMITTED:
        raise Conflict(f"This work is {assignment.get_state_display()} already.")
    if assignment.decision and assignment.tries:
        raise Conflict(f"This work is being {PARTICIPLES[Decision(assignment.decision)]} at this moment.")
    return assignment


def _decide(assignment: Assignment, decision: str, by: User, feedback: str, now: datetime) -> None:
    assignment.decision = decision
    assignment.decided_by, assignment.decided_at = by, now
    assignment.feedback = feedback
    assignment.claimed_until, assignment.tries, assignment.error = None, 0, ""
    assignment.save()
    nudge("kbpo.pipeline.review_work")


def _claim(now: datetime) -> Assignment | None:
    names = registry.configured()
    if not names:
        return None
    with transaction.atomic():
        assignment = (
            Assignment.objects.exclude(decision="")
            .filter(
                Q(claimed_until=None) | Q(claimed_until__lte=now),
                told_at=None,
                hit__batch__provider__in=names,
            )
            .select_related("hit__batch__corpus")
            .order_by("pk")
            .select_for_update(no_key=True, skip_locked=True, of=("self",))
            .first()
        )
        if assignment is not None:
            assignment.claimed_until = now + outbox.LEASE
            assignment.tries += 1
            assignment.save(update_fields=["claimed_until", "tries"])
        return assignment


@transaction.atomic
def _settle(told: Assignment, now: datetime) -> None:
    hit, assignment = lock(told)
    if told.decision == Decision.REJECT:
        settle_rejected(hit=hit, assignment=assignment, now=now)
    else:
        settle_approved(hit=hit, assignment=assignment, now=now)


def _settled(assignment: Assignment, state: str, now: datetime) -> None:
    assignment.state = state
    assignment.told_at = now
    assignment.claimed_until, assignment.tries, assignment.error = None, 0, ""
    assignment.save()


def _weigh(assignment: Assignment, *, is_valid: bool) -> None:
    """Have an assignment's votes count, or not; questions that are settled stay as they are."""
    responses = assignment.responses.filter(is_expert=False).exclude(is_valid=is_valid)
    if assignment.gold_id is not None:  # what was asked only to learn of the worker is never a vote
        responses = responses.exclude(question=assignment.gold_id)
    questions = sorted(responses.values_list("question", flat=True))
    if questions:
        list(Question.objects.filter(pk__in=questions).order_by("pk").select_for_update(no_key=True))
        Response.objects.filter(pk__in=list(responses.values_list("pk", flat=True))).update(is_valid=is_valid)
        nudge("kbpo.pipeline.settle_questions" if is_valid else "kbpo.pipeline.post_hits")


@transaction.atomic
def _take_decision_back(told: Assignment, error: str, now: datetime) -> None:
    """Hand work back to a person, since the provider declined what was decided."""
    hit, assignment = lock(told)
    if assignment.told_at is not None or assignment.decision != told.decision:
        return
    assignment.error = error
    assignment.tries = 0
    assignment.claimed_until = now + DECLINED_FOR
    if assignment.state == State.REJECTED:  # the rejection stands
        unit = hit.reward_cents + hit.fee_cents
        budget.release(
            key=budget.next_key("release", hit), hit=hit, assignment=assignment, cents=unit, now=now
        )
        assignment.decision, assignment.told_at = Decision.REJECT, now
    else:
        assignment.flag = assignment.flag or f"The provider declined to {assignment.decision} it: {error}"
        assignment.decision = ""
        hit.next_look_at = now  # it may have been decided there
        hit.save(update_fields=["next_look_at"])
    assignment.save()


def _reserve_again(hit: Hit, assignment: Assignment, now: datetime) -> None:
    promise = budget.Promise(
        key=budget.next_key("reserve", hit),
        cents=hit.reward_cents + hit.fee_cents,
        hit=hit,
        assignment=assignment,
    )
    budget.reserve(promises=[promise], batch=hit.batch, now=now)


def _claim_bonus(now: datetime) -> Bonus | None:
    names = registry.configured()
    if not names:
        return None
    with transaction.atomic():
        bonus = (
            Bonus.objects.filter(
                Q(claimed_until=None) | Q(claimed_until__lte=now), paid_at=None, worker__provider__in=names
            )
            .select_related("worker", "assignment__hit__batch__corpus")
            .order_by("pk")
            .select_for_update(no_key=True, skip_locked=True, of=("self",))
            .first()
        )
        if bonus is not None:
            bonus.claimed_until = now + outbox.LEASE
            bonus.tries += 1
            bonus.save(update_fields=["claimed_until", "tries"])
        return bonus


@transaction.atomic
def _settle_bonus(paid: Bonus, now: datetime) -> None:
    bonus = Bonus.objects.select_for_update(no_key=True).get(pk=paid.pk)
    if bonus.paid_at is not None:
        return
    bonus.assignment = paid.assignment
    budget.pay_bonus(bonus=bonus, now=now)
    bonus.paid_at = now
    bonus.claimed_until, bonus.error = None, ""
    bonus.save()


def _change_block(
    worker: WorkerIdentity, by: User, reason: str, now: datetime, *, is_blocked: bool
) -> WorkerBlock:
    _check_operator(by)
    _check_reason(reason)
    block, _ = WorkerBlock.objects.update_or_create(
        worker=worker,
        defaults={
            "is_blocked": is_blocked,
            "reason": reason.strip(),
            "decided_by": by,
            "decided_at": now,
            "told_at": None,
            "claimed_until": None,
            "tries": 0,
            "error": "",
        },
    )
    nudge("kbpo.pipeline.review_work")
    return block


def _claim_block(now: datetime) -> WorkerBlock | None:
    names = registry.configured()
    if not names:
        return None
    with transaction.atomic():
        block = (
            WorkerBlock.objects.filter(
                Q(claimed_until=None) | Q(claimed_until__lte=now), told_at=None, worker__provider__in=names
            )
            .select_related("worker")
            .order_by("pk")
            .select_for_update(no_key=True, skip_locked=True, of=("self",))
            .first()
        )
        if block is not None:
            block.claimed_until = now + outbox.LEASE
            block.tries += 1
            block.save(update_fields=["claimed_until", "tries"])
        return block


def _check_operator(by: User) -> None:
    if not by.is_operator:
        raise NotAllowed("Only operators review work.")


def _check_reason(reason: str) -> None:
    if not reason.strip():
        raise InvalidInput(
            "give a reason: the worker is told, and the next operator wants to know", where="reason"
        )
    _check_feedback(reason)


def _check_feedback(feedback: str) -> None:
    if len(feedback.strip()) > LONGEST_FEEDBACK:
        raise InvalidInput(
            f"has {len(feedback):,} characters; it may have {LONGEST_FEEDBACK:,}", where="feedback"
        )
