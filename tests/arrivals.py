"""Workers who come to a HIT's page: their addresses as the marketplace signs them."""

from datetime import datetime
from urllib.parse import urlencode

from django.conf import settings
from django.utils import timezone

from annotations.models import Question
from crowd import seals
from crowd.hits import places, working
from crowd.hits.arrivals import Arrival
from crowd.models import Assignment, Hit
from crowd.page_names import page_names
from marketplace.protocol.arrivals import sign

KEYS = ("AKIAARRIVALS", "a-secret-that-the-marketplace-knows")
PREVIEWS = ("", "ASSIGNMENT_ID_NOT_AVAILABLE")


def arrival(hit: Hit, submit_to: str, *, now: datetime | None = None, **changes: str) -> str:
    """Return the query of worker W1's address for assignment 3A: signed, unless it is a preview's."""
    given = {"assignmentId": "3A", "hitId": str(hit.provider_id), "workerId": "W1"}
    given |= {"turkSubmitTo": submit_to} | changes
    if given["assignmentId"] not in PREVIEWS:
        given = sign(given, secrets=[(settings.MTURK_KEYS or KEYS)[1]], now=now or timezone.now())
    return urlencode(given)


def begin(*, hit: Hit, arrival: Arrival, is_verified: bool, now: datetime) -> Assignment:
    """Have a worker begin, as the page of a HIT does."""
    comer = working.look_up(hit=hit, arrival=arrival)
    return working.begin(hit=hit, arrival=arrival, comer=comer, is_verified=is_verified, now=now)


def field(question: Question, hit: Hit | None = None) -> str:
    """Return the field in which the page of a HIT, the question's last unless one is given, asks it."""
    hit = hit or question.hits.order_by("-pk")[0]
    places.settle(hit)
    return f"q{page_names(hit, [question.pk])[question.pk]}"


def sealed(hit: Hit, *, assignment_id: str, worker_id: str, text: str) -> dict[str, str]:
    """Return the fields that a page sends to the provider with an answer."""
    who = {"assignment_id": assignment_id, "worker_id": worker_id}
    return {"answer": text, seals.FIELD: seals.seal(hit, **who, text=text)}
