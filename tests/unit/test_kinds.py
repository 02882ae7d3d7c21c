"""Nothing tells kinds of question apart but the kinds themselves, and the interfaces that show them.

A task may name its own kinds to ask and to find its questions: it makes them (`RelationQuestion.about`), and
filters rows (``kind=kind_names.RELATION``, in SQL ``kind = 'relation'``). What it may not do is to look at a
question and do one thing or another by its kind: a kind that is added later would be taken for one of those
that were there. That is each kind's to say, and the registry's to look up.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotations.kinds.registry import KINDS

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("annotations", "crowd", "evaluation", "kbpo", "marketplace", "demo")
#: Where kinds are told apart by right.
OWN = ("annotations/kinds/", "crowd/interfaces/", "crowd/pages/")

QUESTIONS = {
    "RelationQuestion",
    "CanonicalQuestion",
    "EntitiesQuestion",
    "QualityQuestion",
    "CorrectnessQuestion",
}
HOLDERS = {"kind_names", "Kind", "relation", "canonical", "entities", "quality", "correctness"}
CONSTANTS = {"RELATION", "CANONICAL", "ENTITIES", "QUALITY", "CORRECTNESS", "NAME"}
_IN_TEMPLATE = re.compile(rf"""\bkind (?:==|!=) ["'](?:{"|".join(KINDS)})["']""")
_KIND = re.compile(r"(^|_)(kinds?|KINDS?)$")
_SQL = re.compile(rf"\bkind\s*(?:<>|!=|not\s+in)\s*\(?\s*'(?:{'|'.join(KINDS)})'", re.IGNORECASE)


def test_no_template_tells_kinds_apart() -> None:
    found = {
        str(path.relative_to(ROOT)): len(_IN_TEMPLATE.findall(path.read_text()))
        for path in sorted((ROOT / "templates").rglob("*.html"))
    }
    assert {path: times for path, times in found.items() if times} == {}


def test_nothing_but_kinds_and_interfaces_tells_kinds_apart() -> None:
    found = {
        str(path.relative_to(ROOT)): [node.lineno for node in told_apart(ast.parse(path.read_text()))]
        for source in SOURCES
        for path in sorted((ROOT / source).rglob("*.py"))
        if "migrations" not in path.parts and not str(path.relative_to(ROOT)).startswith(OWN)
    }
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "code",
    [
        "question.kind == 'relation'",
        "'entities' != one.kind",
        "kind in ('relation', 'canonical')",
        "question.kind == kind_names.ENTITIES",
        "kind is relation.NAME",
        "from annotations.models.kind_names import ENTITIES\none.kind == ENTITIES",
        "batch.kind == HitBatch.Kind.ENTITIES",
        "isinstance(asked, RelationQuestion)",
        "isinstance(asked, RelationQuestion | CanonicalQuestion)",
        "isinstance(asked, (canonical.CanonicalQuestion, int))",
        "type(asked) is EntitiesQuestion",
        "{CanonicalQuestion: 1}",
        "{kind_names.RELATION: 1}",
        "{'relation': 1, 'canonical': 2}[question.kind]",
        "found.exclude(kind='entities')",
        "found.filter(~Q(kind=kind_names.ENTITIES))",
        "kinds.count('relation')",
        "match asked:\n    case EntitiesQuestion(): pass",
        "match one.kind:\n    case 'relation': pass",
        "cursor.execute(\"SELECT 1 FROM question WHERE kind <> 'entities'\")",
    ],
)
def test_what_tells_kinds_apart_is_seen(code: str) -> None:
    assert list(told_apart(ast.parse(code)))


@pytest.mark.parametrize(
    "code",
    [
        "RelationQuestion.about(one, other)",
        "found.filter(kind=kind_names.RELATION)",
        "Q(annotations=1) | Q(kind=ENTITIES)",
        "Question(kind='relation')",
        "part == 'relation'",
        "mention.kind == 'page'",
        "error.kind == other.kind",
        "kind == 'reserved'",
        "mention.kind != CANONICAL",
        "kind not in KINDS",
        "{'relation': 1, 'instance': 2}",
        "isinstance(asked, Mention)",
        "read('WHERE question.kind = \\'entities\\'')",
    ],
)
def test_what_only_names_a_kind_is_not(code: str) -> None:
    assert not list(told_apart(ast.parse(code)))


