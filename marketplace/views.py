"""The workers' pages."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from kbpo.accounts.models import User
from kbpo.core.errors import Conflict, InvalidInput, KbpoError
from kbpo.core.numbers import whole_number
from marketplace import browse, frames, lifecycle, qualifications
from marketplace.models import Assignment, HitType, Worker
from marketplace.operations import replies
from marketplace.protocol.answers import LONGEST, write_answers
from marketplace.workers import worker_for

PAGE = 25  # rows of a list
SHOWN = {
    "waiting": (Assignment.State.SUBMITTED, "Waiting for review"),
    "approved": (Assignment.State.APPROVED, "Approved"),
    "rejected": (Assignment.State.REJECTED, "Rejected"),
}


@require_safe
@login_required
@never_cache
def find(request: HttpRequest) -> HttpResponse:
    """Show the work that there is."""
    worker, now = _worker(request), timezone.now()
    lifecycle.sweep(now)
    context = {
        "groups": browse.find_groups(worker, now),
        "held": browse.own_work(worker).filter(state=Assignment.State.ACCEPTED),
        "here": "find",
    }
    return render(request, "marketplace/find.html", context)


@require_safe
@login_required
@never_cache
def group(request: HttpRequest, group_id: str) -> HttpResponse:
    """Show a type of work, and a preview of the HIT that comes next."""
    worker, now = _worker(request), timezone.now()
    lifecycle.sweep(now)
    found = browse.find_group(worker, _hit_type(group_id), now)
    if found.is_hidden:
        raise Http404
    hit = browse.next_hit(worker, found.hit_type, now) if found.may_preview else None
    frame = frames.preview_frame(request, hit) if hit is not None else None
    held = browse.own_work(worker).filter(state=Assignment.State.ACCEPTED, hit__hit_type=found.hit_type)
    context = {"group": found, "frame": frame, "held": held.first(), "here": "find"}
    response = render(request, "marketplace/group.html", context)
    if frame is not None:
        frames.let_frame(response, frame)
    return response


@require_POST
@login_required
def accept(request: HttpRequest, group_id: str) -> HttpResponse:
    """Accept the next HIT of a type and go to it."""
    worker, now = _worker(request), timezone.now()
    lifecycle.sweep(now)
    hit_type = _hit_type(group_id)
    assignment = lifecycle.accept_next(worker=worker, hit_type=hit_type, now=now)
    if assignment is None:
        messages.info(request, "Nothing more of this is waiting for you. Thank you.")
        return redirect("work")
    return redirect("work_task", assignment.assignment_id)


@require_safe
@login_required
@never_cache
def task(request: HttpRequest, assignment_id: str) -> HttpResponse:
    """Show an accepted task with its time."""
    worker, now = _worker(request), timezone.now()
    lifecycle.sweep(now)
    assignment = _assignment(worker, assignment_id)
    if assignment.state != Assignment.State.ACCEPTED:
        _say_what_became(request, assignment)
        return redirect("work_group", assignment.hit.hit_type.group_id)
    frame = frames.task_frame(request, assignment, now)
    context = {
        "assignment": assignment,
        "hit_type": assignment.hit.hit_type,
        "frame": frame,
        "seconds_left": max(0, int((assignment.deadline - now).total_seconds())),
        "here": "find",
    }
    response = render(request, "marketplace/task.html", context)
    frames.let_frame(response, frame)
    return response


@require_safe
@login_required
@never_cache
def task_state(request: HttpRequest, assignment_id: str) -> JsonResponse:
    """Say how it stands with a task, for the page that shows it."""
    worker = _worker(request)
    lifecycle.sweep(timezone.now())
    found = get_object_or_404(Assignment.objects.only("state"), worker=worker, assignment_id=assignment_id)
    return JsonResponse({"state": found.state})


@require_POST
@login_required
def give_back(request: HttpRequest, assignment_id: str) -> HttpResponse:
    """Return a task."""
    assignment = _assignment(_worker(request), assignment_id)
    lifecycle.give_back(assignment=assignment, now=timezone.now())
    messages.success(
        request, "You returned it; it went back to the others, and nothing is counted against you."
    )
    return redirect("work")


@csrf_exempt  # the address itself is the permission
@require_POST
def submit(request: HttpRequest, token: str) -> HttpResponse:
    """Take the answer that a task's page posts from its frame."""
    assignment = frames.find_submitted(token)
    if assignment is None:
        raise Http404
    error: KbpoError | None = None
    try:
        lifecycle.submit(assignment=assignment, answer=_read_answer(request, assignment), now=timezone.now())
    except KbpoError as refusal:
        error = refusal
    response = render(
        request, "marketplace/sent.html", {"error": error}, status=error.status if error else 200
    )
    frames.let_be_framed(response)
    return response


