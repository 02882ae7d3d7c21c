"""Workers: how they work, and who gets no more of it. They work for every corpus: for operators alone."""

from collections.abc import Sequence

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from crowd import review
from crowd.interfaces.registry import ASKED_KINDS
from crowd.models import Assignment, Bonus, WorkerBlock
from crowd.quality import measures
from kbpo.accounts.models import User, WorkerIdentity
from kbpo.core.errors import InvalidInput
from kbpo.pages import answers
from kbpo.pages import workers as reads
from kbpo.pages.access import for_operators, operator
from kbpo.pages.forms import ReasonForm, refused
from kbpo.pages.reading import paged

PAGE = 50
BONUSES = 20  # shown, the newest
#: The kind of question that is shown unless another is asked for.
FIRST = next(iter(ASKED_KINDS))


@require_safe
@for_operators
def workers(request: HttpRequest) -> HttpResponse:
    """List workers with how fast and how well they work."""
    kind = request.GET.get("kind", FIRST)
    order = request.GET.get("order", "votes")
    page = paged(request, reads.workers(kind=kind, order=order), PAGE)
    rows = reads.rows(list(page.object_list), kind=kind)
    together = reads.together(kind)
    context = {
        "page": page,
        "rows": rows,
        "together": together,
        "axes": reads.axes([*(row.quality for row in rows), together]),
        "kind": kind,
        "kinds": {kind.name: kind.plural for kind in ASKED_KINDS.values()},
        "order": order,
        "orders": reads.ORDERS,
        "measured_at": measures.last_measured(),
        **_columns([*(row.quality for row in rows), together]),
        "has_flagged": any(row.flagged for row in rows),
    }
    return render(request, "desk/workers.html", context)


@require_safe
@for_operators
def worker(request: HttpRequest, pk: int) -> HttpResponse:
    """Show how one worker works, and what they sent."""
    return _show(request, pk)


@require_POST
@for_operators
def block(request: HttpRequest, pk: int, identity: int) -> HttpResponse:
    """Give a worker no more of our work, or give it again."""
    found = get_object_or_404(WorkerIdentity, pk=identity, user=pk)
    is_blocked, reason = request.POST.get("action") == "block", request.POST.get("reason", "")
    try:
        review.block_worker(
            worker=found, by=operator(request), reason=reason, now=timezone.now(), is_blocked=is_blocked
        )
    except InvalidInput as error:
        return _show(request, pk, error, found)
    done = "gets no more of our work" if is_blocked else "gets our work again"
    messages.success(request, f"{found.worker_id} {done}.")
    return redirect("desk_worker", pk)


def _columns(qualities: Sequence[reads.Quality]) -> dict[str, bool]:
    """Return which columns have anything in them."""
    return {
        "has_times": any(one.measure is not None and one.measure.seconds is not None for one in qualities),
        "has_gold": any(one.gold.estimate is not None for one in qualities),
    }


def _show(
    request: HttpRequest, pk: int, error: InvalidInput | None = None, failed: WorkerIdentity | None = None
) -> HttpResponse:
    found = get_object_or_404(User, pk=pk)
    [row] = reads.rows([found], kind=FIRST)
    qualities = reads.qualities(found)
    blocks = {
        one.worker_id: one
        for one in WorkerBlock.objects.filter(worker__user=found).select_related("decided_by")
    }
    bonuses = list(Bonus.objects.filter(worker__user=found).order_by("-pk")[: BONUSES + 1])
    forms = {}
    for identity in row.identities:
        block = blocks.get(identity.pk)
        is_blocked = block is not None and block.is_blocked
        forms[identity.pk] = ReasonForm(
            request.POST if failed == identity else None,
            auto_id=f"%s-{identity.pk}",
            help_text="They can accept our work again."
            if is_blocked
            else "They get no more of our work. What they did is reviewed and paid like any other.",
        )
    failed_form = refused(forms[failed.pk], error) if failed and error else None
    context = {
        "worker": found,
        "row": row,
        "identities": [
            (identity, blocks.get(identity.pk), forms[identity.pk]) for identity in row.identities
        ],
        "failed_form": failed_form,
        "qualities": [(ASKED_KINDS[one.kind].plural, one) for one in qualities],
        "axes": reads.axes(qualities),
        **_columns(qualities),
        "page": paged(request, answers.listed(show="all", user_id=pk), PAGE),
        "bonuses": bonuses[:BONUSES],
        "more_bonuses": len(bonuses) > BONUSES,
        "begun": Assignment.objects.filter(worker__user=found, state=Assignment.State.BEGUN).count(),
    }
    return render(request, "desk/worker.html", context, status=error.status if error else 200)
