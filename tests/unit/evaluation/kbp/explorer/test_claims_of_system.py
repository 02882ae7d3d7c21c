from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.kbp.explorer.claims_of_system import MARGIN, NEAR, window
from evaluation.kbp.explorer.statements import Piece, state
from evaluation.kbp.explorer.verdicts import Verdict
from kbpo_formats.spans import Span
from tests.ontologies import TAC

BORN = TAC.relations_by_name["per:place_of_birth"].statement
PARENT = TAC.relations_by_name["per:parents"].statement


def words(pieces):
    return "".join(piece.text for piece in pieces)


def test_a_claim_is_said_in_plain_words():
    assert words(state(BORN, Piece("Ann"), Piece("Lyon"))) == "Ann was born in Lyon"


def test_a_statement_may_begin_with_its_object():
    assert words(state(PARENT, Piece("Ann"), Piece("Bo"))) == "Bo is a parent of Ann"


@pytest.mark.parametrize("predicate", TAC.relations_by_name)
def test_every_relation_names_each_mention_once(predicate):
    subject, object_ = Piece("S", Span(0, 1)), Piece("O", Span(2, 3))
    pieces = state(TAC.relations_by_name[predicate].statement, subject, object_)
    assert sorted(piece.text for piece in pieces if piece.span) == ["O", "S"]


def test_a_mention_that_holds_a_placeholder_is_left_alone():
    assert words(state(BORN, Piece("{object}"), Piece("Lyon"))) == "{object} was born in Lyon"


SENTENCES = [Span(0, 20), Span(21, 60), Span(61, 90)]


def test_one_sentence_is_shown_for_two_mentions_in_it():
    assert window("x" * 90, SENTENCES, Span(25, 30), Span(40, 44)) == [Span(21, 60)]


def test_mentions_in_two_sentences_show_both():
    assert window("x" * 90, SENTENCES, Span(70, 75), Span(5, 8)) == [Span(0, 90)]


def test_mentions_far_apart_are_shown_in_two_stretches():
    text = "x" * (3 * NEAR)
    sentences = [Span(start, start + 100) for start in range(0, len(text), 100)]
    assert window(text, sentences, Span(10, 15), Span(1010, 1015)) == [Span(0, 100), Span(1000, 1100)]


def test_a_long_sentence_is_cut_off_beyond_its_margin():
    text = "x" * 2000
    assert window(text, [Span(0, 2000)], Span(1000, 1010), Span(1020, 1030)) == [
        Span(1000 - MARGIN, 1030 + MARGIN)
    ]


@given(st.data())
def test_what_is_shown_holds_both_mentions(data):
    length = data.draw(st.integers(2, 3000))
    ends = st.integers(0, length)
    mention = st.tuples(ends, ends).filter(lambda pair: pair[0] < pair[1]).map(lambda pair: Span(*pair))
    first, second = data.draw(mention), data.draw(mention)
    cuts = sorted({0, length, *data.draw(st.lists(ends, max_size=6))})
    sentences = [Span(a, b) for a, b in pairwise(cuts)]
    shown = window("x" * length, sentences, first, second)
    for span in (first, second):
        assert any(stretch.contains(span) for stretch in shown)


@pytest.mark.parametrize(
    ("verdict", "outcome"),
    [
        (Verdict(True, True, True), "right"),
        (Verdict(True, True, None, has_object=False), "right"),
        (Verdict(False, None, None), "wrong"),
        (Verdict(None, False, True), "wrong"),
        (Verdict(True, True, None), "sealed"),
        (Verdict(), "sealed"),
    ],
)
def test_a_claim_is_right_if_all_of_it_is_and_wrong_if_any_of_it_is(verdict, outcome):
    assert verdict.outcome == outcome
