"""Loading texts into a corpus: the documents, and the epoch in which the first systems are sampled."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.db import transaction

from annotations import classes as class_lists
from annotations import corpora, prompts
from annotations.corpora import LoadReport
from annotations.models import Corpus
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
        Those of `annotations.corpora.load_corpus`; what a new corpus is not given is as its task has it.

    Raises
    ------
    InvalidInput
        As `load_corpus` says, or if its task has no corpora of that design, policy or share of audits, or
        lacks classes or a prompt, or has none.
    Conflict
        As `load_corpus` says, or if the corpus takes no new documents any more.
    """
    if options.get("task") and not Corpus.objects.filter(tag=tag).exists():
        options = _as_task_has_it(options, find_task(Corpus(tag=tag, task=options["task"])))
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


def _as_task_has_it(options: Mapping[str, Any], task: Task) -> dict[str, Any]:
    """Return the options for a new corpus of a task, with what the task has for it."""
    if task.has_prompt and options.get("prompt") is None:
        raise InvalidInput(
            f"a corpus for {task.label} needs to say what is asked: quality or answer", where="prompt"
        )
    policy = options.get("policy") or task.policies[0]
    share = options.get("audit_share")
    return {**options, "policy": policy, "audit_share": share if task.has_audits or share else 0.0}


def _fit(report: LoadReport, task: Task, classes: Path | str | None) -> None:
    """Give the corpus what its task needs; refuse what it cannot have."""
    corpus = report.corpus
    if corpus.design not in task.designs:
        known = " or ".join(task.designs)
        raise InvalidInput(f"{corpus.tag} is of {task.label}, whose design is {known}", where="design")
    if corpus.policy not in task.policies:
        known = " or ".join(task.policies)
        raise InvalidInput(f"{corpus.tag} is of {task.label}, whose policy is {known}", where="policy")
    if corpus.audit_share and not task.has_audits:
        raise InvalidInput(
            f"{corpus.tag} is of {task.label}, whose labels are not audited: give 0", where="audit_share"
        )
    if not task.has_prompt and prompts.prompt_of(corpus) is not None:
        raise InvalidInput(f"{corpus.tag} is of {task.label}, which has no prompt", where="prompt")
    if classes is not None:
        if not task.has_classes:
            raise InvalidInput(f"{corpus.tag} is of {task.label}, which has no classes", where="classes")
        corpus.classes = class_lists.load_classes(path=classes, corpus=corpus)
    if task.has_classes and corpus.classes is None:
        raise InvalidInput(f"{corpus.tag} is of {task.label}: name a file of its classes", where="classes")
    is_fixed = task.has_classes or task.has_prompt
    if is_fixed and report.created and Submission.objects.filter(corpus=corpus).exists():
        raise Conflict(
            f"systems say something of each document of {corpus.tag}: it takes no new ones after the first"
            f" submission, and the file has {report.created}"
        )
