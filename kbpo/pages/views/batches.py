"""One batch of work: how it stands, what does not get on, and what may be done with it."""

from collections.abc import Callable, Mapping
from datetime import UTC
from types import MappingProxyType

from django.contrib import messages
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotations.roles import Act
from crowd import posting
from crowd.models import HitBatch
from kbpo.accounts.models import User
from kbpo.core.errors import InvalidInput
from kbpo.pages import batches, hits
from kbpo.pages.access import for_role, may, narrowed, person
from kbpo.pages.forms import ReasonForm, UntilForm, refused
from kbpo.pages.reading import paged

PAGE = 25
_State = HitBatch.State
#: In which states what may be done.
MAY: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "pause": (_State.OPEN, _State.PLANNING),
        "resume": (_State.PAUSED,),
        "expire": (_State.OPEN, _State.PAUSED),
        "extend": (_State.OPEN, _State.PAUSED),
        "cancel": batches.LIVE,
    }
)


@require_safe
@for_role(Act.FOLLOW)
def batch(request: HttpRequest, pk: int) -> HttpResponse:
    """Show how a batch stands."""
    return _show(request, pk)


@require_POST
@for_role(Act.POST)
def act(request: HttpRequest, pk: int, action: str) -> HttpResponse:
    """Pause a batch, resume, expire, extend or cancel it: the services say whether it is too late for it."""
    if action not in ACTIONS:
        raise Http404("no such action")
    found = _find(request, pk)
    try:
        messages.success(request, ACTIONS[action](request, found, person(request)))
    except InvalidInput as error:
        return _show(request, pk, error, action)
    return redirect("desk_batch", pk)


def _show(request: HttpRequest, pk: int, error: InvalidInput | None = None, action: str = "") -> HttpResponse:
    now = timezone.now()
    found = _find(request, pk)
    [standing] = batches.standings([found], now=now)
    page = paged(request, hits.stuck(found, now=now), PAGE)
    forms: dict[str, Form] = {
        "pause": ReasonForm(
            request.POST if action == "pause" else None,
            label="Why it is paused",
            help_text="Nothing more is posted. What is out stays out, and is paid.",
        ),
        "extend": UntilForm(request.POST if action == "extend" else None),
    }
    failed = refused(forms[action], error) if error and action in forms else None
    context = {
        "batch": found,
        "standing": standing,
        "page": page,
        "stuck": hits.explain(list(page.object_list), found, now=now),
        "error": error,
        "failed_form": failed,
        "reason_form": forms["pause"],
        "until_form": forms["extend"],
        "may_steer": (may_steer := may(request, Act.POST, found.corpus)),
        "may_review": may(request, Act.REVIEW, found.corpus),
        **{f"may_{name}": may_steer and found.state in states for name, states in MAY.items()},
    }
    return render(request, "desk/batch.html", context, status=error.status if error else 200)


def _find(request: HttpRequest, pk: int) -> HitBatch:
    found = narrowed(request, Act.FOLLOW, HitBatch.objects.all(), "corpus")
    return get_object_or_404(found.select_related("corpus", "created_by"), pk=pk)


def _pause(request: HttpRequest, found: HitBatch, by: User) -> str:
    reason = request.POST.get("reason", "")
    posting.pause_batch(batch=found, by=by, reason=reason, now=timezone.now())
    return "It is paused. What is out stays out, and is collected and paid."


def _resume(request: HttpRequest, found: HitBatch, by: User) -> str:
    posting.resume_batch(batch=found, by=by, now=timezone.now())
    return "It goes on."


def _expire(request: HttpRequest, found: HitBatch, by: User) -> str:
    posting.expire_batch(batch=found, by=by, now=timezone.now())
    return "Nobody can accept its work any more. Who is at it may finish, and is paid."


def _extend(request: HttpRequest, found: HitBatch, by: User) -> str:
    form = UntilForm(request.POST)
    if not form.is_valid():
        raise InvalidInput("Give a date and a time, such as 2026-11-27 18:00.", where="until")
    until = form.cleaned_data["until"].astimezone(UTC)
    posting.extend_batch(batch=found, by=by, until=until, now=timezone.now())
    return f"It can be found until {until:%-d %B %Y, %H:%M} UTC."


def _cancel(request: HttpRequest, found: HitBatch, by: User) -> str:
    posting.cancel_batch(batch=found, by=by, now=timezone.now())
    return "It is cancelled. What is out is taken back; what was done is paid."


ACTIONS: Mapping[str, Callable[[HttpRequest, HitBatch, User], str]] = MappingProxyType(
    {"pause": _pause, "resume": _resume, "expire": _expire, "extend": _extend, "cancel": _cancel}
)
