"""Mail to operators when work that waits for them nears the time by which its worker was told to be paid."""

import logging
import smtplib
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import DateTimeField, ExpressionWrapper, F, Min, Q, QuerySet, Value
from django.db.models.expressions import Combinable

from crowd.models import Assignment
from crowd.review.holding import waiting
from kbpo.accounts.mails import kinds, writing
from kbpo.accounts.models import User

logger = logging.getLogger(__name__)

NEAR = 2 / 3  # of the time that was told: then operators are reminded, and once more when it is over
AT_MOST_EVERY = timedelta(hours=1)


def due_after(share: float = 1.0) -> Combinable:
    """Return when so much of the time is over in which an assignment's worker was told to be paid."""
    delay = F("hit__batch__auto_approval_seconds") * Value(timedelta(seconds=share))
    return ExpressionWrapper(F("submitted_at") + delay, output_field=DateTimeField())


def waits() -> "QuerySet[Assignment]":
    """Select what waits for a person, each with the time by which it is `due`."""
    return Assignment.objects.filter(waiting()).annotate(due=due_after())


def remind_operators(*, now: datetime) -> int:
    """Send operators a message if work that waits for them nears its time, or is past it; return how much.

    Each piece of work is spoken of once when it nears its time and once when that is over, several together.
    Safe to run twice, and at the same time as itself: what could not be sent is sent the next time.
    """
    if Assignment.objects.filter(reminded_at__gt=now - AT_MOST_EVERY).exists():
        return 0
    try:
        return _remind(now)
    except (smtplib.SMTPException, OSError) as error:
        logger.warning("operators were not reminded: %s", error)
        return 0


@transaction.atomic
def _remind(now: datetime) -> int:
    found = waits().annotate(near=due_after(NEAR))
    to_say = found.filter(Q(reminded_at=None, near__lte=now) | Q(reminded_at__lt=F("due"), due__lte=now))
    pks = list(
        to_say.order_by("pk")
        .select_for_update(no_key=True, skip_locked=True, of=("self",))
        .values_list("pk", flat=True)
    )
    if not pks:
        return 0
    Assignment.objects.filter(pk__in=pks).update(reminded_at=now)
    first = found.aggregate(first=Min("due"))["first"]
    text = _text(found.count(), first, now)
    writing.tell(
        kinds.WAITING,
        User.objects.filter(is_operator=True),
        subject="Work waits for you, and its workers for their pay",
        template="waiting.txt",
        context={"words": text, "page": writing.address_of("desk_look")},
    )
    return len(pks)


def _text(number: int, first: datetime, now: datetime) -> str:
    pieces = "1 piece of work waits" if number == 1 else f"{number:,} pieces of work wait"
    until = f"{first:%d %B %Y, %H:%M} UTC"
    time = f"was to be paid by {until}" if first <= now else f"is to be paid by {until}"
    return f"{pieces} for somebody to look at. The first {time}, as its worker was told; no rule pays it."
