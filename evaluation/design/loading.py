"""Loading texts into a corpus: the documents, and the epoch in which the first systems are sampled."""

from pathlib import Path
from typing import Any

from django.db import transaction

from annotations import corpora
from annotations.corpora import LoadReport
from evaluation.design import epochs
from evaluation.models import DocumentSample
from evaluation.task import FindTask
from kbpo.core.errors import Conflict


@transaction.atomic
def load_texts(*, path: Path | str, tag: str, find_task: FindTask, **options: Any) -> LoadReport:
    """Load documents into a corpus, and open its first epoch; all of it, or nothing.

    Parameters
    ----------
    path : path-like
    tag : str
    find_task : callable
        Finds the task of the corpus, whose keys its epoch has.
    **options
        Those of `annotations.corpora.load_corpus`.

    Raises
    ------
    InvalidInput
        As `load_corpus` says.
    Conflict
        As `load_corpus` says, or if the corpus takes no new documents any more.
    """
    report = corpora.load_corpus(path=path, tag=tag, **options)
    if report.created and DocumentSample.objects.filter(corpus=report.corpus).exists():
        raise Conflict(
            f"{report.corpus.tag} has its exhaustive documents drawn: it takes no new documents, and the"
            f" file has {report.created}"
        )
    epochs.open_epoch(corpus=report.corpus, task=find_task(report.corpus))
    return report
