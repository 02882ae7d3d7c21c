from hypothesis import given
from hypothesis import strategies as st

from kbpo.core.marking import Mark, cut, merge
from kbpo_formats.spans import Span

TEXT = "Bank of England grew"
BANK = Mark(Span(0, 15), "ORG", "organization")
CITY = Mark(Span(8, 15), "GPE", "place")


def shape(segments):
    return [(segment.text, [mark.kind for mark in segment.marks]) for segment in segments]


def test_a_text_without_marks_is_one_stretch():
    assert shape(cut(TEXT, [])) == [(TEXT, [])]


def test_a_nested_mark_lies_inside_the_wider_one():
    assert shape(cut(TEXT, [CITY, BANK])) == [
        ("Bank of ", ["ORG"]),
        ("England", ["ORG", "GPE"]),
        (" grew", []),
    ]


def test_marks_that_cross_share_the_stretch_between():
    left, right = Mark(Span(0, 7), "ORG", ""), Mark(Span(5, 15), "GPE", "")
    assert shape(cut(TEXT, [right, left])) == [
        ("Bank ", ["ORG"]),
        ("of", ["GPE", "ORG"]),
        (" England", ["GPE"]),
        (" grew", []),
    ]


def test_a_mark_opens_once():
    opens = [mark for segment in cut(TEXT, [BANK, CITY, BANK]) for mark in segment.opens]
    assert opens == [BANK, CITY]


def test_a_mark_that_reaches_into_the_window_opens_at_its_edge():
    (first, *_) = cut(TEXT, [BANK], Span(5, 20))
    assert (first.text, first.opens) == ("of England", (BANK,))


def test_a_mark_outside_the_window_is_left_out():
    assert shape(cut(TEXT, [BANK], Span(16, 20))) == [("grew", [])]


def test_one_span_with_two_types_becomes_one_mark():
    place = Mark(Span(8, 15), "GPE", "place")
    person = Mark(Span(8, 15), "PER", "person")
    assert merge([person, place, person]) == [Mark(Span(8, 15), "GPE PER", "place or person")]


@st.composite
def marked_texts(draw):
    text = draw(st.text(max_size=40))
    ends = st.integers(0, len(text))
    spans = draw(st.lists(st.tuples(ends, ends).filter(lambda pair: pair[0] < pair[1]), max_size=8))
    kinds = st.sampled_from(["PER", "ORG", "GPE"])
    marks = [Mark(Span(*span), draw(kinds), "") for span in spans]
    return text, marks, Span(*sorted((draw(ends), draw(ends))))


@given(marked_texts())
def test_the_stretches_make_up_the_window(given_):
    text, marks, window = given_
    assert "".join(segment.text for segment in cut(text, marks, window)) == text[window.start : window.end]


@given(marked_texts())
def test_every_character_lies_under_exactly_its_marks(given_):
    text, marks, window = given_
    place = window.start
    for segment in cut(text, marks, window):
        for offset in range(place, place + len(segment.text)):
            assert set(segment.marks) == {m for m in marks if m.span.start <= offset < m.span.end}
        place += len(segment.text)
