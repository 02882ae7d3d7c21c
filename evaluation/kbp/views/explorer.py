"""What one system claims."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotations.data.readers import may_read
from annotations.ontologies import plain_ontology_of
from evaluation.kbp.explorer import claims_of_system
from evaluation.kbp.views.access import find_corpus
from evaluation.models import Epoch
from evaluation.submissions.visibility import find, is_team_shown
from kbpo.core.revalidating import public_page


@require_safe
@public_page
def system(request: HttpRequest, tag: str, pk: int) -> HttpResponse:
    """Show a system's predictions, filtered and paged."""
    corpus = find_corpus(tag)
    submission = find(request.user, pk=pk, corpus=corpus)
    predicate, verdict = request.GET.get("predicate", ""), request.GET.get("verdict", "")
    ontology = plain_ontology_of(corpus)
    known = claims_of_system.all_verdicts(submission) if verdict in claims_of_system.VERDICTS else None
    page = claims_of_system.find_predictions(
        submission,
        ontology,
        predicate=predicate,
        verdict=verdict,
        verdicts=known,
        page=request.GET.get("page", "1"),
    )
    batch = getattr(submission, "batch", None)
    is_open = may_read(request.user, corpus)
    context = {
        "corpus": corpus,
        "submission": submission,
        "has_team_page": is_team_shown(submission, timezone.now()),
        "is_scored": submission.scores.exists(),
        "page": page,
        "claims": claims_of_system.show(page.object_list, ontology, with_texts=is_open, verdicts=known),
        "is_open": is_open,
        "predicates": claims_of_system.predicates(submission, ontology),
        "predicate": predicate,
        "verdicts": claims_of_system.VERDICTS,
        "verdict": verdict,
        "epoch": batch.epoch if batch else None,
        "released": Epoch.objects.filter(corpus=corpus, released_at__isnull=False).exists(),
    }
    return render(request, "evaluation/system.html", context)
