"""Sending what is in the outbox, each message on its own.

A message is claimed by a lease, so that no lock is held while a mail server answers and no two workers send
the same. One that fails is tried again after pauses that grow, for a day. Where the server itself cannot be
reached, nothing else is tried on it for a while: one connection a minute hangs, not one a message.
"""

import logging
import smtplib
import time
from datetime import datetime, timedelta

from django.conf import settings
from django.core.mail import EmailMultiAlternatives, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from kbpo.core.database import leases
from kbpo.core.database.locks import claim
from kbpo.core.database.outages import is_outage
from kbpo.core.mail.outbox import TRIED_FOR
from kbpo.core.models import Message

logger = logging.getLogger(__name__)

AT_MOST = 30.0  # seconds in which new messages are begun; what is left is due the next time
LEASE = timedelta(minutes=2)  # longer than one message takes, time limits of its connection and all
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=10), timedelta(hours=1)
AWAY = timedelta(minutes=1)  # between two tries to reach a mail server that is away


def pause(attempts: int) -> timedelta:
    """Return how long after so many failed tries a message is tried again.

    Examples
    --------
    >>> [pause(tries).seconds for tries in (1, 2, 3, 20)]
    [10, 20, 40, 3600]
    """
    doublings: int = 2 ** min(attempts - 1, 20)
    return min(FIRST_PAUSE * doublings, LONGEST_PAUSE)


def send_mail() -> int:
    """Send what is due, if nobody else is at it; return how many messages were sent."""
    if not _due(timezone.now()).exists():
        return 0
    with claim("mail") as is_ours:
        return _send_due() if is_ours else 0


def _send_due() -> int:
    sent, until = 0, time.monotonic() + AT_MOST
    connection: BaseEmailBackend | None = None
    try:
        while time.monotonic() < until and (message := _claim(timezone.now())) is not None:
            if connection is None:
                connection = get_connection(settings.MAIL_TRANSPORT)
                try:
                    connection.open()
                except (smtplib.SMTPException, OSError) as error:
                    connection = None
                    _put_off(message, error)
                    break
            if _send(message, connection):
                sent += 1
            else:
                _close(connection)
                connection = None
    finally:
        _close(connection)
    return sent


def _send(message: Message, connection: BaseEmailBackend) -> bool:
    try:
        connection.send_messages([_email(message)])
    except (smtplib.SMTPException, OSError) as error:
        logger.warning("message %s was not sent: %s", message.pk, _in_a_line(error))
        _note_failure(message, error, now=timezone.now())
    except Exception as error:  # one that cannot be written or sent keeps no other back
        if is_outage(error):
            raise
        logger.exception("message %s cannot be sent", message.pk)
        _note_failure(message, error, now=timezone.now(), is_last=True)
    else:
        Message.objects.filter(pk=message.pk).update(
            sent_at=timezone.now(), text="", html="", headers={}, error=""
        )
        return True
    return False


def _close(connection: BaseEmailBackend | None) -> None:
    """Close a connection, whatever state it is in."""
    if connection is not None:
        try:
            connection.close()
        except (smtplib.SMTPException, OSError):
            logger.debug("the connection to the mail server was lost")


def _due(now: datetime) -> "QuerySet[Message]":
    is_due = leases.is_over("due_at", now, longest=LONGEST_PAUSE + LEASE)
    return Message.objects.filter(is_due, sent_at=None, failed_at=None)


@transaction.atomic
def _claim(now: datetime) -> Message | None:
    message = _due(now).select_for_update(skip_locked=True).order_by("due_at", "pk").first()
    if message is not None:
        message.attempts += 1
        message.due_at = now + LEASE
        message.save(update_fields=["attempts", "due_at"])
    return message


def _put_off(message: Message, error: Exception) -> None:
    """Leave all that is due for later: the mail server cannot be reached."""
    now = timezone.now()
    logger.warning("the mail server cannot be reached: %s", _in_a_line(error))
    _note_failure(message, error, now=now)
    others = _due(now)
    others.filter(give_up_at__lte=now).update(failed_at=now, error=_in_a_line(error))
    others.update(due_at=now + AWAY, attempts=F("attempts") + 1, error=_in_a_line(error))


def _note_failure(message: Message, error: Exception, *, now: datetime, is_last: bool = False) -> None:
    is_over = is_last or now >= message.give_up_at
    Message.objects.filter(pk=message.pk).update(
        due_at=now + pause(message.attempts), error=_in_a_line(error), failed_at=now if is_over else None
    )


def _email(message: Message) -> EmailMultiAlternatives:
    email = EmailMultiAlternatives(
        subject=message.subject,
        body=message.text,
        from_email=message.sender,
        headers=dict(message.headers),
        **message.recipients,
    )
    if message.html and message.text:
        email.attach_alternative(message.html, "text/html")
    elif message.html:
        email.body, email.content_subtype = message.html, "html"
    return email


def _in_a_line(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:500]


def send_again(*, pk: int) -> bool:
    """Try a message again that was given up, or that waits; return whether there is one to try."""
    now = timezone.now()
    waiting = Message.objects.filter(pk=pk, sent_at=None)
    return bool(waiting.update(due_at=now, give_up_at=now + TRIED_FOR, failed_at=None))


def forget() -> int:
    """Delete the rows of old messages; return how many. None that is still to be sent is among them."""
    old = Message.objects.filter(created_at__lte=timezone.now() - settings.KEEP_MAIL)
    return old.exclude(sent_at=None, failed_at=None).delete()[0]
