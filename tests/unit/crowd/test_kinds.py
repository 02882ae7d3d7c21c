"""Kinds of question and of work are compared by their interfaces alone; everybody else asks a registry."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from crowd.interfaces.registry import ASKED_KINDS, INTERFACES
from crowd.pages.registry import PAGES
from tests.conftest import ROOT

NAMES = {*ASKED_KINDS, *INTERFACES}
CONSTANTS = {name.upper() for name in NAMES}
QUESTIONS = {"RelationQuestion", "CanonicalQuestion", "EntitiesQuestion"}
SEARCHED = ("crowd", "kbpo/pages", "kbpo/management")
OWN = ("crowd/interfaces/", "crowd/pages/", "crowd/migrations/")
QUOTED = re.compile(rf"'({'|'.join(sorted(NAMES))})'")
IN_TEMPLATE = re.compile(rf"""[!=]=\s*["']({"|".join(sorted(NAMES))})["']""")


def sources() -> Iterator[Path]:
    for folder in SEARCHED:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if not path.relative_to(ROOT).as_posix().startswith(OWN):
                yield path


def compared(source: str) -> list[int]:
    """List the lines that tell one kind from another."""
    return sorted({node.lineno for node in ast.walk(ast.parse(source)) if _tells(node)})


def _tells(node: ast.AST) -> bool:
    match node:
        case ast.Compare():
            return any(_names(one) for one in (node.left, *node.comparators))
        case ast.MatchValue():
            return _names(node.value)
        case ast.Dict():
            return any(key is not None and _names(key) for key in node.keys)
        case ast.Subscript():
            return _names(node.slice)
        case ast.keyword(arg="kind"):
            return isinstance(node.value, ast.Constant) and node.value.value in NAMES
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, classes]):
            return any(_class(one) in QUESTIONS for one in ast.walk(classes))
        case ast.Constant(value=str(text)):  # a query
            return "\n" in text and QUOTED.search(text) is not None
    return False


def _names(node: ast.AST) -> bool:
    match node:
        case ast.Constant():
            return node.value in NAMES
        case ast.Attribute():
            return node.attr in CONSTANTS
        case ast.Name():
            return node.id in CONSTANTS
        case ast.Tuple() | ast.List() | ast.Set():
            return any(_names(one) for one in node.elts)
    return False


def _class(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def test_nothing_but_an_interface_tells_one_kind_from_another() -> None:
    found = {
        f"{path.relative_to(ROOT)}:{line}"
        for path in sources()
        for line in compared(path.read_text(encoding="utf-8"))
    }
    assert found == set()


def test_no_template_tells_one_kind_from_another() -> None:
    found = {
        str(path.relative_to(ROOT))
        for folder in ("crowd", "desk", "hits")
        for path in (ROOT / "templates" / folder).rglob("*.html")
        if IN_TEMPLATE.search(path.read_text(encoding="utf-8"))
    }
    assert found == set()


@pytest.mark.parametrize(
    "source",
    [
        "if batch.kind == 'entities': pass",
        "found = question.kind in ('relation', 'canonical')",
        "is_document = kind != Question.Kind.ENTITIES",
        "KINDS = {'relation': 1}",
        "offer = OFFERS['entities']",
        "rows = Question.objects.filter(kind='relation')",
        "ok = isinstance(asked, RelationQuestion)",
        "ok = isinstance(asked, payloads.CanonicalQuestion | EntitiesQuestion)",
        "match kind:\n    case 'relation':\n        pass",
        'SQL = """SELECT 1\nWHERE kind <> \'entities\'"""',
    ],
)
def test_a_comparison_is_found_however_it_is_written(source: str) -> None:
    assert compared(source)


def test_what_is_compared_with_other_things_is_no_kind() -> None:
    assert not compared("found = entry.kind == LedgerEntry.Kind.BONUS")
    assert not compared("rows = HitBatch.objects.filter(kind=interface.name)")


def test_every_interface_has_its_pages_and_no_pages_are_left_over() -> None:
    assert PAGES.keys() == INTERFACES.keys()


def test_a_kind_of_question_is_asked_by_one_interface() -> None:
    asked = [kind for interface in INTERFACES.values() for kind in interface.kinds]
    assert len(asked) == len(set(asked)) == len(ASKED_KINDS)
