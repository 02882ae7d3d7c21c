"""The first page: what the service is, for who comes for the first time, and the leaderboard."""

from collections.abc import Callable
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotations.challenges.dates import read_standings
from annotations.challenges.shown import left
from annotations.models import Corpus
from evaluation.registry import TASKS
from evaluation.scoring import axis
from evaluation.scoring.stored import Measure
from evaluation.views.board import board
from kbpo.core.revalidating import public_page

#: What the written example says, where no claim of a released epoch can be shown.
WRITTEN = Measure(0.71, 0.64, 0.78)


@require_safe
@public_page
def home(request: HttpRequest) -> HttpResponse:
    """Show the leaderboard of the corpus that the address chooses; by default the first of a known task."""
    return render(request, "evaluation/home.html", _board(request))


@require_safe
@public_page
def welcome(request: HttpRequest, find_showcase: Callable[[], Any]) -> HttpResponse:
    """Show a visitor what the service does, by a claim that `find_showcase` finds, and a leaderboard."""
    showcase = find_showcase()
    whole = axis.Axis(0.0, 1.0, (0.0, 0.5, 1.0))
    context = {
        **_board(request),
        "showcase": showcase,
        "shown_measures": {"precision": showcase.precision if showcase else WRITTEN},
        "shown_column": axis.Column("precision", "precision", whole, whole),
    }
    return render(request, "evaluation/welcome.html", context)


def _board(request: HttpRequest) -> dict[str, Any]:
    corpora, now = list(Corpus.objects.order_by("created_at", "pk")), timezone.now()
    if not corpora:
        return {"corpora": []}
    stands = read_standings(corpora, now)
    tag = request.GET.get("corpus")
    if tag:
        corpus = next((one for one in corpora if one.tag == tag), None)
        if corpus is None:
            raise Http404
    else:
        corpus = next((one for one in corpora if one.task in TASKS), corpora[0])
    return {
        "corpora": [
            (
                one,
                stands[one.pk],
                left(stands[one.pk], now),
                TASKS[one.task].label if one.task in TASKS else "",
            )
            for one in corpora
        ],
        "corpus": corpus,
        "stands": stands[corpus.pk],
        "left": left(stands[corpus.pk], now),
        **board(request, corpus),
    }
