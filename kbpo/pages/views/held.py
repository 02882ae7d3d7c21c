"""Work that waits for a person: whose it is and why, and looked at and approved in one go."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from crowd import review
from kbpo.accounts.models import User
from kbpo.core.numbers import whole_number
from kbpo.pages import held
from kbpo.pages.access import for_operators, operator
from kbpo.pages.reading import paged

PAGE = 10  # pieces of work, each with its document
LARGEST = 2**63 - 1


@require_safe
@for_operators
def look(request: HttpRequest) -> HttpResponse:
    """List whose work waits, and why."""
    return render(request, "desk/held.html", {"rows": held.waiting(now=timezone.now())})


@require_safe
@for_operators
def look_at(request: HttpRequest, pk: int, kind: str) -> HttpResponse:
    """Show the work of one worker that waits, a few pieces at a time."""
    worker = get_object_or_404(User, pk=pk)
    page = paged(request, held.of_worker(user_id=pk, kind=kind), PAGE)
    context = {
        "worker": worker,
        "kind": kind,
        "title": held.title_of(kind),
        "page": page,
        "pieces": held.pieces(list(page.object_list)),
        "may_decide": True,
        "now": timezone.now(),
    }
    return render(request, "desk/held_of.html", context)


@require_POST
@for_operators
def approve(request: HttpRequest, pk: int, kind: str) -> HttpResponse:
    """Approve those pieces of a worker's work that were ticked."""
    worker = get_object_or_404(User, pk=pk)
    ticked = [whole_number(value, LARGEST) for value in request.POST.getlist("assignment")]
    waits = held.of_worker(user_id=worker.pk, kind=kind)
    chosen = waits.filter(pk__in=[one for one in ticked if one is not None]).values_list("pk", flat=True)
    done = review.approve_all(assignments=list(chosen), by=operator(request), now=timezone.now())
    if done:
        messages.success(
            request, f"{done} approved; {'it is' if done == 1 else 'they are'} paid in a moment."
        )
    else:
        messages.info(request, "Nothing was ticked that still waits.")
    if waits.exists():
        return redirect("desk_look_at", pk, kind)
    return redirect("desk_look")
