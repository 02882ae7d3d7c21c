"""Bonuses: promised with their money, and paid once."""

import logging
import secrets
from datetime import datetime
from random import Random

from django.db import transaction

from crowd import budget, outbox
from crowd.leases import take_first
from crowd.models import Assignment, Bonus
from crowd.providers import registry
from crowd.providers.base import NoAnswer, Refused
from kbpo.core.clock.nudge import nudge
from kbpo.core.errors import OverBudget

logger = logging.getLogger(__name__)


@transaction.atomic
def promise_bonus(*, assignment: Assignment, cents: int, reason: str, message: str, now: datetime) -> Bonus:
    """Write down a bonus for an assignment's worker, and set its money aside; the same reason is one bonus.

    Where no budget has room it is owed, and paid when one has.

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
    try:
        budget.reserve_bonus(bonus=bonus, now=now)
    except OverBudget as error:
        logger.warning("bonus %s is owed: %s", bonus.pk, error)
        bonus.error = str(error)
        bonus.save(update_fields=["error"])
    nudge("kbpo.pipeline.pay_bonuses")
    return bonus


def pay_next_bonus(*, now: datetime, rng: Random) -> bool:
    """Pay the next bonus that is due; return whether there was one. Safe to run twice.

    A bonus is paid once its work is: what waits for a person, or is rejected, earns none.
    """
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
        Bonus.objects.filter(pk=bonus.pk).update(claimed_until=now + outbox.DECLINED_FOR, error=str(error))
    return True


def _claim_bonus(now: datetime) -> Bonus | None:
    due = Bonus.objects.filter(
        paid_at=None,
        worker__provider__in=registry.configured(),
        assignment__state=Assignment.State.APPROVED,
    )
    return take_first(due.select_related("worker", "assignment__hit__batch__corpus").order_by("pk"), now=now)


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
