"""Loading texts into a corpus: the documents, and the epoch in which the first systems are sampled."""

from pathlib import Path
from typing import Any

from django.db import transaction

from annotations import classes as class_lists
from annotations import corpora
from annotations.corpora import LoadReport
from evaluation.design import epochs
from evaluation.models import DocumentSample, Submission
from evaluation.task import FindTask, Task
from kbpo.core.errors import Conflict, InvalidInput


@transaction.atomic
def load_texts(
    *, path: Path | str, tag: str, find_task: FindTask, classes: Path | str | None = None, **options: Any
) -> LoadReport:
    """Load documents into a corpus, and open its first epoch; all of it, or nothing.

    Parameters
    ----------
    path : path-like
    tag : str
    find_task : callable
        Finds the task of the corpus, whose keys its epoch has.
    classes : path-like or None
        A list of classes (`annotations.texts.classes.read_classes`), for a task whose corpora have one.
    **options
        Those of `annotations.corpora.load_corpus`.

    Raises
    ------
    InvalidInput
        As `load_corpus` says, or if its task has no corpora of that design, or lacks classes or has none.
    Conflict
        As `load_corpus` says, or if the corpus takes no new documents any more.
    """
    report = corpora.load_corpus(path=path, tag=tag, **options)
    if report.created and DocumentSample.objects.filter(corpus=report.corpus).exists():
        raise Conflict(
            f"{report.corpus.tag} has its exhaustive documents drawn: it takes no new documents, and the"
            f" file has {report.created}"
        )
    task = find_task(report.corpus)
    _fit(report, task, classes)
    epochs.open_epoch(corpus=report.corpus, task=task)
    return report


def _fit(report: LoadReport, task: Task, classes: Path | str | None) -> None:
    """Give the corpus what its task needs; refuse what it cannot have."""
    corpus = report.corpus
    if corpus.design not in task.designs:
        known = " or ".join(task.designs)
        raise InvalidInput(f"{corpus.tag} is of {task.label}, whose design is {known}", where="design")
    if classes is not None:
        if not task.has_classes:
            raise InvalidInput(f"{corpus.tag} is of {task.label}, which has no classes", where="classes")
        corpus.classes = class_lists.load_classes(path=classes, corpus=corpus)
    if task.has_classes and corpus.classes is None:
        raise InvalidInput(f"{corpus.tag} is of {task.label}: name a file of its classes", where="classes")
    if task.has_classes and report.created and Submission.objects.filter(corpus=corpus).exists():
        raise Conflict(
            f"systems give a class to each document of {corpus.tag}: it takes no new ones after the first"
            f" submission, and the file has {report.created}"
        )
