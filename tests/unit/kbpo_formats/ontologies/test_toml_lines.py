"""Where keys and values stand in a TOML file."""

import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kbpo_formats.ontologies.toml_lines import find_lines
from tests.conftest import ROOT

TEXT = '''# a comment with a [bracket]
title = "one" # and another = 1

dotted . "key x" = 1
[table."with.dot"]
list = [ 1, # first
  "two ] \\" [",
  { inner = 3, 'other' = [ 4 ] },
  [5,
   6],
]
many = """
[not.a.table]
a = "b""""
literal = \'\'\'
it''s = x\'\'\'\'
date = 1979-05-27 07:32:00
[[rows]]
a = 1
[[rows.inner]]
b = 1
[[rows.inner]]
b = 2
[rows.table]
c = 3
[[rows]]
[[rows.inner]]
b = 3
[table.deeper]
d = 4
'''


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("title",), 2),
        (("dotted",), 4),
        (("dotted", "key x"), 4),
        (("table", "with.dot"), 5),
        (("table", "with.dot", "list", 0), 6),
        (("table", "with.dot", "list", 1), 7),
        (("table", "with.dot", "list", 2, "inner"), 8),
        (("table", "with.dot", "list", 2, "other", 0), 8),
        (("table", "with.dot", "list", 3, 1), 10),
        (("table", "with.dot", "many"), 12),
        (("table", "with.dot", "literal"), 15),
        (("table", "with.dot", "date"), 17),
        (("rows", 0, "a"), 19),
        (("rows", 0, "inner", 1, "b"), 23),
        (("rows", 0, "table", "c"), 25),
        (("rows", 1), 26),
        (("rows", 1, "inner", 0, "b"), 28),
        (("table", "deeper", "d"), 30),
    ],
    ids=str,
)
def test_each_key_and_value_has_its_line(path: tuple[str | int, ...], line: int, end: str) -> None:
    assert find_lines(TEXT.replace("\n", end))[path] == line


def paths_of(value: Any, path: tuple[str | int, ...] = ()) -> set[tuple[str | int, ...]]:
    """List the way to everything in a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return {path, *(found for key, one in inner for found in paths_of(one, (*path, key)))}


def test_everything_that_is_read_has_a_line() -> None:
    assert set(find_lines(TEXT)) == paths_of(tomllib.loads(TEXT)) - {()}


@pytest.mark.parametrize("name", ["tac-kbp-2", "knowledgenet", "wikidata"])
def test_everything_in_the_examples_has_a_line(name: str) -> None:
    text = (ROOT / "docs" / "ontologies" / f"{name}.toml").read_text(encoding="utf-8")

    assert set(find_lines(text)) == paths_of(tomllib.loads(text)) - {()}


SIGNS = ["a", "b", ".", "=", "1", "[", "]", "[[", "]]", "{", "}", ",", '"', "'", "\\", "true", "1979-05-27"]
WORDS = ['"a"', "'b'", '"x"', "'''", *SIGNS]
LINES = ["\n", "\r\n", '"""', " = ", "# c\n", "a = 1\n", "[[a]]\n", "[a.b]\n", "c = [1, 2]\n"]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from([*WORDS, *LINES]), max_size=25).map("".join))
def test_whatever_is_toml_has_lines_for_everything_in_it(text: str) -> None:
    try:
        values = tomllib.loads(text)
    except ValueError:
        return
    assert set(find_lines(text)) == paths_of(values) - {()}