@require_safe
@login_required
@never_cache
def mine(request: HttpRequest) -> HttpResponse:
    """Show a worker's own work."""
    worker = _worker(request)
    lifecycle.sweep(timezone.now())
    shown = request.GET.get("show", "")
    rows = browse.own_work(worker).exclude(state=Assignment.State.ACCEPTED)
    if shown in SHOWN:
        rows = rows.filter(state=SHOWN[shown][0])
    counts = browse.count_states(worker)
    context = {
        "page": Paginator(rows, PAGE).get_page(request.GET.get("page")),
        "held": browse.own_work(worker).filter(state=Assignment.State.ACCEPTED),
        "shown": shown if shown in SHOWN else "",
        "choices": [(name, words, counts.get(state, 0)) for name, (state, words) in SHOWN.items()],
        "total": sum(counts.get(state, 0) for state in Assignment.ANSWERED),
        "qualifications": qualifications.granted(worker),
        "worker": worker,
        "here": "mine",
    }
    return render(request, "marketplace/mine.html", context)


@require_POST
@login_required
def reply(request: HttpRequest, assignment_id: str) -> HttpResponse:
    """Answer a rejection."""
    assignment = _assignment(_worker(request), assignment_id)
    replies.send_reply(assignment=assignment, text=request.POST.get("text", ""))
    messages.success(request, "Your reply is sent to the requester.")
    return redirect(f"{reverse('work_mine')}?show=rejected")


@require_safe
@login_required
@never_cache
def earnings(request: HttpRequest) -> HttpResponse:
    """Show what a worker was paid."""
    worker = _worker(request)
    lifecycle.sweep(timezone.now())
    months = browse.earnings(worker)
    context = {
        "months": months,
        "total": sum(month.total for month in months),
        "pending": browse.pending_cents(worker),
        "page": Paginator(browse.payments(worker), PAGE).get_page(request.GET.get("page")),
        "here": "earnings",
    }
    return render(request, "marketplace/earnings.html", context)


@require_POST
@login_required
def request_qualification(request: HttpRequest, type_id: str) -> HttpResponse:
    """Give a worker a qualification that is there for the asking."""
    granted = qualifications.grant(worker=_worker(request), type_id=type_id, now=timezone.now())
    messages.success(request, f"You have the qualification “{granted.qualification_type.name}” now.")
    group_id = request.POST.get("group", "")
    if "\0" not in group_id and HitType.objects.filter(group_id=group_id).exists():
        return redirect("work_group", group_id)
    return redirect("work")


def _read_answer(request: HttpRequest, assignment: Assignment) -> str:
    """Return the posted form as XML.

    Raises
    ------
    InvalidInput
        If it is too long.
    Conflict
        If it is for another assignment.
    """
    try:
        if whole_number(request.headers.get("Content-Length") or "0", LONGEST) is None:
            raise RequestDataTooBig
        fields = dict(request.POST.lists())
    except (RequestDataTooBig, TooManyFieldsSent):
        raise InvalidInput(
            f"The answer is too long to be taken: it may have {LONGEST:,} bytes and 1,000 fields."
        ) from None
    named = fields.pop("assignmentId", [assignment.assignment_id])
    if named != [assignment.assignment_id]:
        raise Conflict("This answer is for another assignment than the one of this page.")
    return write_answers({name: [str(value) for value in values] for name, values in fields.items()})


def _say_what_became(request: HttpRequest, assignment: Assignment) -> None:
    if assignment.state in Assignment.ANSWERED:
        messages.success(request, "Your answer is in. Thank you.")
    elif assignment.state == Assignment.State.ABANDONED:
        messages.warning(request, "The time for that one ran out, so it went back to the others.")
    else:
        messages.info(request, "You returned that one.")


def _hit_type(group_id: str) -> HitType:
    return get_object_or_404(HitType.objects.select_related("requester"), group_id=group_id)


def _assignment(worker: Worker, assignment_id: str) -> Assignment:
    found = Assignment.objects.select_related("worker", "hit__hit_type__requester")
    return get_object_or_404(found, worker=worker, assignment_id=assignment_id)


def _worker(request: HttpRequest) -> Worker:
    assert isinstance(request.user, User)  # every view is behind login_required
    return worker_for(request.user)
