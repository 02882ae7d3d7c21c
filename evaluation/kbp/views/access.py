"""Which corpora these pages are about."""

from django.shortcuts import get_object_or_404

from annotations.models import Corpus
from evaluation.kbp.task import TASK


def find_corpus(tag: str) -> Corpus:
    """Find a corpus for knowledge base population; there is no page (404) for one that is not there.

    Raises
    ------
    InvalidInput
        If it is of another task.
    """
    corpus = get_object_or_404(Corpus, tag=tag)
    TASK.check_corpus(corpus)
    return corpus
