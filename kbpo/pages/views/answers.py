"""Work that was sent: lists, each answer beside its document, and the decision about it."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotations.roles import Act
from crowd import review
from crowd.models import Assignment, HitBatch
from kbpo.accounts.models import User, WorkerIdentity
from kbpo.core.errors import InvalidInput
from kbpo.pages import answers as reads
from kbpo.pages.access import for_role, narrowed, person
from kbpo.pages.forms import ReasonForm, refused
from kbpo.pages.reading import number, paged

PAGE = 50
State = Assignment.State


@require_safe
@for_role(Act.REVIEW)
def answers(request: HttpRequest) -> HttpResponse:
    """List what was sent; first what waits for a person."""
    show = request.GET.get("show", "flagged")
    batch_id, user_id = number(request, "batch"), number(request, "worker")
    context = {
        "page": paged(
            request, _theirs(request, reads.listed(show=show, batch_id=batch_id, user_id=user_id)), PAGE
        ),
        "show": show,
        "shown": reads.SHOWN,
        "batch": narrowed(request, Act.REVIEW, HitBatch.objects.filter(pk=batch_id), "corpus").first()
        if batch_id
        else None,
        "worker": _worker(request, user_id) if user_id else None,
    }
    return render(request, "desk/answers.html", context)


@require_safe
@for_role(Act.REVIEW)
def answer(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what a worker sent, beside the document."""
    return _show(request, pk)


@require_POST
@for_role(Act.REVIEW)
def decide(request: HttpRequest, pk: int, action: str) -> HttpResponse:
    """Approve or reject work, or take a rejection back."""
    if action not in ACTIONS:
        raise Http404("no such action")
    found = _find(request, pk)
    try:
        messages.success(request, ACTIONS[action](request, found, person(request)))
    except InvalidInput as error:
        return _show(request, pk, error, action)
    waiting = _theirs(request, reads.listed(show="flagged")).exclude(pk=pk)
    following = waiting.first() if "next" in request.POST else None
    return redirect("desk_answer", following.pk if following else pk)


def _show(request: HttpRequest, pk: int, error: InvalidInput | None = None, action: str = "") -> HttpResponse:
    found = _find(request, pk)
    is_open = found.state == State.SUBMITTED and not found.decision
    forms = {name: _form(request, name, action, found.hit.batch) for name in ("reject", "override")}
    context = {
        "assignment": found,
        "batch": found.hit.batch,
        "parts": reads.parts(found),
        "flags": (found.flag or (found.hold if is_open else "")).splitlines(),
        "problems": found.problem.splitlines(),
        "may_decide": is_open,
        "may_override": found.state == State.REJECTED and found.decision != Assignment.Decision.OVERRIDE,
        "has_more": _theirs(request, reads.listed(show="flagged")).exclude(pk=pk).exists(),
        "due_by": review.due_by(found) if is_open and (found.flag or found.hold) else None,
        "error": error,
        "failed_form": refused(forms[action], error) if error and action in forms else None,
        "reject_form": forms["reject"],
        "override_form": forms["override"],
    }
    return render(request, "desk/answer.html", context, status=error.status if error else 200)


def _form(request: HttpRequest, name: str, action: str, batch: HitBatch) -> ReasonForm:
    """Return the form for a reason: filled, if it is the one that was sent."""
    filled = request.POST if name == action else None
    if name == "override":
        return ReasonForm(filled, label="Why the rejection is taken back; the worker is told")
    said = (
        "It is not paid, its votes do not count, and its questions are asked again. "
        "That others answered otherwise is no reason by itself."
    )
    if batch.provider == WorkerIdentity.Provider.PROLIFIC:
        said += " Prolific wants at least 100 characters."
    return ReasonForm(filled, label="The reason, which the worker is told", help_text=said)


def _theirs(request: HttpRequest, rows: QuerySet[Assignment]) -> QuerySet[Assignment]:
    return narrowed(request, Act.REVIEW, rows, "hit__batch__corpus")


def _worker(request: HttpRequest, pk: int) -> User | None:
    """Find somebody who has sent work to the corpora of who asks."""
    sent = _theirs(request, Assignment.objects.exclude(state=State.BEGUN).filter(worker__user=pk))
    return User.objects.filter(pk=pk).first() if person(request).is_operator or sent.exists() else None


def _find(request: HttpRequest, pk: int) -> Assignment:
    found = (
        _theirs(request, Assignment.objects.exclude(state=State.BEGUN))
        .select_related("hit__batch__corpus", "worker__user", "decided_by", "gold")
        .filter(pk=pk)
        .first()
    )
    if found is None:
        raise Http404("no such answer")
    return found


def _approve(request: HttpRequest, found: Assignment, by: User) -> str:
    review.approve(assignment=found, by=by, now=timezone.now())
    return "It is approved, and is paid in a moment."


def _reject(request: HttpRequest, found: Assignment, by: User) -> str:
    review.reject(assignment=found, by=by, reason=request.POST.get("reason", ""), now=timezone.now())
    return "It is rejected; the worker is told your reason, and its questions are asked again."


def _override(request: HttpRequest, found: Assignment, by: User) -> str:
    review.override(assignment=found, by=by, reason=request.POST.get("reason", ""), now=timezone.now())
    return "The rejection is taken back; the work is paid after all."


ACTIONS: Mapping[str, Callable[[HttpRequest, Assignment, User], str]] = MappingProxyType(
    {"approve": _approve, "reject": _reject, "override": _override}
)
