"""The submissions of the reader's teams."""

from typing import cast

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evaluation.models import Submission
from evaluation.submissions.progress import HEADINGS
from evaluation.submissions.visibility import is_operator, owned
from kbpo.accounts.models import Team, User


@login_required
@require_safe
def submissions(request: HttpRequest) -> HttpResponse:
    """List what the reader's teams handed in; operators may see everything."""
    user = cast(User, request.user)
    everything = is_operator(user) and "all" in request.GET
    found = Submission.objects.select_related("team", "corpus").order_by("-pk")
    if not everything:
        found = found.filter(owned(user))
    listed = [(submission, HEADINGS[submission.state]) for submission in found]
    context = {
        "listed": listed,
        "everything": everything,
        "may_see_everything": is_operator(user),
        "has_team": Team.objects.filter(memberships__user=user).exists(),
    }
    return render(request, "evaluation/submissions.html", context)
