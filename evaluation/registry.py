"""The tasks there are. To add one: its folder, and its line here."""

from collections.abc import Mapping
from types import MappingProxyType

from annotations.models import Corpus
from evaluation.classification.task import TASK as CLASSIFICATION
from evaluation.generation.task import TASK as GENERATION
from evaluation.kbp.task import TASK as KBP
from evaluation.task import Task
from kbpo.core.errors import InvalidInput

TASKS: Mapping[str, Task] = MappingProxyType({task.name: task for task in (KBP, CLASSIFICATION, GENERATION)})


def find_task(name: str) -> Task:
    """Return the task of a name.

    Raises
    ------
    InvalidInput
        If there is none; the message lists those there are.
    """
    task = TASKS.get(name)
    if task is None:
        raise InvalidInput(f"unknown task {name!r:.80}; known are {', '.join(TASKS)}", where="task")
    return task


def task_of(corpus: Corpus) -> Task:
    """Return the task of a corpus, as it is for that.

    Raises
    ------
    InvalidInput
        If it is unknown: the corpus was made where there are other tasks.
    """
    task = find_task(corpus.task)
    return task if task.of_corpus is None else task.of_corpus(corpus)
