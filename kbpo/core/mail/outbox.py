"""The mail backend of the site: whatever is sent becomes a row, in the transaction that it tells of."""

from collections.abc import Sequence
from datetime import timedelta

from django.core.mail import EmailMessage, EmailMultiAlternatives
from django.core.mail.backends.base import BaseEmailBackend
from django.utils import timezone

from kbpo.core.clock.nudge import nudge
from kbpo.core.models import Message

TRIED_FOR = timedelta(days=1)  # in which a mail server may be away
SEND_TASK = "kbpo.pipeline.send_mail"


class Outbox(BaseEmailBackend):
    """Writes each message to the outbox, from which the pipeline sends it (`kbpo.core.mail.sending`)."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Write the messages that are to somebody; return how many.

        Raises
        ------
        ValueError
            If one has an attachment: the outbox keeps none.
        """
        now = timezone.now()
        rows = [_row(message) for message in email_messages if message.recipients()]
        for row in rows:
            row.created_at = row.due_at = now
            row.give_up_at = now + TRIED_FOR
        Message.objects.bulk_create(rows)
        if rows:
            nudge(SEND_TASK)
        return len(rows)


def _row(message: EmailMessage) -> Message:
    if message.attachments:
        raise ValueError("the outbox keeps no attachments: mail a link instead")
    alternatives = message.alternatives if isinstance(message, EmailMultiAlternatives) else []
    body, html = str(message.body), ""
    if message.content_subtype == "html":
        body, html = "", body
    for content, mimetype in alternatives:
        if mimetype != "text/html":
            raise ValueError(f"the outbox keeps text and HTML, not {mimetype}")
        html = str(content)
    headers = {name: str(value) for name, value in message.extra_headers.items()}
    if message.reply_to and "reply-to" not in map(str.lower, headers):
        headers["Reply-To"] = ", ".join(map(str, message.reply_to))
    return Message(
        recipients={
            kind: list(map(str, getattr(message, kind)))
            for kind in ("to", "cc", "bcc")
            if getattr(message, kind)
        },
        sender=str(message.from_email),
        subject=str(message.subject),
        text=body,
        html=html,
        headers=headers,
    )
