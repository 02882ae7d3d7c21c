import itertools

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from kbpo.core.errors import InvalidInput
from kbpo_estimators.document_samples import (
    SimpleRandom,
    TwoPhase,
    draw_documents,
    second_phase_probabilities,
    tfidf_scores,
)

# The documents


def test_the_drawn_documents_do_not_depend_on_the_order_of_the_corpus():
    documents = [f"D{i}" for i in range(40)]
    assert draw_documents(documents[::-1], 10, seed=3) == draw_documents(documents, 10, seed=3)


def test_drawn_documents_are_distinct_and_as_many_as_asked():
    drawn = draw_documents([f"D{i}" for i in range(40)], 10, seed=3)
    assert len(set(drawn)) == 10


def test_all_documents_can_be_drawn():
    assert draw_documents(["b", "a"], 2, seed=0) == ["a", "b"]


def test_every_document_is_drawn_equally_often():
    documents = [f"D{i}" for i in range(8)]
    counts = dict.fromkeys(documents, 0)
    for seed in range(2_000):
        for document in draw_documents(documents, 3, seed):
            counts[document] += 1
    # Without replacement the statistic is smaller than χ² by the factor 1 − 3/8.
    statistic = stats.chisquare(list(counts.values())).statistic / (1 - 3 / 8)
    assert stats.chi2.sf(statistic, 7) > 1e-3


def test_more_documents_than_there_are_is_refused():
    with pytest.raises(InvalidInput, match="n: is 3; there are only 2 documents"):
        draw_documents(["a", "b"], 3, seed=0)


def test_a_repeated_document_is_refused():
    with pytest.raises(InvalidInput, match="doc_ids: 'a' occurs more than once"):
        draw_documents(["a", "b", "a"], 1, seed=0)


# One phase


def test_the_covariance_of_a_mean_is_exact_over_every_sample():
    # For known residuals the mean's variance over all samples of n of N is (1 − n/N) S²/n.
    z = np.array([1.0, -2.0, 3.0, 0.0, -2.0])
    means = [np.mean(chosen) for chosen in itertools.combinations(z, 3)]
    samples = [np.array(chosen) for chosen in itertools.combinations(z, 3)]
    expected = [SimpleRandom(5).covariance(one - one.mean(), one - one.mean()) for one in samples]
    assert np.mean(expected) == pytest.approx(np.var(means))


