"""A team, as everybody may know it: its systems, and those members who want to be named."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from evaluation.registry import task_of
from evaluation.scoring.of_team import read_team
from kbpo.accounts.models import Team
from kbpo.core.revalidating import public_page


@require_safe
@public_page
def team(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a team that has something to show; 404 for others, of which nobody learns that they exist."""
    found = get_object_or_404(Team, pk=pk)
    corpora = read_team(found, find_task=task_of)
    user = request.user
    is_member = user.is_authenticated and found.memberships.filter(user=user.pk).exists()
    if not corpora and not is_member:
        raise Http404("no such team")
    named = found.memberships.filter(is_shown=True).exclude(user__name="").select_related("user")
    context = {
        "team": found,
        "corpora": corpora,
        "members": [one.user.name for one in named.order_by("joined_at", "pk")],
        "is_member": is_member,
    }
    return render(request, "evaluation/team.html", context)
