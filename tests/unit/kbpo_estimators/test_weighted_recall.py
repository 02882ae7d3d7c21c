import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbpo.core.errors import InvalidInput
from kbpo_estimators.document_samples import SimpleRandom, TwoPhase
from kbpo_estimators.recall import document_recall
from kbpo_estimators.weighted_recall import WEIGHTED, TrueRelations, weigher, weighted_recalls
from kbpo_estimators.weighting import WEIGHTINGS

MACRO = [name for name in WEIGHTED if name != "instance"]


def relations(rows, documents):
    """From (document, subject, predicate, object) rows."""
    return TrueRelations(documents, *np.array(rows, dtype=np.int64).reshape(-1, 4).T)


def world(documents=10, seed=0):
    """Every document has a frequent predicate; others come in some, more of them where more is missed."""
    rng = np.random.default_rng(seed)
    rows, found = [], []
    for document in range(documents):
        for predicate, chance in enumerate((1.0, 0.6, 0.4)):
            for _ in range(rng.integers(1, 4) if rng.random() < chance else 0):
                subject = rng.integers(3) if rng.random() < 0.3 else 10 + document
                rows.append((document, subject, predicate, rng.integers(5)))
                found.append(rng.random() < (0.8, 0.3, 0.5)[predicate] - 0.03 * document)
    return relations(rows, documents), np.array([found, rng.random(len(found)) < 0.5])


def truth(true, found, weighting):
    weights = weigher(true, weighting)(np.ones(true.document.size))
    return found @ weights / weights.sum()


codes = st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(0, 2), st.integers(0, 3))


@pytest.mark.parametrize("weighting", WEIGHTED)
@given(rows=st.lists(codes, min_size=1, max_size=12))
def test_true_relations_weigh_as_claims_do(weighting, rows):
    true = relations(rows, 4)
    weights = weigher(true, weighting)(np.ones(len(rows)))
    keys = (list(map(str, column)) for column in (true.subject, true.predicate, true.object))
    assert weights / weights.sum() == pytest.approx(WEIGHTINGS[weighting](*keys))


def test_a_document_that_stands_for_two_counts_twice_in_the_numbers_of_a_relation():
    true = relations([(0, 0, 0, 0), (1, 1, 0, 1), (1, 1, 1, 2)], 2)
    assert weigher(true, "relation")(np.array([2.0, 1.0, 1.0])) == pytest.approx([1 / 3, 1 / 3, 1])


def test_what_does_not_count_weighs_nothing_and_makes_nobody_weigh_less():
    true = relations([(0, 0, 0, 0), (1, 0, 1, 1)], 2)
    left = np.array([1.0, 0.0])
    for weighting in WEIGHTED:
        assert weigher(true, weighting)(left).tolist() == [1, 0], weighting


def test_the_recall_of_a_relation_counts_once_however_many_true_relations_it_has():
    true = relations([(0, 0, 0, 0), (0, 1, 0, 1), (1, 2, 0, 2), (1, 3, 1, 3)], 2)
    (recall,) = weighted_recalls(true, np.array([[1, 0, 0, 1]], dtype=bool), SimpleRandom(2), "relation")
    assert recall.estimate == pytest.approx((1 / 3 + 1) / 2)


@pytest.mark.parametrize("weighting", WEIGHTED)
def test_where_all_documents_are_annotated_recall_is_the_truth(weighting):
    true, found = world()
    recalls = weighted_recalls(true, found, SimpleRandom(10), weighting)
    assert [one.estimate for one in recalls] == pytest.approx(truth(true, found, weighting))
    assert [(one.variance, one.n_eff) for one in recalls] == [(0.0, math.inf)] * 2


def test_the_residuals_by_hand():
    # One predicate in both documents, 1 of 2 and 1 of 1 found; without either the other's share is left.
    true = relations([(0, 0, 0, 0), (0, 0, 0, 1), (1, 1, 0, 0)], 2)
    (recall,) = weighted_recalls(true, np.array([[1, 0, 1]], dtype=bool), SimpleRandom(4), "relation")
    z = [2 / 3 - 1, 2 / 3 - 1 / 2]  # N/w − 1 = 1
    assert recall.residuals == pytest.approx(z)
    assert recall.estimate == pytest.approx(2 / 3 + 0.5 * sum(z) / 2)
    assert recall.variance == pytest.approx(0.5 * (z[0] ** 2 + z[1] ** 2) / 2)


