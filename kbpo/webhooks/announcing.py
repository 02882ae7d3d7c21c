"""Writing down what is to be sent, in the transaction of what it tells of."""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils import timezone

from kbpo.accounts.models import Team
from kbpo.core.clock.nudge import nudge
from kbpo.webhooks.models import Delivery, Webhook, new_id

TRIED_FOR = timedelta(days=1)  # in which a team's server may be away
SEND_TASK = "kbpo.pipeline.send_webhooks"


def announce(event: str, *, team: Team, data: Mapping[str, Any]) -> int:
    """Have the addresses of a team told that chose this event; return to how many it goes.

    All get the same message, with one id.

    Parameters
    ----------
    event : str
        One of `events.EVENTS`.
    data : mapping of str to object
        What it says, as JSON takes it. The team may know all of it: nothing sealed.
    """
    chosen = Webhook.objects.filter(team=team, events__contains=[event], disabled_at=None)
    return len(write(event, to=chosen, data=data, now=timezone.now()))


def write(
    event: str,
    *,
    to: Iterable[Webhook],
    data: Mapping[str, Any],
    now: datetime,
    tried_for: timedelta = TRIED_FOR,
) -> list[Delivery]:
    """Write a delivery of one message to each of some addresses."""
    message_id = new_id()
    when = now.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    body = json.dumps({"id": message_id, "type": event, "timestamp": when, "data": data}, ensure_ascii=False)
    rows = [
        Delivery(
            webhook=webhook,
            message_id=message_id,
            event=event,
            body=body,
            created_at=now,
            due_at=now,
            give_up_at=now + tried_for,
        )
        for webhook in to
    ]
    Delivery.objects.bulk_create(rows)
    if rows:
        nudge(SEND_TASK)
    return rows
