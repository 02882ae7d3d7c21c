"""Which corpora these pages are about, and who may read their texts."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from annotations.data.readers import closed_words, may_read
from annotations.models import Corpus
from evaluation.kbp.task import TASK


def find_corpus(tag: str) -> Corpus:
    """Find a corpus for knowledge base population; there is no page (404) for one that is not there.

    Raises
    ------
    InvalidInput
        If it is of another task.
    """
    corpus = Corpus.objects.filter(tag=tag).first()
    if corpus is None:
        raise Http404
    TASK.check_corpus(corpus)
    return corpus


def closed(request: HttpRequest, corpus: Corpus) -> HttpResponse | None:
    """Return the page that stands before texts that who asks may not read; None where they may."""
    if may_read(request.user, corpus):
        return None
    context = {"corpus": corpus, "words": closed_words(corpus)}
    return render(request, "evaluation/closed.html", context, status=403)