def test_the_covariance_is_symmetric():
    a, b = [1.0, -2.0, 1.0], [0.5, 0.5, -1.0]
    assert SimpleRandom(9).covariance(a, b) == SimpleRandom(9).covariance(b, a)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: SimpleRandom(0), "population: is 0"),
        (lambda: SimpleRandom(9).covariance([1.0], [1.0]), "documents: has 1 documents"),
        (lambda: SimpleRandom(1).weights(2), "population: is 1; at least the 2"),
        (lambda: SimpleRandom(9).covariance([1.0, 2.0], [1.0]), "b: has 1 values"),
        (lambda: TwoPhase([True], [1.0], 9, 2), "first: has 1 documents of the first phase"),
        (lambda: TwoPhase([True, True, False], [1, 1, 0], 9, 3), "p2: the value 0.0 at position 2"),
        (lambda: TwoPhase([True, True, False], [1, 1, 1], 2, 3), "population: is 2"),
        (lambda: TwoPhase([True, True, False], [1, 1, 1], 9, 1), "planned: is 1"),
        (lambda: TwoPhase([True, True], [1], 9, 2), "p2: has 1 values"),
    ],
)
def test_a_wrong_argument_is_named(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()


# Two phases

TOTALS = np.array([3.0, 0.0, 5.0, 1.0, 2.0])


def two_phases(planned):
    """Every sample of 2 of 5 documents, then of the rest as those two suggest, and its probability."""
    for first in itertools.combinations(range(5), 2):
        rest = [document for document in range(5) if document not in first]
        p2 = 0.2 + 0.1 * TOTALS[list(first)].mean() * np.array([1.0, 0.3, 0.6])
        for taken in itertools.product([False, True], repeat=3):
            second = [document for document, one in zip(rest, taken, strict=True) if one]
            sample = TwoPhase(
                first=np.array([True, True] + [False] * len(second)),
                p2=np.concatenate([[1.0, 1.0], p2[list(taken)]]),
                population=5,
                planned=planned,
            )
            chance = np.prod(np.where(taken, p2, 1 - p2)) / 10
            yield [*first, *second], sample, float(chance)


@pytest.mark.parametrize("planned", [2, 3, 4])
def test_two_phases_estimate_every_total_without_bias(planned):
    mean = sum(
        chance * (sample.weights(len(drawn)) @ TOTALS[drawn]) for drawn, sample, chance in two_phases(planned)
    )
    assert mean == pytest.approx(TOTALS.sum(), abs=1e-12)


def test_unweighted_documents_of_two_phases_are_biased():
    mean = sum(chance * 5 * TOTALS[drawn].mean() for drawn, _, chance in two_phases(3))
    assert abs(mean - TOTALS.sum()) > 0.05


def test_the_weights_of_two_phases_by_hand():
    # ω = 2/4: first ½ · 10/2 + ½ = 3, second ½ / .25 = 2.
    sample = TwoPhase([True, True, False], [1, 1, 0.25], population=10, planned=4)
    assert sample.weights(3).tolist() == [3, 3, 2]


def test_the_covariance_of_two_phases_by_hand():
    # ω = ½: ¼ · (1 − 2/10) · (1 + 1)/2 = .2; ¼ · (1 − .25)/.25² · 2²/10² = .12.
    sample = TwoPhase([True, True, False], [1, 1, 0.25], population=10, planned=4)
    z = [1.0, -1.0, 2.0]
    assert sample.covariance(z, z) == pytest.approx(0.32)


def test_one_phase_is_two_phases_without_a_second():
    z = np.array([1.0, -3.0, 2.0])
    sample = TwoPhase([True] * 3, [1.0] * 3, population=10, planned=3)
    assert sample.weights(3) == pytest.approx(SimpleRandom(10).weights(3))
    assert sample.covariance(z, z) == pytest.approx(SimpleRandom(10).covariance(z, z))


@pytest.mark.parametrize(
    "sample", [SimpleRandom(30), TwoPhase([True] * 4 + [False] * 3, [0.5] * 7, population=30, planned=8)]
)
def test_factors_make_the_covariance(sample):
    a, b = np.random.default_rng(0).normal(size=(2, 7))
    assert (sample.factors(7) * a * b).sum() == pytest.approx(sample.covariance(a, b))


# The second phase's probabilities


def test_tfidf_by_hand():
    # Name 0 in 2 of 8 documents, name 1 in one: ln 4 and ln 8; twice in a document counts 1 + ln 2.
    scores = tfidf_scores([0, 1, 1], [1, 2, 1], [0, 0, 1], [2, 1], 3, 8)
    assert scores == pytest.approx([np.log(4), (1 + np.log(2)) * np.log(4) + np.log(8), 0])


def test_a_name_of_every_document_tells_none_apart():
    assert tfidf_scores([0, 1], [3, 1], [0, 0], [2], 2, 2).tolist() == [0, 0]


def test_probabilities_grow_with_the_score_above_a_floor_by_hand():
    # Floor .2 · 2/4 = .1; what is left, 2 − .4 = 1.6, is shared in proportion to 1 : 3 until the second is 1.
    p2 = second_phase_probabilities([0.0, 1.0, 3.0, 0.0], 2.0, 0.2)
    assert p2 == pytest.approx([0.1, 0.1 + 0.7, 1.0, 0.1])


def test_without_a_score_the_second_phase_is_uniform():
    assert second_phase_probabilities([0.0] * 4, 1.0).tolist() == [0.25] * 4


def test_documents_without_a_score_share_what_the_others_cannot_take():
    assert second_phase_probabilities([5.0, 0.0, 0.0], 2.0, 0.3) == pytest.approx([1, 0.5, 0.5])


@example(scores=[1.0, 2.3e-311], share=0.75, floor_share=0.5)  # too small to divide by
@given(
    scores=st.lists(st.floats(0, 1e6), min_size=1, max_size=30),
    share=st.floats(0.01, 1),
    floor_share=st.floats(0.01, 0.99),
)
def test_second_phase_probabilities_sum_to_what_is_expected(scores, share, floor_share):
    expected = share * len(scores)
    p2 = second_phase_probabilities(scores, expected, floor_share)
    assert p2.sum() == pytest.approx(expected, rel=1e-9)
    assert (p2 >= floor_share * share * (1 - 1e-12)).all()
    assert (p2 <= 1).all()
    order = np.argsort(scores, kind="stable")
    assert (np.diff(p2[order]) >= -1e-12).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tfidf_scores([0], [0], [0], [1], 1, 1), "times: the value 0.0"),
        (lambda: tfidf_scores([1], [1], [0], [1], 1, 1), "documents: the value 1.0"),
        (lambda: tfidf_scores([0], [1], [0], [2], 1, 1), "frequencies: the value 2.0"),
        (lambda: second_phase_probabilities([], 1.0), "scores: is empty"),
        (lambda: second_phase_probabilities([-1.0], 1.0), "scores: the value -1.0"),
        (lambda: second_phase_probabilities([1.0], 1.5), "expected: is 1.5"),
        (lambda: second_phase_probabilities([1.0], 1.0, 0.0), "floor_share: is 0.0"),
    ],
)
def test_what_a_second_phase_cannot_be_drawn_from_is_named(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
