"""The rows of the outbox that are about a person."""

from collections.abc import Iterator, Mapping
from email.utils import parseaddr
from typing import Any

from allauth.account.models import EmailAddress

from kbpo.accounts.models import User
from kbpo.core.models import Message


def rows_about(user: User) -> Iterator[Mapping[str, Any]]:
    """Yield what is known of the messages to a person; not their texts, which may sign somebody in."""
    for message in _to(_addresses(user)):
        yield {
            "subject": message.subject,
            "created_at": message.created_at,
            "sent_at": message.sent_at,
            "failed_at": message.failed_at,
        }


def erase(user: User) -> None:
    """Delete the messages to a person; of those to others too, take the person's addresses off."""
    theirs = _addresses(user)
    for message in _to(theirs, lock=True):
        left = {
            kind: [one for one in listed if _bare(one) not in theirs]
            for kind, listed in message.recipients.items()
        }
        if any(left.values()):
            message.recipients = left
            message.save(update_fields=["recipients"])
        else:
            message.delete()


def _to(addresses: set[str], *, lock: bool = False) -> Iterator[Message]:
    found: dict[int, Message] = {}
    for address in addresses:
        messages = Message.objects.filter(recipients__icontains=address)
        found |= {message.pk: message for message in (messages.select_for_update() if lock else messages)}
    for pk in sorted(found):
        if any(_bare(one) in addresses for listed in found[pk].recipients.values() for one in listed):
            yield found[pk]


def _addresses(user: User) -> set[str]:
    others = EmailAddress.objects.filter(user=user).values_list("email", flat=True)
    return {address.lower() for address in (user.email, *others)}


def _bare(recipient: str) -> str:
    return parseaddr(recipient)[1].lower()
