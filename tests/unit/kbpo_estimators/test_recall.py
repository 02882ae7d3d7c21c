import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbpo.core.errors import InvalidInput
from kbpo_estimators.document_samples import SimpleRandom
from kbpo_estimators.recall import document_recall

documents = st.lists(
    st.integers(0, 9).flatmap(lambda t: st.tuples(st.just(t), st.integers(0, t))), min_size=2, max_size=12
)


def test_recall_is_the_share_of_all_true_relations():
    recall = document_recall([4, 0, 2, 2], [2, 0, 2, 0], SimpleRandom(8))
    assert recall.estimate == 0.5


def test_the_variance_by_hand():
    # r̂ = ½, t̄ = 2: z = (2 − 2, 0, 2 − 1, 0 − 1)/2 = 0, 0, ½, −½; C = (1 − 4/8) · ½ / (4 · 3).
    recall = document_recall([4, 0, 2, 2], [2, 0, 2, 0], SimpleRandom(8))
    assert recall.residuals == pytest.approx([0, 0, 0.5, -0.5])
    assert recall.variance == pytest.approx(0.25 / 12)


def test_degrees_of_freedom_leave_out_documents_without_true_relations():
    assert document_recall([4, 0, 2, 2], [2, 0, 2, 0], SimpleRandom(8)).degrees_of_freedom == 2


def test_a_census_has_no_variance():
    recall = document_recall([4, 0, 2], [1, 0, 2], SimpleRandom(3))
    assert (recall.variance, recall.n_eff) == (0.0, math.inf)


def test_without_a_true_relation_recall_is_not_estimable():
    assert document_recall([0, 0], [0, 0], SimpleRandom(5)) is None


def test_one_document_with_true_relations_is_an_estimate():
    recall = document_recall([3, 0], [1, 0], SimpleRandom(5))
    assert (recall.variance, recall.degrees_of_freedom) == (0.0, 0)


@given(documents=documents)
def test_residuals_sum_to_zero(documents):
    true, found = zip(*documents, strict=True)
    recall = document_recall(true, found, SimpleRandom(20))
    assert recall is None or abs(recall.residuals.sum()) < 1e-9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([3], [1], SimpleRandom(9)), "documents: has 1 documents; a variance needs at least two"),
        (([], [], SimpleRandom(9)), "documents: has 0 documents"),
        (([3, 1], [1], SimpleRandom(9)), "found: has 1 values where the other arguments have 2"),
        (([3, 1], [1, 2], SimpleRandom(9)), "found: 2 of 1 true relations at position 1"),
        (([3, 1.5], [1, 1], SimpleRandom(9)), "true: the value 1.5 at position 1"),
        (([3, -1], [1, 0], SimpleRandom(9)), "true: the value -1.0 at position 1"),
        (([3, 1], [1, 1], SimpleRandom(1)), "population: is 1; at least the 2 sampled documents"),
    ],
)
def test_a_wrong_argument_is_named(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        document_recall(*arguments)


def test_rounding_is_not_taken_for_variance():
    # 1 − (1/49) · 49 is 1.1e-16, not 0.
    assert document_recall([49, 49, 0], [1, 1, 0], SimpleRandom(10)).variance == 0.0
