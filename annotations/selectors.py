"""Reads that several callers share."""

from annotations.models import Corpus
from kbpo.core.errors import InvalidInput


def corpus_by_tag(tag: str) -> Corpus:
    """Find a corpus.

    Raises
    ------
    InvalidInput
        If there is none of that tag; the message lists those there are.
    """
    corpus = None if "\0" in tag else Corpus.objects.filter(tag=tag).first()
    if corpus is None:
        tags = ", ".join(Corpus.objects.values_list("tag", flat=True)) or "none is loaded"
        raise InvalidInput(f"there is no corpus {tag!r}; there are: {tags}", where="--corpus")
    return corpus
