"""The desk: every batch of work, and what waits for a person."""

from django.db.models import Count, F, Min, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotations.models import Question
from annotations.roles import Act
from crowd import accounts, budget, review
from crowd.models import Budget, HitBatch
from crowd.providers import registry
from kbpo.core.errors import InvalidInput
from kbpo.pages import batches
from kbpo.pages.access import corpora, for_desk, narrowed, person
from kbpo.pages.money import budget_names
from kbpo.pages.reading import paged

PAGE = 20
SHOWN = {"live": "open or paused", "all": "all"}


@require_safe
@for_desk
def home(request: HttpRequest) -> HttpResponse:
    """Show how every batch stands, of the corpora of who asks."""
    now = timezone.now()
    show = request.GET.get("show", "live")
    page = paged(request, narrowed(request, Act.FOLLOW, _shown(show), "corpus"), PAGE)
    tight = budget_names.theirs(
        person(request),
        Budget.objects.filter(
            cap_cents__lt=1.1 * F("reserved_cents") + 1.1 * F("paid_cents"), cap_cents__gt=0
        ),
    )
    with_experts = Question.objects.filter(state=Question.State.EXPERT)
    is_operator = person(request).is_operator
    context = {
        "page": page,
        "standings": batches.standings(list(page.object_list), now=now),
        "show": show,
        "shown": SHOWN,
        "has_any": page.paginator.count > 0
        or narrowed(request, Act.FOLLOW, HitBatch.objects.all(), "corpus").exists(),
        **narrowed(request, Act.REVIEW, review.waits(), "hit__batch__corpus").aggregate(
            flagged=Count("pk"), first_due=Min("due")
        ),
        "now": now,
        "with_experts": narrowed(request, Act.REVIEW, with_experts, "document__corpus").count(),
        "tight_budgets": tight,
        "purses": budget_names.names(tight),
        "owed": budget.owed(None if is_operator else corpora(request, Act.PAY)),
        "has_account": bool(registry.configured()),
        "accounts": accounts.accounts() if is_operator else [],
    }
    return render(request, "desk/home.html", context)


def _shown(show: str) -> QuerySet[HitBatch]:
    if show not in SHOWN:
        raise InvalidInput(f"{show!r} is none of {', '.join(SHOWN)}.", where="show")
    found = HitBatch.objects.select_related("corpus").order_by("-pk")
    if show == "live":
        return found.filter(state__in=batches.LIVE)
    return found
