"""Loading experts' annotations, on which recall rests."""

from pathlib import Path

from django.db import transaction

from annotations import corpora
from annotations.corpora import AnnotationReport
from annotations.models import Corpus
from annotations.texts.jsonlines import Limits
from evaluation.kbp.recall import exhaustive
from evaluation.models import DocumentSample


@transaction.atomic
def load_gold(
    *,
    path: Path | str,
    corpus: Corpus,
    documents: int | None = None,
    seed: int | None = None,
    limits: Limits | None = None,
) -> tuple[AnnotationReport, DocumentSample]:
    """Load annotations, and draw the exhaustive documents from those annotated; all of it, or nothing.

    Parameters
    ----------
    path : path-like
    corpus : Corpus
    documents : int or None
        How many are drawn; None for all that are annotated.
    seed : int or None
        Of the draw; None for a secret one.
    limits : Limits, optional

    Raises
    ------
    InvalidInput, Conflict
        As `annotations.corpora.load_annotations` and `exhaustive.draw_documents` say.
    """
    report = corpora.load_annotations(path=path, corpus=corpus, limits=limits)
    return report, exhaustive.draw_documents(corpus=corpus, size=documents, seed=seed)
