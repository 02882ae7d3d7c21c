"""Planned variances: what is learnt from claims whose truth is known, and what follows for others."""

import numpy as np
import pytest

from kbpo.core.errors import InvalidInput
from kbpo_estimators import planned_variance
from kbpo_estimators.planned_variance import Claimant, Scale, features, fit

SCALES = {7: Scale(0.5, 0.1), 8: Scale(0.5, 0.0)}


def a_world(n=2000, seed=0):
    """Two teams; the first's confidence says how likely a claim holds."""
    rng = np.random.default_rng(seed)
    confidence = rng.beta(1, 1, n)
    correct = (rng.random(n) < confidence).astype(float)
    first = Claimant(1, np.arange(n), confidence)
    second = Claimant(2, np.flatnonzero(rng.random(n) < 0.3), np.ones(0))
    second = Claimant(2, second.rows, np.full(second.rows.size, 0.5))
    scales = {1: Scale.of(confidence, np.ones(n, dtype=int)), 2: Scale(0.5, 0.0)}
    return features(n, [first, second], scales, []), correct, rng.integers(0, 5, n), confidence


def test_a_team_has_a_unit_with_the_largest_confidence_of_its_systems():
    of_team = [
        Claimant(7, np.array([0, 1]), np.array([0.6, 0.4])),
        Claimant(7, np.array([1]), np.array([0.7])),
    ]
    other = Claimant(8, np.array([1, 2]), np.array([0.1, 0.9]))
    found = features(3, [*of_team, other], SCALES, []).toarray()
    # Team 7: has, confidence, by system; team 8: has, 0 for confidences all alike; two teams, three; mean.
    assert found == pytest.approx(
        np.array([[1, 1, 1, 0, 0, 0, 0, 0, 1], [1, 2, 1, 1, 1, 0, 1, 0, 1], [0, 0, 0, 0, 1, 0, 0, 0, 0]])
    )


def test_a_confidence_counts_as_at_most_three_standard_deviations():
    assert SCALES[7].standardised(np.array([0.0, 0.5, 9.0])).tolist() == [-3.0, 0.0, 3.0]


def test_categories_are_indicators_and_a_unit_may_have_none():
    found = features(3, [], {}, [(np.array([1, -1, 0]), 2)]).toarray()
    assert found[:, 3:].tolist() == [[0, 1], [0, 0], [1, 0]]


def test_the_scale_of_a_team_does_not_depend_on_the_order_of_its_claims():
    rng = np.random.default_rng(1)
    values = rng.random(500)
    order = rng.permutation(500)
    assert Scale.of(values, np.ones(500)) == Scale.of(values[order], np.ones(500))


def test_variances_are_those_of_labels_as_likely_as_the_confidence_says():
    X, correct, folds, confidence = a_world()
    found = fit(X, [correct], folds).variances(X, folds)
    sure, unsure = confidence > 0.95, np.abs(confidence - 0.5) < 0.1
    assert found[unsure].mean() > 0.22
    assert found[sure].mean() < 0.12


def test_variances_are_between_the_least_and_a_quarter_and_rounded():
    X, correct, folds, _ = a_world()
    found = fit(X, [correct], folds).variances(X, folds)
    assert found.min() >= planned_variance.LEAST_VARIANCE
    assert found.max() <= 0.25
    assert found.tolist() == np.round(found, 6).tolist()


def test_no_claim_has_a_part_in_its_own_variance():
    X, correct, folds, _ = a_world()
    turned = np.where(folds == 2, 1 - correct, correct)
    before, after = (fit(X, [f], folds).coefficients[2].tolist() for f in (correct, turned))
    assert before == after


def test_where_the_truth_follows_the_model_its_error_ratio_is_about_one():
    X, correct, folds, _ = a_world(20_000)
    assert 1 <= fit(X, [correct], folds).error_ratio < 1.02


def test_labels_that_the_model_does_not_foresee_raise_the_error_ratio():
    X, correct, folds, _ = a_world()
    other = np.zeros_like(correct)
    assert fit(X, [correct, other], folds).error_ratio > 1.2


def test_the_order_of_the_claims_does_not_matter():
    X, correct, folds, _ = a_world(600)
    order = np.random.default_rng(1).permutation(600)
    one, other = fit(X, [correct], folds), fit(X[order], [correct[order]], folds[order])
    assert one.coefficients == pytest.approx(other.coefficients, abs=2e-9)
    assert one.error_ratio == pytest.approx(other.error_ratio, abs=1e-6)


@pytest.mark.parametrize("n", [0, 99])
def test_from_too_few_claims_nothing_is_learnt(n):
    X, correct, folds, _ = a_world()
    assert fit(X[:n], [correct[:n]], folds[:n]) is None


def test_from_claims_that_are_all_right_nothing_is_learnt():
    X, correct, folds, _ = a_world()
    assert fit(X, [np.ones_like(correct)], folds) is None


def test_from_documents_of_fewer_folds_nothing_is_learnt():
    X, correct, folds, _ = a_world()
    assert fit(X, [correct], np.minimum(folds, 3)) is None


def test_a_label_that_is_none_is_refused():
    X, correct, folds, _ = a_world()
    with pytest.raises(InvalidInput, match="labels"):
        fit(X, [correct + 1], folds)
