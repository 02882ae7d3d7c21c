"""Nothing tells tasks apart but the tasks themselves: everybody else finds one in the registry and asks it.

Who outside a task's folder reaches into it is listed in `test_names_of_kinds_and_tasks`. Here it is that
nobody looks at a task's name and does one thing or another by it.
"""

import ast
import re
from collections.abc import Iterator

import pytest

from evaluation.choices import Choices
from evaluation.registry import TASKS, find_task, task_of
from evaluation.task import Task
from kbpo.core.errors import InvalidInput
from tests.conftest import ROOT

SOURCES = ("annotations", "crowd", "evaluation", "kbpo", "marketplace", "demo")
OWN = tuple(f"evaluation/{name}/" for name in TASKS)
_TASK = re.compile(r"(^|_)(tasks?|TASKS?)$")
_IN_TEMPLATE = re.compile(rf"""\btask(?:\.name)? (?:==|!=) ["'](?:{"|".join(TASKS)})["']""")
_SQL = re.compile(rf"\btask\s*(?:=|<>|!=|not\s+in|in)\s*\(?\s*'(?:{'|'.join(TASKS)})'", re.IGNORECASE)


def test_nothing_but_a_task_tells_tasks_apart() -> None:
    found = {
        str(path.relative_to(ROOT)): lines
        for source in SOURCES
        for path in sorted((ROOT / source).rglob("*.py"))
        if "migrations" not in path.parts and not str(path.relative_to(ROOT)).startswith(OWN)
        if (lines := [node.lineno for node in told_apart(ast.parse(path.read_text()))])
    }
    assert found == {}


def test_no_template_tells_tasks_apart() -> None:
    templates = sorted((ROOT / "templates").rglob("*.html"))
    assert templates
    assert [path.name for path in templates if _IN_TEMPLATE.search(path.read_text())] == []


@pytest.mark.parametrize(
    "code",
    [
        "corpus.task == 'kbp'",
        "'kbp' != task.name",
        "task in ('kbp', 'generation')",
        "corpus.task is DEFAULT_TASK",
        "{'kbp': 1}[corpus.task]",
        "match corpus.task:\n    case 'kbp': pass",
        "Corpus.objects.filter(task='kbp')",
        "Corpus.objects.exclude(task=DEFAULT_TASK)",
        "task is KBP",
        "read(\"SELECT 1 FROM corpus WHERE task = 'kbp'\")",
    ],
)
def test_what_tells_tasks_apart_is_seen(code: str) -> None:
    assert list(told_apart(ast.parse(code)))


@pytest.mark.parametrize(
    "code",
    [
        "Corpus(task='kbp')",
        "corpus.task == other.task",
        "sample_submission(submission_id=1, task=KBP)",
        "part == 'kbp'",
        "task is None",
        "task_name in TASKS",
    ],
)
def test_what_only_names_a_task_is_not(code: str) -> None:
    assert not list(told_apart(ast.parse(code)))


def told_apart(tree: ast.AST) -> Iterator[ast.AST]:
    """List where code does one thing or another by the task."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, comparators=others):
                sides = [part for side in (left, *others) for part in _parts(side)]
                if any(map(_is_of_task, sides)) and any(map(_is_name, sides)):
                    yield node
            case ast.Subscript(value=ast.Dict(), slice=of) if _is_of_task(of):
                yield node
            case ast.Match(subject=subject, cases=cases) if _is_of_task(subject):
                yield from cases
            case ast.Call(func=ast.Attribute(attr="filter" | "exclude"), keywords=keywords):
                yield from (one for one in keywords if _TASK.search(one.arg or "") and _is_name(one.value))
            case ast.Constant(value=str(text)) if _SQL.search(text):
                yield node


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        for element in node.elts:
            yield from _parts(element)
    else:
        yield node


def _is_of_task(node: ast.expr) -> bool:
    """Say whether it is a task, or its name: ``task``, ``corpus.task``, ``task.name``."""
    match node:
        case ast.Name(id=name):
            return bool(_TASK.search(name))
        case ast.Attribute(value=of, attr=name):
            return bool(_TASK.search(name)) or (name == "name" and _is_of_task(of))
    return False


def _is_name(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=value):
            return value in TASKS
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name == "DEFAULT_TASK" or name.lower() in TASKS
    return False


def test_an_unknown_task_is_refused_and_those_there_are_named() -> None:
    with pytest.raises(InvalidInput, match="unknown task 'chess'; known are kbp"):
        find_task("chess")


def test_a_corpus_of_a_task_that_went_away_is_refused() -> None:
    from annotations.models import Corpus

    with pytest.raises(InvalidInput, match="unknown task 'gone'"):
        task_of(Corpus(tag="old", task="gone"))


@pytest.mark.parametrize("task", TASKS.values(), ids=list(TASKS))
def test_a_task_is_what_it_says(task: Task) -> None:
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