def test_a_relation_that_stands_in_one_document_alone_moves_the_mean_as_it_goes():
    true = relations([(0, 0, 0, 0), (1, 0, 0, 0), (1, 0, 1, 0)], 3)
    (recall,) = weighted_recalls(true, np.array([[1, 1, 0]], dtype=bool), SimpleRandom(9), "relation")
    assert recall.residuals == pytest.approx([0, 2 * (1 / 2 - 1), 0])


def every_sample(weighting, n, documents=10):
    """Return the estimates and variances of both systems over every sample of n documents, and the truth."""
    true, found = world(documents)
    runs = []
    for drawn in itertools.combinations(range(documents), n):
        part, kept = true.take(np.array(drawn))
        recalls = weighted_recalls(part, found[:, kept], SimpleRandom(documents), weighting)
        weights = weigher(part, weighting)(np.ones(kept.size))
        plain = found[:, kept] @ weights / weights.sum()
        runs.append([[one.estimate, one.variance, ratio] for one, ratio in zip(recalls, plain, strict=True)])
    return np.moveaxis(np.array(runs), 2, 0), truth(true, found, weighting)


@pytest.mark.parametrize("weighting", MACRO)
def test_over_every_sample_the_mean_is_near_the_truth(weighting):
    (estimates, _, _), expected = every_sample(weighting, 6)
    assert (abs(estimates.mean(axis=0) - expected) < 0.2 * estimates.std(axis=0)).all()


def test_over_every_sample_the_plain_mean_of_ratios_is_further_off():
    (estimates, _, plain), expected = every_sample("relation", 6)
    assert abs(estimates.mean(axis=0) - expected).sum() < 0.6 * abs(plain.mean(axis=0) - expected).sum()


@pytest.mark.parametrize("weighting", MACRO)
def test_over_every_sample_the_variance_is_about_right_in_expectation(weighting):
    (estimates, variances, _), _ = every_sample(weighting, 6)
    assert variances.mean(axis=0) / estimates.var(axis=0) == pytest.approx(np.ones(2), rel=0.35)


def test_subjects_of_one_document_each_vary_as_a_ratio_of_sums_does():
    rng = np.random.default_rng(1)
    document = np.sort(rng.integers(60, size=150))
    every = np.arange(150)
    true = TrueRelations(60, document, every, np.zeros(150, dtype=np.int64), every)
    found = rng.random((1, 150)) < 0.4
    (recall,) = weighted_recalls(true, found, SimpleRandom(600), "subject")
    counts = np.bincount(document, minlength=60), np.bincount(document[found[0]], minlength=60)
    plain = document_recall(*counts, SimpleRandom(600))
    assert recall.estimate == pytest.approx(plain.estimate, abs=0.005)
    assert recall.variance == pytest.approx(plain.variance, rel=0.1)


def test_one_phase_is_two_phases_without_a_second():
    true, found = world()
    two = TwoPhase(np.ones(10, dtype=bool), np.ones(10), population=40, planned=10)
    for weighting in MACRO:
        one = weighted_recalls(true, found, SimpleRandom(40), weighting)
        other = weighted_recalls(true, found, two, weighting)
        assert [r.estimate for r in one] == pytest.approx([r.estimate for r in other])
        assert [r.variance for r in one] == pytest.approx([r.variance for r in other])


def test_documents_of_two_phases_count_for_as_many_as_they_stand_for():
    true = relations([(0, 0, 0, 0), (1, 1, 0, 1), (2, 2, 0, 2), (2, 2, 1, 2)], 3)
    sample = TwoPhase(np.array([True, True, False]), np.array([1.0, 1.0, 0.25]), population=10, planned=4)
    weights = sample.weights(3)[true.document] * weigher(true, "relation")(sample.weights(3)[true.document])
    (recall,) = weighted_recalls(true, np.array([[0, 1, 1, 0]], dtype=bool), sample, "relation")
    plain = weights[[1, 2]].sum() / weights.sum()
    correction = 0.7 * (sample.weights(3) @ recall.residuals) / 10
    assert recall.estimate == pytest.approx(plain + correction)


def test_without_a_true_relation_recall_is_not_estimable():
    assert weighted_recalls(relations([], 3), np.zeros((2, 0), dtype=bool), SimpleRandom(5), "relation") == [
        None,
        None,
    ]


def test_an_unknown_weighting_is_refused():
    with pytest.raises(InvalidInput, match="weighting: is 'verb'"):
        weigher(relations([(0, 0, 0, 0)], 1), "verb")
