from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbpo_formats.corpus import Texts
from kbpo_formats.kbp.overlapping import find_overlapping
from kbpo_formats.kbp.predictions import Predictions
from kbpo_formats.spans import Span
from tests.unit.evaluation.kbp.test_sent import PREDICTION
from tests.unit.kbpo_formats.kbp.tac.kb import NEXT, extend

MENTIONS = (':A | mention | "Ann Lee" | D1:0-6', ':A | nominal_mention | "the boss" | D1:50-57')


def claim(subject, object, confidence=0.5, **others):
    return PREDICTION._replace(
        subject=Span(*subject), object=Span(*object), confidence=confidence, provenance="", **others
    )


WORDLESS = Texts({"D": "." * 100, "E": "." * 100})


def left_out(*claims, documents=WORDLESS):
    return find_overlapping(Predictions(claims), documents)


def left_out_of(text, *mentions):
    """Say which claims are left out, whose subjects and objects are these words of a text."""
    spans = [[(text.index(one), text.index(one) + len(one)) for one in pair] for pair in mentions]
    return left_out(*(claim(*pair) for pair in spans), documents=Texts({"D": text}))


@pytest.mark.parametrize(
    ("other", "is_same"),
    [
        (claim((2, 5), (9, 12)), True),
        (claim((3, 5), (9, 12)), False),
        (claim((2, 5), (10, 12)), False),
        (claim((2, 5), (9, 12), doc_id="E"), False),
        (claim((2, 5), (9, 12), predicate="per:spouse"), False),
    ],
    ids=["by a character each", "not the subject", "not the object", "in two documents", "two predicates"],
)
def test_claims_are_one_where_both_their_spans_overlap(other, is_same):
    assert left_out(claim((0, 3), (7, 10)), other) == ({1: 0} if is_same else {})


def test_the_most_confident_counts_and_among_equals_the_first_of_the_file():
    assert left_out(
        claim((0, 3), (7, 10), 0.4), claim((0, 4), (7, 10), 0.6), claim((0, 5), (7, 10), 0.6)
    ) == {
        0: 1,
        2: 1,
    }


def test_a_claim_that_overlaps_only_what_does_not_count_counts_itself():
    assert left_out(claim((0, 3), (7, 9), 0.9), claim((2, 5), (7, 9), 0.8), claim((4, 6), (7, 9), 0.7)) == {
        1: 0
    }


def test_letters_and_words_of_one_name_are_no_claims_of_their_own():
    text = "John F. Kennedy of Hyannis wed Ann Lee-Byron on July 4, 1990."
    claims = [
        ("John F. Kennedy", "Lee"),
        ("J", "Ann"),
        ("F", "Byron"),
        ("Kennedy", "Ann"),
        ("Hyannis", "Ann"),
    ]
    assert left_out_of(text, *claims) == {1: 0, 2: 0, 3: 0}


def test_pieces_of_a_date_and_of_a_word_are_no_claims_of_their_own():
    text = "He, once a clerk, died on July 4, 1990 or 1991-07-05."
    claims = [("He", "July 4, 1990"), ("e", "July"), ("H", "1990"), ("He", "1991"), ("He", "05")]
    assert left_out_of(text, *claims) == {1: 0, 2: 0, 4: 3}
    assert left_out_of(text, ("He", "cl"), ("He", "rk")) == {1: 0}


@pytest.mark.parametrize(
    ("text", "one", "other"),
    [
        ("Ann Lee, Bo Ek and Cy May", "Lee", "Bo"),
        ("Ann Lee\nBo Ek", "Lee", "Bo"),
        ("NYU's Courant Institute", "NYU", "Courant"),
        ("University of Oxford", "University", "Oxford"),
        ("a lawyer and judge", "lawyer", "judge"),
        ("from 1972-1982", "1972", "1982"),
        ("Boeing 787 Dreamliner", "Boeing", "Dreamliner"),
        ("The Spartans", "The", "Spartans"),
        ("張三和李四結婚", "張三", "李四"),
        ("ANN LEE MET BO EK AND CY MAY " * 6, "LEE", "BO"),
    ],
)
def test_what_may_be_two_things_is_two_claims(text, one, other):
    assert left_out_of(f"Xy: {text}.", ("Xy", one), ("Xy", other)) == {}


def test_many_pieces_of_a_name_are_found_as_a_few_are():
    text = "Wilhelmina Featherstonehaugh wed Maximilian Abercrombie."
    pieces = [(place, place + 1) for place in range(28) if text[place] != " "]
    claims = [claim(one, (place, place + 1)) for one in pieces for place in (33, 44, 54)]
    assert left_out(*claims, documents=Texts({"D": text})) == dict.fromkeys(range(1, len(claims)), 0)


@given(
    st.lists(
        st.builds(
            lambda a, b, c, d, confidence: claim((a, a + b), (c, c + d), confidence / 4),
            *(st.integers(0, 40), st.integers(1, 20), st.integers(0, 40), st.integers(1, 20)),
            st.integers(1, 4),
        ),
        max_size=40,
    )
)
def test_many_claims_are_compared_as_a_few_are(claims):
    def same(one, other):
        return all(
            a.start < b.end and b.start < a.end
            for a, b in ((one.subject, other.subject), (one.object, other.object))
        )

    found = left_out(*claims)
    order = sorted(range(len(claims)), key=lambda i: (-claims[i].confidence, i))
    counting = [i for i in order if i not in found]
    assert not any(same(claims[i], claims[j]) for i, j in combinations(counting, 2))
    for i, j in found.items():
        assert j == next(k for k in counting if same(claims[i], claims[k]))
        assert order.index(j) < order.index(i)


def test_what_is_left_out_is_a_warning_on_its_line_and_makes_no_prediction():
    reading = extend(
        *MENTIONS,
        ':A | per:title | "boss" | D1:60-63,D1:0-2 | 0.5',
        ':A | per:title | "bos" | D1:60-62,D1:0-6 | 0.7',
    )
    assert reading.accepted
    (problem,) = (one for one in reading.problems if one.code == "OVERLAPPING_CLAIM")
    assert (problem.line, problem.severity) == (NEXT + 2, "WARNING")
    assert f"line {NEXT + 3}" in problem.message
    assert [one.line for one in reading.predictions] == [NEXT + 3]
    assert (reading.counts["instances"], reading.counts["overlapping"]) == (1, 1)
