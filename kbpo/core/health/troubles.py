"""Telling operators that something has been wrong for a while, once; and that it ended.

What is wrong is looked up by others (`kbpo.pages.stuck`), and remembered here until it is over. Operators are
told by mail, through the outbox, and in the log: where mail is what is wrong, the log is all there is.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction

from kbpo.core.database.locks import claim
from kbpo.core.health.models import Trouble

logger = logging.getLogger(__name__)

LASTS = timedelta(minutes=10)  # before operators are told
LISTED = 20  # in one message, of those that began and of those that ended


@dataclass(frozen=True, slots=True)
class Wrong:
    """Something that is wrong now.

    Attributes
    ----------
    key : str
        The same at each look, for as long as it is the same trouble.
    words : str
        A sentence or two, for operators.
    since : datetime or None
        Where it is known; else it began when it was first seen.
    """

    key: str
    words: str
    since: datetime | None = None


def remember(wrong: Sequence[Wrong], *, to: Sequence[str], page: str, now: datetime) -> int:
    """Remember what is wrong now, and tell operators what began to last, and what ended of what they know.

    Parameters
    ----------
    wrong : sequence of Wrong
        Everything that is; with one key only the first counts.
    to : sequence of str
        Operators' addresses.
    page : str
        The address at which they see it all, and go on.
    now : datetime

    Returns
    -------
    int
        Of how many troubles they were told.
    """
    with claim("troubles") as is_ours, transaction.atomic():
        return _remember(wrong, to, page, now) if is_ours else 0


def _remember(wrong: Sequence[Wrong], to: Sequence[str], page: str, now: datetime) -> int:
    present = {one.key[:100]: one for one in reversed(wrong)}
    known = {trouble.key: trouble for trouble in Trouble.objects.select_for_update()}
    Trouble.objects.bulk_create(
        [
            Trouble(key=key, words=one.words, began_at=min(one.since or now, now))
            for key, one in sorted(present.items())
            if key not in known
        ]
    )
    ended = [trouble for key, trouble in sorted(known.items()) if key not in present]
    Trouble.objects.filter(pk__in=[trouble.pk for trouble in ended]).delete()
    ended = [trouble for trouble in ended if trouble.told_at is not None]
    lasting = list(Trouble.objects.filter(told_at=None, began_at__lte=now - LASTS).order_by("began_at", "pk"))
    for trouble in lasting:
        trouble.words = present[trouble.key].words
        trouble.told_at = now
        logger.error("this has been wrong since %s: %s", _moment(trouble.began_at), trouble.words)
    for trouble in ended:
        logger.warning("this is over: %s", trouble.words)
    Trouble.objects.bulk_update(lasting, ["words", "told_at"])
    if lasting or ended:
        subject, body = _message(lasting, ended, page)
        for address in to:
            EmailMessage(subject=subject, body=body, to=[address]).send()
    return len(lasting) + len(ended)


def _message(lasting: Sequence[Trouble], ended: Sequence[Trouble], page: str) -> tuple[str, str]:
    host = settings.SITE_URL.partition("://")[2]
    if lasting:
        first = lasting[0].words.partition("\n")[0]
        more = f", and {len(lasting) - 1} more" if len(lasting) > 1 else ""
        subject = f"Wrong at {host}: {first[:100]}{more}"
    else:
        subject = f"Over at {host}: {ended[0].words[:100]}"
    parts = []
    if lasting:
        parts.append("\n".join(["Wrong for ten minutes or longer:", "", *_lines(lasting)]))
    if ended:
        parts.append("\n".join(["Over:", "", *_lines(ended)]))
    parts.append(f"Everything that is stuck, failed or waits, and how to go on:\n{page}")
    return " ".join(subject.split()), "\n\n".join(parts) + "\n"


def _lines(troubles: Sequence[Trouble]) -> list[str]:
    lines = [f"- {one.words} (since {_moment(one.began_at)})" for one in troubles[:LISTED]]
    if len(troubles) > LISTED:
        lines.append(f"- and {len(troubles) - LISTED} more")
    return lines


def _moment(when: datetime) -> str:
    return f"{when:%-d %B %Y, %H:%M} UTC"
