"""What Prolific tells us of its own accord: checked, told once, and no more than a hint to look.

https://docs.prolific.com/api-reference/webhooks
"""

import base64
import hashlib
import hmac
from datetime import datetime, timedelta

from django.db import transaction

from crowd.models import Assignment, Hit, ProlificEvent
from kbpo.core.clock.nudge import nudge
from kbpo.core.errors import InvalidInput, NotAllowed
from kbpo.core.json_text import read_json
from kbpo.core.plain_text import find_fault

SIGNATURE, TIMESTAMP, EVENT = (
    "X-Prolific-Request-Signature",
    "X-Prolific-Request-Timestamp",
    "X-Event-ID",
)
#: The kinds of events that are of use here.
EVENT_TYPES = ("submission.status.change", "study.status.change")
STALE = timedelta(minutes=5)
_KEPT = timedelta(days=7)  # they are told again for a day
_LONGEST_ID = 128


def sign(body: bytes, timestamp: str, secret: str) -> str:
    """Return the signature of a request: base64 of the HMAC-SHA256 of its time and body."""
    digest = hmac.new(secret.encode(), timestamp.encode() + body, hashlib.sha256).digest()
    return base64.b64encode(digest).decode()


def check(*, body: bytes, timestamp: str, signature: str, secret: str, now: datetime) -> None:
    """Refuse what Prolific did not send, or did not send just now.

    Parameters
    ----------
    body : bytes
        As it came in.
    timestamp : str
        Seconds since 1970, as it came in.
    signature, secret : str
    now : datetime

    Raises
    ------
    NotAllowed
    """
    right = sign(body, timestamp, secret).encode()
    if not hmac.compare_digest(right, signature.encode()):
        raise NotAllowed(f"{SIGNATURE} does not fit the request.")
    try:
        age = abs(now.timestamp() - float(timestamp))
    except ValueError:
        raise NotAllowed(f"{TIMESTAMP} must be seconds since 1970, not {timestamp!r}.") from None
    if not age <= STALE.total_seconds():
        raise NotAllowed(f"{TIMESTAMP} is {age:.0f} s from now: more than {STALE.total_seconds():.0f} s.")


@transaction.atomic
def receive(*, event_id: str, body: bytes, now: datetime) -> bool:
    """Take an event whose signature is right: have the HITs that it is about looked at soon.

    Whatever it says, the truth is what Prolific says when it is asked.

    Parameters
    ----------
    event_id : str
        The same each time that it is told.
    body : bytes
    now : datetime

    Returns
    -------
    bool
        Whether it is new.

    Raises
    ------
    InvalidInput
        If it is no event.
    """
    if not 0 < len(event_id) <= _LONGEST_ID:
        raise InvalidInput(f"must have 1 to {_LONGEST_ID} characters", where=EVENT)
    try:
        event = read_json(body)
        event_type, resource_id = str(event["event_type"])[:64], str(event["resource_id"])[:64]
    except (ValueError, KeyError, TypeError):
        raise InvalidInput("The body must be JSON with event_type and resource_id.") from None
    if fault := find_fault(f"{event_type} {resource_id} {event_id}"):
        raise InvalidInput(f"The event holds {fault}.")
    ProlificEvent.objects.filter(received_at__lt=now - _KEPT).delete()
    _, is_new = ProlificEvent.objects.get_or_create(
        event_id=event_id,
        defaults={"event_type": event_type, "resource_id": resource_id, "received_at": now},
    )
    if is_new:
        _look_soon(event_type, resource_id, now)
    return is_new


def _look_soon(event_type: str, resource_id: str, now: datetime) -> None:
    posted = Hit.objects.filter(state=Hit.State.POSTED)
    if event_type.startswith("study."):
        due = posted.filter(provider_id__startswith=f"{resource_id}:")
    else:
        seen = Assignment.objects.filter(provider_id=resource_id)
        due = posted.filter(pk__in=seen.values("hit_id"))
    due.exclude(next_look_at__lte=now).update(next_look_at=now)
    nudge("kbpo.pipeline.collect_work")
