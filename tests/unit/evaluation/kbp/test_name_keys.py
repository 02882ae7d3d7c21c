"""The rules of names: which word names, how far a name goes, and what two spans have in common."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.kbp import name_keys
from evaluation.kbp.name_keys import Names, digest, fold

Names("D", "Ada 𝐀").key(0, 1)  # the classes of characters are made once, outside of any deadline


def key(text: str) -> str:
    """Return the key of what stands between brackets, without them."""
    start = text.index("[")
    end = text.index("]") - 1
    return Names("D", text.replace("[", "").replace("]", "")).key(start, end)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("met [Ada] Quill there", "ada quill"),
        ("met Ada [Quill] there", "ada quill"),
        ("met Ada Qui[l]l there", "ada quill"),
        ("met [the old Ada Quill and] her", "ada quill"),
        ("the [University] of Port Hallow was", "university of port hallow"),
        ("the University of Port [Hallow] was", "port hallow"),
        ("the [Isle] of the Dead lies", "isle of the dead"),
        ("the [Isle] of the de la Dead lies", "isle"),
        ("[Procter] & Gamble sell", "procter & gamble"),
        ("the [Rand] of", "rand"),
        ("[Ada], Ben", "ada"),
        ("Ada. [Ben] left", "ben"),
        ("from [1916] – 1984 there", "1916 1984"),
        ("from [1916]– 1984 there", "1916"),
        ("(born [1916]) Ada", "1916"),
        ("in [May 12], 1990", "may 12"),
        ("[Ada's] boat", "ada"),
        ("[ADA’S] boat", "ada"),
        ("[Zoë\u200b] left", "zoë"),
        ("a [Chicago-based] firm", "chicago-based"),
        ("a [Chicago\u2011based] firm", "chicago-based"),
        ("in [東京] today", "東京"),
        ("born [Ada\n\nQuill] in", "ada quill"),
        ("[AT&T] said", "at&t"),
    ],
)
def test_a_span_has_the_key_of_the_whole_name_that_it_touches(text: str, expected: str) -> None:
    assert key(text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("then [she] left", "she"),
        ("[She] left", "she"),
        ("as [her own] boat", "her own"),
        ("then [She's] off", "she"),
        ("[I] left", "i"),
        ("THEN [SHE] LEFT", "she"),
        ("and[,] so", ""),
    ],
)
def test_a_span_without_a_name_is_known_in_its_document_alone(text: str, words: str) -> None:
    assert key(text) == f"\tD\t{words}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("the [US] army", "us"), ("the [WHO] said\nSO", "who"), ("THE [WHO]\nsaid", "\tD\twho")],
)
def test_a_function_word_in_capitals_names_where_its_line_has_lower_case(text: str, expected: str) -> None:
    assert key(text) == expected


def test_all_names_of_a_document_are_found_once() -> None:
    names = Names("D", "Ada Quill met Ben of Port Hallow; Ada Quill left Port Hallow. She did.")
    assert names.all() == {"ada quill", "ben of port hallow", "port hallow"}


texts = st.lists(
    st.sampled_from(
        ["Ada", "of", "the", "left", "–", "(Ben)", "US", "IT", "&", "she", "1990,", "\n", "ª", "𝐀x"]
    ),
    min_size=1,
    max_size=12,
).map(" ".join)


@given(texts, st.data())
def test_every_span_within_a_name_has_its_key(text: str, data: st.DataObject) -> None:
    names = Names("D", text)
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    found = names.key(start, end)
    assert found == Names("D", text).key(start, end)
    if not found.startswith("\t"):
        assert found in names.all()


def test_characters_that_belong_to_words_are_letters_marks_and_digits() -> None:
    bare = name_keys._bare_word(True)
    for code in range(0, sys.maxunicode + 1, 7):
        character = chr(code)
        belongs = unicodedata.category(character)[0] in "LMN"
        assert bool(bare.fullmatch(character)) == belongs, hex(code)


def test_folding_is_of_no_further_effect_on_what_is_folded() -> None:
    assert all(fold(fold(word)) == fold(word) for word in ("O\u2019Neill\u2019s", "ﬁn", "STRASSE", "Zoë"))


def test_a_digest_tells_names_from_what_names_nobody() -> None:
    assert digest("ada") >= 0 > digest("\tD\tshe")
    assert digest("ada") == digest("ada") != digest("ben")
