"""One corpus: its leaderboard and its epochs."""

from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotations.challenges.shown import read_life
from annotations.kinds.registry import find_kind
from annotations.models import Corpus
from annotations.ontologies import plain_ontology_of
from evaluation.views.board import board
from evaluation.views.snapshots import led_to
from kbpo.core.revalidating import public_page


@require_safe
@public_page
def corpus(request: HttpRequest, tag: str) -> HttpResponse:
    """Show a corpus."""
    if (snapshot := led_to(request, tag)) is not None:
        return snapshot
    found, now = get_object_or_404(Corpus, tag=tag), timezone.now()
    context = {
        "corpus": found,
        "life": read_life(found, now),
        "now": now,
        "ontology": plain_ontology_of(found),
        **found.documents.aggregate(documents=Count("pk"), removed=Count("takedown")),
        "epochs": list(found.epochs.order_by("-number")),
        "agreements": [(find_kind(one.kind).label, one) for one in found.agreements.filter(questions__gt=0)],
        **board(request, found),
    }
    return render(request, "evaluation/corpus.html", context)
