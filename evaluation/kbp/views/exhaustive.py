"""The exhaustive documents of a corpus, for its organisers: what is drawn, annotated, covered and retired."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotations import roles
from annotations.models import Corpus
from annotations.roles import Act
from evaluation.kbp.recall import document_phases, retirement
from evaluation.kbp.recall import exhaustive as samples
from evaluation.kbp.recall.document_coverage import AT_LEAST, band_coverage
from evaluation.kbp.views.access import find_corpus
from evaluation.kbp.views.forms import DocumentSampleForm
from evaluation.models import DocumentSample
from kbpo.accounts.models import User
from kbpo.core.errors import KbpoError


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def exhaustive(request: HttpRequest, tag: str) -> HttpResponse:
    """Show the sample, or draw it."""
    corpus = _for_organisers(request, tag)
    form = DocumentSampleForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            document_phases.sample_documents(corpus=corpus, by=cast(User, request.user), **form.cleaned_data)
        except KbpoError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "The documents are drawn.")
            return redirect("exhaustive", corpus.tag)
    return _show(request, corpus, form)


def _for_organisers(request: HttpRequest, tag: str) -> Corpus:
    found = find_corpus(tag)
    roles.check(request.user, Act.DESIGN, found)
    return found


def _show(request: HttpRequest, corpus: Corpus, form: DocumentSampleForm) -> HttpResponse:
    sample = DocumentSample.current(corpus)
    released = corpus.epochs.filter(released_at__isnull=False).order_by("-number")
    reports = [(epoch, retirement.report(epoch)) for epoch in released.select_related("document_sample")]
    context = {
        "corpus": corpus,
        "left": len(samples.drawable(corpus, samples.next_number(corpus), by_experts=False)),
        "form": form,
        "progress": document_phases.progress(sample) if sample else None,
        "kept": sample.documents.filter(since__lt=sample.number).count() if sample else 0,
        "bands": band_coverage(sample) if sample else [],
        "at_least": AT_LEAST,
        "retirements": [(epoch, report) for epoch, report in reports if report],
    }
    return render(request, "evaluation/exhaustive.html", context, status=400 if form.errors else 200)
