from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


def left_out(*claims):
    return find_overlapping(Predictions(claims))


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
