"""What was kept, removed and added, word by word."""

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.texts.tokens import tokens
from annotations.texts.word_diff import Change, Piece, word_diff
from kbpo_formats.normal import nfc

TEXTS = st.text(alphabet="ab .'\n\ud800\u202e中", max_size=30)


def test_an_edit_is_told_word_by_word() -> None:
    found = word_diff("The cat sat on on the mat.", "The cat sat on the red mat!")
    assert [(piece.change.value, piece.text) for piece in found] == [
        ("kept", "The cat sat on"),
        ("removed", " on"),
        ("kept", " the"),
        ("added", " red"),
        ("kept", " mat"),
        ("removed", "."),
        ("added", "!"),
    ]


def test_white_space_alone_is_no_change() -> None:
    assert word_diff("a  b", "a b\n") == [Piece(Change.KEPT, "a b\n")]


@given(TEXTS, TEXTS)
def test_what_is_kept_and_added_is_the_edit_and_what_is_kept_and_removed_has_the_words(
    text: str, edit: str
) -> None:
    pieces = word_diff(text, edit)
    assert "".join(piece.text for piece in pieces if piece.change != Change.REMOVED) == nfc(edit)
    before = [token for piece in pieces if piece.change != Change.ADDED for token in tokens(piece.text)]
    assert "".join(before) == "".join(tokens(nfc(text)))
    assert all(one.change != other.change for one, other in pairwise(pieces))


def test_another_coding_of_the_same_letters_is_no_change() -> None:
    assert word_diff("Caf\u00e9 la", "Cafe\u0301 la!") == [
        Piece(Change.KEPT, "Caf\u00e9 la"),
        Piece(Change.ADDED, "!"),
    ]


@given(TEXTS)
def test_the_same_text_is_kept(text: str) -> None:
    assert all(piece.change == Change.KEPT for piece in word_diff(text, text))


RNG = Random(1)
MANY = [str(RNG.randrange(600)) for _ in range(2_000)]


@pytest.mark.slow
@pytest.mark.parametrize("edit", [sorted(MANY), MANY * 100, ["a"] * 200_000, ["x" * 100_000]], ids=len)
def test_long_edits_are_told_whole(edit: list[str]) -> None:
    pieces = word_diff(" ".join(MANY), " ".join(edit))
    assert "".join(piece.text for piece in pieces if piece.change != Change.REMOVED) == " ".join(edit)
