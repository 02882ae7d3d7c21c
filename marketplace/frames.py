"""A requester's page in a frame: its address, its sandbox, and where its answer goes.

The page gets MTurk's parameters, signed (`marketplace.protocol.arrivals`). ``turkSubmitTo`` is an address of
the assignment's own, signed: the page posts to it without cookies, since a frame from elsewhere has none of
ours, and nobody else can answer in its place, also not the worker who had the assignment's id before.

The sandbox allows scripts and forms, without which there is no task, and windows of their own for what is to
be looked up. It does not allow to leave the frame: a task cannot pass itself off as the marketplace. The page
keeps its own origin, with its storage, unless it is served from this very host: there it would share our
cookies, and so is given an origin of nobody's.
"""

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from django.core import signing
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse

from marketplace.models import Assignment, Hit, RequesterKey
from marketplace.protocol import arrivals, hosts
from marketplace.protocol.questions import PREVIEW, origin, with_parameters

SUBMIT = "/mturk/externalSubmit"
SANDBOX = "allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox"
OWN = "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'"
_SALT = "marketplace.submit"


@dataclass(frozen=True, slots=True)
class Frame:
    """What an ``iframe`` needs.

    Attributes
    ----------
    url : str
    sandbox : str
    height : int
        In pixels; 0: as high as the window allows.
    """

    url: str
    sandbox: str
    height: int


def preview_frame(request: HttpRequest, hit: Hit) -> Frame:
    """Return the frame of a HIT that nobody has accepted: the page is to show the task and take no answer."""
    return _frame(request, hit, assignmentId=PREVIEW, hitId=hit.hit_id)


def task_frame(request: HttpRequest, assignment: Assignment, now: datetime) -> Frame:
    """Return the frame of an accepted assignment: its address is signed with the requester's keys."""
    path = reverse("work_submit", args=[signing.dumps(assignment.pk, salt=_SALT)])
    parameters = {
        "assignmentId": assignment.assignment_id,
        "hitId": assignment.hit.hit_id,
        "turkSubmitTo": request.build_absolute_uri(path.removesuffix(SUBMIT)),
        "workerId": assignment.worker.worker_id,
    }
    keys = RequesterKey.objects.filter(requester=assignment.hit.requester_id, is_active=True)
    secrets = list(keys.order_by("-pk").values_list("secret", flat=True)[: arrivals.MOST])
    return _frame(request, assignment.hit, **arrivals.sign(parameters, secrets=secrets, now=now))


def find_submitted(token: str) -> Assignment | None:
    """Return the assignment that a ``turkSubmitTo`` was made for; None if it was not made here."""
    try:
        pk: int = signing.loads(token, salt=_SALT)
    except signing.BadSignature:
        return None
    return Assignment.objects.only("assignment_id", "hit").filter(pk=pk).first()


def let_frame(response: HttpResponseBase, frame: Frame) -> None:
    """Let a page of ours show a frame, and itself be framed by nobody."""
    _set_policy(response, f"frame-src 'self' {origin(frame.url)}; frame-ancestors 'none'")


def let_be_framed(response: HttpResponseBase) -> None:
    """Let a page of ours be shown in a frame of ours, and nowhere else."""
    _set_policy(response, "frame-ancestors 'self'")
    response.headers["X-Frame-Options"] = "SAMEORIGIN"


def _frame(request: HttpRequest, hit: Hit, **parameters: str) -> Frame:
    host = urlsplit(hit.external_url).hostname or ""
    is_ours = hosts.is_one_of(host, [urlsplit(request.build_absolute_uri("/")).hostname or ""])
    sandbox = SANDBOX if is_ours else f"{SANDBOX} allow-same-origin"
    return Frame(with_parameters(hit.external_url, **parameters), sandbox, hit.frame_height)


def _set_policy(response: HttpResponseBase, more: str) -> None:
    response.headers["Content-Security-Policy"] = f"{OWN}; {more}"
