"""What the outbox holds, for operators."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import QuerySet

from kbpo.core.models import Message

LATE = timedelta(minutes=10)  # after which mail that waits is worth a look


@dataclass(frozen=True, slots=True)
class Unsent:
    """A message that was not sent.

    Attributes
    ----------
    pk : int
        For `kbpo.core.mail.sending.send_again`.
    to : tuple of str
        All addresses.
    subject : str
    created_at : datetime
    attempts : int
    error : str
        What the last try ended with.
    has_failed : bool
        Whether it was given up; else it is tried again at `due_at`.
    due_at : datetime
    """

    pk: int
    to: tuple[str, ...]
    subject: str
    created_at: datetime
    attempts: int
    error: str
    has_failed: bool
    due_at: datetime


def unsent(*, now: datetime, late: timedelta = LATE, most: int = 100) -> list[Unsent]:
    """Select the messages that are still tried, and have waited long; the oldest first.

    Parameters
    ----------
    now : datetime
        Aware.
    late : timedelta
        How long a message may wait before it is among them.
    most : int
        Messages in all.
    """
    return _read(Message.objects.filter(sent_at=None, failed_at=None, created_at__lte=now - late), most)


def given_up(*, most: int = 100) -> list[Unsent]:
    """Select the messages that were given up, the oldest first: `most` at most."""
    return _read(Message.objects.filter(failed_at__isnull=False), most)


def _read(found: QuerySet[Message], most: int) -> list[Unsent]:
    return [
        Unsent(
            pk=message.pk,
            to=tuple(address for group in message.recipients.values() for address in group),
            subject=message.subject,
            created_at=message.created_at,
            attempts=message.attempts,
            error=message.error,
            has_failed=message.failed_at is not None,
            due_at=message.due_at,
        )
        for message in found.order_by("created_at", "pk")[:most]
    ]
