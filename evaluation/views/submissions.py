"""The submissions of the reader's teams."""

from typing import cast

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from evaluation.models import Submission
from evaluation.registry import task_of
from evaluation.scoring.own import read_own
from evaluation.submissions.visibility import is_operator, owned
from kbpo.accounts.models import Team, User

PAGE = 25


@login_required
@require_safe
def submissions(request: HttpRequest) -> HttpResponse:
    """List what the reader's teams submitted, and how each stands; operators may see everything."""
    user = cast(User, request.user)
    everything = is_operator(user) and "all" in request.GET
    found = Submission.objects.order_by("-pk") if everything else Submission.objects.filter(owned(user))
    page = Paginator(found.order_by("-pk"), PAGE).get_page(request.GET.get("page"))
    shown = found.filter(pk__in=[one.pk for one in page.object_list]).order_by("-pk")
    context = {
        "page": page,
        "listed": read_own(
            list(shown.select_related("team", "corpus", "batch__epoch").defer("counts")),
            find_task=task_of,
            now=timezone.now(),
        ),
        "everything": everything,
        "may_see_everything": is_operator(user),
        "has_team": Team.objects.filter(memberships__user=user).exists(),
    }
    return render(request, "evaluation/submissions.html", context)
