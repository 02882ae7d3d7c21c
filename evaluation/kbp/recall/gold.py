"""Loading experts' annotations, on which recall rests."""

from pathlib import Path

from django.db import transaction

from annotations import corpora
from annotations.corpora import AnnotationReport
from annotations.models import Corpus
from annotations.texts.jsonlines import Limits
from evaluation.kbp.recall import exhaustive
from evaluation.models import DocumentSample
from kbpo.accounts.models import User
from kbpo.core.acts import What, record


@transaction.atomic
def load_gold(
    *,
    path: Path | str,
    corpus: Corpus,
    documents: int | None = None,
    seed: int | None = None,
    limits: Limits | None = None,
    by: User | None = None,
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
    by : User, optional
        Who loads it; somebody at the command line if left out.

    Raises
    ------
    InvalidInput, Conflict
        As `annotations.corpora.load_annotations` and `exhaustive.draw_documents` say.
    """
    report = corpora.load_annotations(path=path, corpus=corpus, limits=limits, by=by)
    before = DocumentSample.current(corpus)
    sample = exhaustive.draw_documents(corpus=corpus, size=documents, seed=seed)
    if sample != before:
        after = {"corpus": corpus.tag, "size": sample.size}
        record(What.DOCUMENTS_DRAWN, by=by, about=sample, after=after)
    return report, sample
