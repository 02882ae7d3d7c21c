"""Telling providers what was decided: claimed by a lease, called without a transaction."""

import logging
from datetime import datetime
from random import Random

from django.db import transaction

from crowd import budget, outbox
from crowd.leases import take_first
from crowd.models import Assignment
from crowd.providers import registry
from crowd.providers.base import NoAnswer, Refused
from crowd.review.settling import cover, lock, settle_approved, settle_rejected
from kbpo.core.errors import OverBudget

logger = logging.getLogger(__name__)

State = Assignment.State
Decision = Assignment.Decision


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
            cover(assignment=assignment, now=now)
            provider.approve(assignment.provider_id, feedback=assignment.feedback)
        _settle(assignment, now)
    except NoAnswer as error:
        until = now + outbox.wait(assignment.tries, rng, retry_after=error.retry_after)
        Assignment.objects.filter(pk=assignment.pk).update(claimed_until=until, error=str(error))
    except OverBudget as error:
        Assignment.objects.filter(pk=assignment.pk).update(
            claimed_until=now + outbox.DECLINED_FOR, error=str(error)
        )
    except Refused as error:
        logger.warning("assignment %s: %s was refused: %s", assignment.pk, assignment.decision, error)
        _take_decision_back(assignment, str(error), now)
    return True


def _claim(now: datetime) -> Assignment | None:
    due = Assignment.objects.exclude(decision="").filter(
        told_at=None, hit__batch__provider__in=registry.configured()
    )
    return take_first(due.select_related("hit__batch__corpus").order_by("pk"), now=now)


@transaction.atomic
def _settle(told: Assignment, now: datetime) -> None:
    hit, assignment = lock(told)
    if told.decision == Decision.REJECT:
        settle_rejected(hit=hit, assignment=assignment, now=now)
    else:
        settle_approved(hit=hit, assignment=assignment, now=now)


@transaction.atomic
def _take_decision_back(told: Assignment, error: str, now: datetime) -> None:
    """Hand work back to a person, since the provider declined what was decided."""
    hit, assignment = lock(told)
    if assignment.told_at is not None or assignment.decision != told.decision:
        return
    assignment.error = error
    assignment.tries = 0
    assignment.claimed_until = now + outbox.DECLINED_FOR
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
