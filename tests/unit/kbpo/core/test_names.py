"""Names have no characters that are not seen, and are told apart by how they look."""

import pytest

from kbpo.core.errors import InvalidInput
from kbpo.core.names import find_lookalike, read_name

UNSEEN = [
    "\u200b",
    "\u202egnirts",
    "\x07bell",
    "\x1b[31mred",
    "pass\u200bword",
    "a\u2060b",
    "\u2800",
    "Wren\U000e0041",
    "a\ufeff",
    "\u3164",
    "a\ufffe",
    "\ud800",
]


@pytest.mark.parametrize("name", UNSEEN, ids=ascii)
def test_a_name_with_a_character_that_is_not_seen_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="cannot be seen, turns the direction of text"):
        read_name(name, of="A team's name", longest=100)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("  Wren\n lab ", "Wren lab"),
        ("Re\u0301seau", "R\u00e9seau"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("林华 NLP", "林华 NLP"),
        ("हिन्दी", "हिन्दी"),
        ("O'Neill & Søn 2.0 (β)", "O'Neill & Søn 2.0 (β)"),
    ],
)
def test_a_name_is_kept_in_nfc_with_single_spaces(given: str, kept: str) -> None:
    assert read_name(given, of="A team's name", longest=100) == kept


@pytest.mark.parametrize(("given", "length"), [("", 0), (" ", 0), ("x" * 101, 101)])
def test_a_name_of_the_wrong_length_is_refused(given: str, length: int) -> None:
    with pytest.raises(InvalidInput, match=f"A team's name has 1 to 100 characters.* {length}\\."):
        read_name(given, of="A team's name", longest=100)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Wren", "wREN"),
        ("Wren", "Wr\u0435n"),  # a Cyrillic letter
        ("Wren", "\uff37ren"),  # as wide as a Chinese one
        ("Wren", "\U0001d416ren"),  # in bold
        ("Iris", "lris"),
        ("Team 0", "Team O"),
        ("\u0421\u0415\u0422\u042c", "CETb"),
        ("R\u00e9seau", "Re\u0301seau"),
        ("Corner", "Comer"),
        ("wren 1", "Wren I"),
        ("IBM", "lbm"),
        ("Wren", "Wr\u0435\u200dn"),
        ("Wren", "Wr\u0435\ufe0fn"),
        ("Команда", "Команда\u034f"),
        ("林华", "林\U000e0100华"),
    ],
)
def test_names_that_look_alike_are_found(one: str, other: str) -> None:
    assert find_lookalike(one, ["Heron", other]) == other
    assert find_lookalike(other, ["Heron", one]) == one


@pytest.mark.parametrize(("one", "other"), [("Wren", "Wren 2"), ("Réseau", "Reseau"), ("KBP-A", "KBP-B")])
def test_names_that_are_told_apart_are_let_be(one: str, other: str) -> None:
    assert find_lookalike(one, [other]) is None
