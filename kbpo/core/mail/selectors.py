"""What the outbox holds, for operators."""

from datetime import datetime, timedelta

from django.db.models import QuerySet

from kbpo.core.models import Message

LATE = timedelta(minutes=10)  # after which mail that waits is worth a look


def unsent(*, now: datetime, late: timedelta = LATE, most: int = 100) -> QuerySet[Message]:
    """Select the messages that are still tried, and have waited for so long; the oldest first.

    Parameters
    ----------
    now : datetime
        Aware.
    late : timedelta
    most : int
        Messages in all.
    """
    waiting = Message.objects.filter(sent_at=None, failed_at=None, created_at__lte=now - late)
    return waiting.order_by("created_at", "pk")[:most]


def given_up(*, most: int = 100) -> QuerySet[Message]:
    """Select the messages that were given up, the oldest first: `most` at most."""
    return Message.objects.filter(failed_at__isnull=False).order_by("created_at", "pk")[:most]
