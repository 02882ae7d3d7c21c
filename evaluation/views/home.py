"""The first page: what the service is, and the leaderboard."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotations.models import Corpus
from evaluation.registry import TASKS
from evaluation.scoring.board_digest import digest
from evaluation.views.board import board
from kbpo.core.revalidating import public_page


@require_safe
@public_page(digest)
def home(request: HttpRequest) -> HttpResponse:
    """Show the leaderboard of the corpus that the address chooses; by default the first of a known task."""
    corpora = list(Corpus.objects.order_by("created_at", "pk"))
    if not corpora:
        return render(request, "evaluation/home.html", {"corpora": []})
    tag = request.GET.get("corpus")
    corpus = (
        get_object_or_404(Corpus, tag=tag)
        if tag
        else next((one for one in corpora if one.task in TASKS), corpora[0])
    )
    context = {"corpora": corpora, "corpus": corpus, **board(request, corpus)}
    return render(request, "evaluation/home.html", context)
