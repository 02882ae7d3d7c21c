"""Blocks: who gets no more of our work, decided here first, then told to the provider."""

from datetime import datetime
from random import Random

from django.db import transaction

from crowd import outbox
from crowd.leases import take_first
from crowd.models import WorkerBlock
from crowd.providers import registry
from crowd.providers.base import NoAnswer, Refused
from crowd.review.reasons import check_operator, check_reason
from kbpo.accounts.models import User, WorkerIdentity
from kbpo.core.acts import What, record
from kbpo.core.clock.nudge import nudge


@transaction.atomic
def block_worker(
    *, worker: WorkerIdentity, by: User, reason: str, now: datetime, is_blocked: bool = True
) -> WorkerBlock:
    """Give a worker no more of our work, or give it again; what they did is reviewed and paid like any other.

    Raises
    ------
    NotAllowed
        If `by` is no operator.
    InvalidInput
        If there is no reason, or it is too long.
    """
    check_operator(by)
    check_reason(reason)
    was = WorkerBlock.objects.filter(worker=worker, is_blocked=True).exists()
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
    what = What.WORKER_BLOCKED if is_blocked else What.WORKER_UNBLOCKED
    record(what, by=by, about=worker, before={"is_blocked": was}, after={"is_blocked": is_blocked})
    nudge("kbpo.pipeline.review_work")
    return block


def tell_next_block(*, now: datetime, rng: Random) -> bool:
    """Send the next block or unblock to its provider; return whether one was due."""
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
        mine.update(claimed_until=now + outbox.DECLINED_FOR, error=str(error))
    else:
        mine.update(told_at=now, claimed_until=None, tries=0, error="")
    return True


def _claim_block(now: datetime) -> WorkerBlock | None:
    due = WorkerBlock.objects.filter(told_at=None, worker__provider__in=registry.configured())
    return take_first(due.select_related("worker").order_by("pk"), now=now)
