"""What one system gives the items of a corpus."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotations.data.readers import may_read
from annotations.models import Corpus
from evaluation.classification import explorer
from evaluation.classification.task import TASK
from evaluation.models import Epoch
from evaluation.submissions.visibility import find
from kbpo.core.revalidating import public_page


@require_safe
@public_page
def items(request: HttpRequest, tag: str, pk: int) -> HttpResponse:
    """Show a system's classes, filtered and paged; once labels are published, what it confuses."""
    corpus = get_object_or_404(Corpus, tag=tag)
    TASK.check_corpus(corpus)
    submission = find(request.user, pk=pk, corpus=corpus)
    label, verdict = request.GET.get("class", ""), request.GET.get("verdict", "")
    page = explorer.find_predictions(
        submission, label=label, verdict=verdict, page=request.GET.get("page", "1")
    )
    columns, rows = explorer.confusion(submission)
    batch = getattr(submission, "batch", None)
    is_open = may_read(request.user, corpus)
    context = {
        "corpus": corpus,
        "submission": submission,
        "is_scored": submission.scores.exists(),
        "page": page,
        "items": explorer.show(submission, page.object_list, with_texts=is_open),
        "is_open": is_open,
        "classes": corpus.classes.names if corpus.classes else [],
        "label": label,
        "verdicts": explorer.VERDICTS,
        "verdict": verdict,
        "columns": columns,
        "confusion": rows,
        "epoch": batch.epoch if batch else None,
        "released": Epoch.objects.filter(corpus=corpus, released_at__isnull=False).exists(),
    }
    return render(request, "evaluation/items.html", context)
