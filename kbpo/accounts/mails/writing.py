"""Writing mail: plain text, from a template, with a link by which its kind is switched off."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db.models import QuerySet
from django.template.loader import render_to_string
from django.urls import reverse

from kbpo.accounts.mails.choices import token, wanting
from kbpo.accounts.mails.kinds import KINDS
from kbpo.accounts.models import User


def tell(
    kind: str,
    people: QuerySet[User],
    *,
    subject: str,
    template: str,
    context: Mapping[str, Any],
) -> int:
    """Write a message to each of some people who want its kind; return to how many.

    It goes into the outbox: call it in the transaction of what it tells of.

    Parameters
    ----------
    kind : str
        One of `kinds.KINDS`.
    people : QuerySet of User
    subject : str
        On one line, however it is given.
    template : str
        Of `templates/mail`, that extends its base.
    context : mapping of str to object
        Of the template; it is given `site` too, the site's address.
    """
    return send(
        compose(kind, user, to=user.email, subject=subject, template=template, context=context)
        for user in wanting(kind, people)
    )


def compose(
    kind: str, owner: User | str, *, to: str, subject: str, template: str, context: Mapping[str, Any]
) -> EmailMessage:
    """Return one message.

    Parameters
    ----------
    owner : User or str
        Whose choice it is to get it: an account, or an address without one.
    to : str
        The address.
    """
    off = f"{settings.SITE_URL}{reverse('mail_off', args=[token(kind, owner)])}"
    footer = {
        "site": settings.SITE_URL,
        "kind": KINDS[kind],
        "off": off,
        "choices": f"{settings.SITE_URL}{reverse('mail_choices')}" if isinstance(owner, User) else "",
    }
    return EmailMessage(
        subject=" ".join(subject.split()),
        body=render_to_string(f"mail/{template}", {**context, **footer}).strip() + "\n",
        to=[to],
        # RFC 8058: mail programs switch it off by one request of their own.
        headers={"List-Unsubscribe": f"<{off}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"},
    )


def send(messages: Iterable[EmailMessage]) -> int:
    """Put messages into the outbox together; return how many."""
    listed = list(messages)
    if listed:
        get_connection().send_messages(listed)
    return len(listed)


def address_of(name: str, *args: object) -> str:
    """Return the whole address of a page, for mail."""
    return f"{settings.SITE_URL}{reverse(name, args=args)}"
