"""The first page: what the service is, for who comes for the first time, and the leaderboard."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotations.models import Corpus
from evaluation.registry import TASKS
from evaluation.scoring import axis
from evaluation.scoring.stored import Measure
from evaluation.views.board import board

#: What the written example says, where no claim of a released epoch can be shown.
WRITTEN = Measure(0.71, 0.64, 0.78)


@require_safe
def home(request: HttpRequest, find_showcase: Callable[[], Any]) -> HttpResponse:
    """Show the leaderboard of the corpus that the address chooses; by default the first of a known task.

    Who has not signed in is shown first what the service does. `find_showcase` finds a claim that shows it.
    """
    corpora = list(Corpus.objects.order_by("created_at", "pk"))
    context: dict[str, Any] = {"corpora": corpora}
    if corpora:
        tag = request.GET.get("corpus")
        corpus = (
            get_object_or_404(Corpus, tag=tag)
            if tag
            else next((one for one in corpora if one.task in TASKS), corpora[0])
        )
        context |= {"corpus": corpus, **board(request, corpus)}
    if request.user.is_authenticated:
        return render(request, "evaluation/home.html", context)
    if not request.GET:
        context |= _welcome(find_showcase())
    return render(request, "evaluation/welcome.html", context)


def _welcome(showcase: Any) -> dict[str, Any]:
    measure: Measure = showcase.precision if showcase else WRITTEN
    whole = axis.Axis(0.0, 1.0, (0.0, 0.5, 1.0))
    return {
        "is_first": True,
        "showcase": showcase,
        "shown_measures": {"precision": measure},
        "shown_column": axis.Column("precision", "precision", whole, whole),
    }