def test_nothing_but_a_kind_and_its_interface_names_what_an_answer_holds() -> None:
    found = {
        str(path.relative_to(ROOT)): lines
        for source in SOURCES
        for path in sorted((ROOT / source).rglob("*.py"))
        if "migrations" not in path.parts and not str(path.relative_to(ROOT)).startswith(OWN)
        if (lines := [node.lineno for node in looked_into(ast.parse(path.read_text()))])
    }
    assert found == {}


@pytest.mark.parametrize(
    "code",
    [
        "response.answer['relations']",
        "answer.get('right')",
        "Response.objects.filter(answer__none=True)",
        "Q(responses__answer__right=True)",
        "cursor.execute(\"SELECT response.answer -> 'relations'\")",
        "cursor.execute(\"SELECT answer ->> 'right'\")",
    ],
)
def test_a_name_of_what_an_answer_holds_is_seen(code: str) -> None:
    assert list(looked_into(ast.parse(code)))


@pytest.mark.parametrize(
    "code",
    ["answers['relations']", "answer.get(key)", "found.filter(answer=None)", "Q(answer__isnull=False)"],
)
def test_an_answer_as_a_whole_may_be_handled(code: str) -> None:
    assert not list(looked_into(ast.parse(code)))


def looked_into(tree: ast.AST) -> Iterator[ast.expr | ast.keyword]:
    """List where code names a field of an answer."""
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(value=of, slice=ast.Constant(value=str())) if _last(of) == "answer":
                yield node
            case ast.Call(func=ast.Attribute(value=of, attr="get" | "pop"), args=[ast.Constant(), *_]) if (
                _last(of) == "answer"
            ):
                yield node
            case ast.keyword(arg=str(name)) if re.search(r"(^|__)answer__(?!isnull$)", name):
                yield node
            case ast.Constant(value=str(text)) if re.search(r"\banswer\s*(->|#>|@>)", text):
                yield node


def told_apart(tree: ast.AST) -> Iterator[ast.expr | ast.pattern]:
    """List where code does one thing or another by the kind of a question."""
    imported = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith(("annotations.kinds.", "annotations.models.kind_names"))
        for alias in node.names
    }

    def _is_constant(node: ast.expr) -> bool:
        """Say whether it is a constant of a kind: imported, or of a module or an enum of kinds."""
        match node:
            case ast.Attribute(value=of, attr=name):
                return name in CONSTANTS and _last(of) in HOLDERS
            case ast.Name(id=name):
                return name in CONSTANTS & imported
        return False

    def _names_kind(keyword: ast.keyword) -> bool:
        return bool(_KIND.search(keyword.arg or "")) and (
            _is_name(keyword.value) or _is_constant(keyword.value)
        )

    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, comparators=others):
                sides = [part for side in (left, *others) for part in _parts(side)]
                named = any(map(_is_of_kind, sides)) and any(map(_is_name, sides))
                if named or any(map(_is_class, sides)) or any(map(_is_constant, sides)):
                    yield node
            case ast.Call(func=ast.Name("isinstance"), args=[_, classes]) if any(
                map(_is_class, _parts(classes))
            ):
                yield node
            case ast.Dict(keys=keys) if any(key and (_is_class(key) or _is_constant(key)) for key in keys):
                yield node
            case ast.Subscript(value=ast.Dict(keys=keys), slice=of) if _is_of_kind(of) and any(
                key and _is_name(key) for key in keys
            ):
                yield node
            case ast.Call(func=ast.Attribute(value=of, attr="count" | "index"), args=[name]) if _is_of_kind(
                of
            ) and (_is_name(name) or _is_constant(name)):
                yield node
            case ast.Call(func=ast.Attribute(attr="exclude"), keywords=keywords) if any(
                _names_kind(keyword) for keyword in keywords
            ):
                yield node
            case ast.UnaryOp(op=ast.Invert(), operand=ast.Call(keywords=keywords)) if any(
                _names_kind(keyword) for keyword in keywords
            ):
                yield node
            case ast.MatchClass(cls=cls) if _is_class(cls):
                yield node
            case ast.MatchValue(value=value) if _is_name(value) or _is_constant(value):
                yield node
            case ast.Constant(value=str(text)) if _SQL.search(text):
                yield node


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    """List what stands in a tuple, a list, a set or a union, or else the expression itself."""
    match node:
        case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
            for element in elements:
                yield from _parts(element)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            yield from _parts(left)
            yield from _parts(right)
        case _:
            yield node


def _last(node: ast.expr) -> str:
    """Return the last word of a dotted name."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _is_class(node: ast.expr) -> bool:
    return _last(node) in QUESTIONS


def _is_of_kind(node: ast.expr) -> bool:
    return bool(_KIND.search(_last(node)))


def _is_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value in KINDS
