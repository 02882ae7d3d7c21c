"""Sending what is due: a few at once, each to another team, under a lease and with a bound on time.

A delivery is claimed by a lease, so that no lock is held while a server answers. What was sent and not marked
before a kill is sent again with the same id. One that fails is tried again after pauses that grow, for a day.
An address that takes nothing for days is switched off, and its team told by mail.
"""

import logging
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from kbpo.accounts.mails import kinds, writing
from kbpo.accounts.models import User
from kbpo.core.database import leases
from kbpo.core.database.locks import claim
from kbpo.webhooks import posting, signing
from kbpo.webhooks.events import TEST
from kbpo.webhooks.models import Delivery, Webhook
from kbpo.webhooks.posting import Answer

logger = logging.getLogger(__name__)

AT_MOST = 30.0  # seconds in which new deliveries are begun; what is left is due the next time
AT_ONCE = 8  # requests, each to an address of another team: whose server is slow keeps few others waiting
LEASE = timedelta(minutes=2)  # longer than one request takes, time limits and all
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=10), timedelta(hours=2)
FAILS_FOR = timedelta(days=3)  # before an address is switched off
KEPT = timedelta(days=30)


def pause(attempts: int) -> timedelta:
    """Return how long after so many failed tries a delivery is tried again.

    Examples
    --------
    >>> [pause(tries).seconds for tries in (1, 2, 3, 20)]
    [10, 20, 40, 7200]
    """
    doublings: int = 2 ** min(attempts - 1, 20)
    return min(FIRST_PAUSE * doublings, LONGEST_PAUSE)


def send_webhooks() -> int:
    """Send what is due, if nobody else is at it; return how many deliveries were tried."""
    if not settings.SEND_WEBHOOKS or not _due(timezone.now()).exists():
        return 0
    with claim("webhooks") as is_ours:
        return _send_due() if is_ours else 0


def _send_due() -> int:
    tried, until = 0, time.monotonic() + AT_MOST
    with ThreadPoolExecutor(AT_ONCE) as threads:
        while time.monotonic() < until and (claimed := _claim(timezone.now())):
            # The threads know nothing of the database: this one writes down what they return.
            for delivery, answer in zip(claimed, threads.map(_post, claimed), strict=True):
                _note(delivery, answer, now=timezone.now())
            tried += len(claimed)
    return tried


def _post(delivery: Delivery) -> Answer:
    webhook, body = delivery.webhook, delivery.body
    try:
        headers = signing.headers(
            secret=webhook.secret, message_id=delivery.message_id, body=body, now=timezone.now()
        )
        return posting.post(webhook.url, headers=headers, body=body, is_anywhere=settings.DEVELOPMENT)
    except Exception:  # one that cannot be sent keeps no other back
        logger.exception("delivery %s cannot be sent", delivery.pk)
        return Answer(None, "It could not be sent, by a fault of ours.")


def _due(now: datetime) -> "QuerySet[Delivery]":
    is_due = leases.is_over("due_at", now, longest=LONGEST_PAUSE + LEASE)
    return Delivery.objects.filter(is_due, delivered_at=None, failed_at=None)


@transaction.atomic
def _claim(now: datetime) -> list[Delivery]:
    """Take the first that is due of each of some teams, those first that have waited longest."""
    first_of_each = _due(now).order_by("webhook__team_id", "due_at", "pk").distinct("webhook__team_id")
    due = sorted(first_of_each.values_list("due_at", "pk"))[:AT_ONCE]
    locked = _due(now).filter(pk__in=[pk for _, pk in due]).select_for_update(skip_locked=True, of=("self",))
    claimed = list(locked.select_related("webhook__team").order_by("pk"))
    for delivery in claimed:
        delivery.attempts += 1
        delivery.due_at, delivery.tried_at = now + LEASE, now
        delivery.save(update_fields=["attempts", "due_at", "tried_at"])
    return claimed


@transaction.atomic
def _note(delivery: Delivery, answer: Answer, *, now: datetime) -> None:
    webhook = Webhook.objects.select_for_update(no_key=True).filter(pk=delivery.webhook_id).first()
    if webhook is None:
        return  # removed meanwhile
    this = Delivery.objects.filter(pk=delivery.pk, failed_at=None)
    if not answer.error:
        this.update(delivered_at=now, status=answer.status, error="")
        webhook.failing_since = None
        webhook.save(update_fields=["failing_since"])
        return
    logger.info("delivery %s, try %s: %s", delivery.pk, delivery.attempts, answer.error)
    is_over = now >= delivery.give_up_at or answer.is_gone
    this.update(
        status=answer.status,
        error=answer.error,
        due_at=now + pause(delivery.attempts),
        failed_at=now if is_over else None,
    )
    if delivery.event == TEST:
        return  # somebody looks at it
    webhook.failing_since = webhook.failing_since or now
    webhook.save(update_fields=["failing_since"])
    lasts = is_over and now - webhook.failing_since >= FAILS_FOR
    if (lasts or answer.is_gone) and webhook.disabled_at is None:
        _switch_off(webhook, answer, now=now)


def _switch_off(webhook: Webhook, answer: Answer, *, now: datetime) -> None:
    """Send nothing more to an address, and tell its team."""
    webhook.disabled_at = now
    webhook.save(update_fields=["disabled_at"])
    waiting = webhook.deliveries.filter(delivered_at=None, failed_at=None)
    waiting.update(failed_at=now, error="The address was switched off.")
    since = webhook.failing_since or now
    why = f"It has taken nothing since {since:%-d %B %Y, %H:%M} UTC."
    if answer.is_gone:
        why = "It answered 410 Gone, by which a server asks never to be sent to again."
    writing.tell(
        kinds.WEBHOOK_OFF,
        User.objects.filter(memberships__team=webhook.team_id),
        subject=f"A webhook of {webhook.team} is switched off",
        template="webhook_off.txt",
        context={
            "webhook": webhook,
            "why": why,
            "failed": webhook.deliveries.filter(failed_at__isnull=False).count(),
            "error": answer.error,
            "page": writing.address_of("webhook", webhook.pk),
        },
    )


def forget(*, now: datetime) -> int:
    """Delete old deliveries; return how many. None that is still to be sent is among them."""
    old = Delivery.objects.filter(created_at__lte=now - KEPT)
    return old.exclude(delivered_at=None, failed_at=None).delete()[0]
