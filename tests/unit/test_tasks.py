"""The registry of tasks."""

import pytest

from annotations.models import Corpus
from evaluation.choices import Choices
from evaluation.registry import TASKS, find_task, task_of
from evaluation.task import Task
from kbpo.core.errors import InvalidInput


def test_an_unknown_task_is_refused_and_the_message_names_known_tasks() -> None:
    with pytest.raises(InvalidInput, match="unknown task 'chess'; known are kbp"):
        find_task("chess")


def test_a_corpus_whose_task_is_unknown_is_refused() -> None:
    with pytest.raises(InvalidInput, match="unknown task 'gone'"):
        task_of(Corpus(tag="old", task="gone"))


@pytest.mark.parametrize("task", TASKS.values(), ids=list(TASKS))
def test_the_choices_formats_and_codes_of_a_task_agree(task: Task) -> None:
    assert TASKS[task.name] is task
    assert isinstance(task.choices, Choices)
    for design, weightings in task.choices.weightings_of.items():
        assert weightings[0] == task.choices.default_weighting(design)  # the sample is designed for it
        assert set(weightings) <= task.choices.weightings.keys()
    for estimators in task.choices.estimators_of.values():
        assert set(estimators) <= task.choices.estimators.keys()
    for standards in task.choices.standards_of.values():
        assert set(standards) <= task.choices.standards.keys()
    assert task.reader.formats
    assert len(task.reader.nothing) == 0
    assert {"TOO_SLOW", "TOO_LARGE"} <= task.reader.codes.keys()
    formats = {*task.reader.formats, *(one.format for one in task.reader.attachments)}
    for code in ("TOO_SLOW", "TOO_LARGE"):
        assert task.reader.codes[code].severity.keys() == formats
