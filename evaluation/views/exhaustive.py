"""The exhaustive documents of a corpus, for operators: what is drawn and annotated, and what that covers."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotations.models import Corpus
from evaluation import document_phases
from evaluation import exhaustive as drawn
from evaluation.document_coverage import AT_LEAST, band_coverage
from evaluation.forms import DocumentSampleForm
from evaluation.visibility import is_operator
from kbpo.core.errors import KbpoError, NotAllowed


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def exhaustive(request: HttpRequest, tag: str) -> HttpResponse:
    """Show the sample, or draw it."""
    if not is_operator(request.user):
        raise NotAllowed("Only operators see which documents are annotated in full.")
    corpus = get_object_or_404(Corpus, tag=tag)
    form = DocumentSampleForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            document_phases.sample_documents(corpus=corpus, **form.cleaned_data)
        except KbpoError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "The documents are drawn.")
            return redirect("exhaustive", corpus.tag)
    sample = drawn.current(corpus)
    context = {
        "corpus": corpus,
        "population": corpus.documents.count(),
        "form": form,
        "progress": document_phases.progress(sample) if sample else None,
        "bands": band_coverage(sample) if sample else [],
        "at_least": AT_LEAST,
    }
    return render(
        request, "evaluation/exhaustive.html", context, status=400 if request.POST and form.errors else 200
    )
