"""Everything that does not get on, and one button for each to have it go on."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from crowd import collecting, leases, posting
from crowd.models import Assignment, Bonus, HitBatch, WorkerBlock, WorkerQualification
from evaluation.models import FileCheck, NormalisedFile, Submission
from evaluation.registry import task_of
from evaluation.scoring import estimation
from evaluation.submissions import checks, lifecycle, normalised, work
from kbpo.accounts import teams
from kbpo.accounts.models import Team, User
from kbpo.core.acts import What, record
from kbpo.core.errors import InvalidInput, KbpoError
from kbpo.core.health import troubles
from kbpo.core.mail import sending
from kbpo.core.numbers import whole_number
from kbpo.pages import stuck as reads
from kbpo.pages.access import for_operators, operator

LARGEST = 2**63 - 1
SOON = "It is tried again in a moment."
GONE_ON = "It has gone on meanwhile."
BY_ITSELF = "It is tried again by itself within ten minutes, or is being tried just now."
SENT = "It was sent meanwhile."
IN_VAIN = (GONE_ON, BY_ITSELF, SENT)


@require_http_methods(["GET", "HEAD", "POST"])
@for_operators
def stuck(request: HttpRequest) -> HttpResponse:
    """Show what does not get on; have one thing go on."""
    error = None
    if request.method == "POST":
        try:
            messages.success(
                request, _go_on(request.POST.get("act", ""), request.POST.get("pk", ""), operator(request))
            )
            return redirect("desk_stuck")
        except KbpoError as refusal:
            error = refusal
    now = timezone.now()
    context = {
        "parts": reads.stuck(now=now),
        "looked_at": [heading for heading, _ in reads.LOOKS],
        "lasts": troubles.LASTS,
        "now": now,
        "error": error,
    }
    return render(request, "desk/stuck.html", context, status=error.status if error else 200)


@transaction.atomic
def _go_on(name: str, pk: str, by: User) -> str:
    """Have one thing go on, and write down who did; return what is said of it."""
    act = ACTS.get(name)
    if act is None:
        raise InvalidInput(f"must be one of {', '.join(ACTS)}", where="act")
    words = act(pk, by)
    if words not in IN_VAIN:
        record(What.TRIED_AGAIN, by=by, about=f"{name} {pk}")
    return words


def _number(pk: str) -> int:
    number = whole_number(pk, LARGEST)
    if number is None:
        raise Http404("no such row")
    return number


def _uuid(pk: str) -> UUID:
    try:
        return UUID(pk)
    except (ValueError, ValidationError):
        raise Http404("no such row") from None


def _submission(pk: str, by: User) -> str:
    found = get_object_or_404(Submission, pk=_number(pk))
    lifecycle.resume(submission=found, user=by)
    return f"{found.name} goes on where it failed."


def _stage(pk: str, by: User) -> str:
    return SOON if work.try_now(submission_id=_number(pk)) else GONE_ON


def _scores(pk: str, by: User) -> str:
    return "Its scores are computed in a moment." if estimation.score_again(epoch_id=_number(pk)) else GONE_ON


def _mail(pk: str, by: User) -> str:
    return "It is sent in a moment." if sending.send_again(pk=_number(pk)) else SENT


def _batch(pk: str, by: User) -> str:
    posting.resume_batch(batch=get_object_or_404(HitBatch, pk=_number(pk)), by=by, now=timezone.now())
    return "The batch goes on: its HITs are posted in a moment."


def _look(pk: str, by: User) -> str:
    return SOON if collecting.look_now(batch_id=_number(pk), now=timezone.now()) else GONE_ON


def _told(model: leases.Leased) -> Callable[[str, User], str]:
    def act(pk: str, by: User) -> str:
        return SOON if leases.try_now(model, pk=_number(pk), now=timezone.now()) else BY_ITSELF

    return act


def _check(pk: str, by: User) -> str:
    found = get_object_or_404(FileCheck.objects.select_related("upload", "corpus"), pk=_uuid(pk))
    checks.start(upload=found.upload, corpus=found.corpus, task=task_of(found.corpus), format=found.format)
    return f"{found.upload.name} is checked again."


def _normalised(pk: str, by: User) -> str:
    rows = NormalisedFile.objects.select_related("submission", "file_check", "asked_by")
    found = get_object_or_404(rows, pk=_uuid(pk))
    normalised.ask(file=found.file, user=found.asked_by)
    return f"{found.file} is written anew."


def _team(pk: str, by: User) -> str:
    found = get_object_or_404(Team, pk=_number(pk))
    teams.approve_team(user=by, team=found)
    return f"{found} is approved: its systems may be judged."


#: What the buttons do. Each service says itself where it is too late.
ACTS: Mapping[str, Callable[[str, User], str]] = MappingProxyType(
    {
        "submission": _submission,
        "stage": _stage,
        "scores": _scores,
        "mail": _mail,
        "batch": _batch,
        "look": _look,
        "decision": _told(Assignment),
        "bonus": _told(Bonus),
        "block": _told(WorkerBlock),
        "grant": _told(WorkerQualification),
        "check": _check,
        "normalised": _normalised,
        "team": _team,
    }
)
