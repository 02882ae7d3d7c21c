import math

import numpy as np
import pytest
from scipy import optimize, sparse
from scipy.special import expit

from kbpo.core.errors import InvalidInput
from kbpo_estimators.logistic import fit

RNG = np.random.default_rng(20261122)
X = RNG.normal(size=(200, 4)) * (RNG.random((200, 4)) < 0.6)
Y = (RNG.random(200) < expit(0.5 + X @ np.array([1.0, -2.0, 0.0, 0.5]))).astype(float)
W = RNG.uniform(0.2, 3.0, 200)
RIDGE = np.array([0.5, 1.0, 2.0, 0.1])


def objective(beta):
    eta = beta[0] + X @ beta[1:]
    own = (W * (np.logaddexp(0, eta) - Y * eta)).sum()
    return own + 0.5 * (RIDGE * beta[1:] ** 2).sum() + 0.5e-3 * beta[0] ** 2


def coefficients(found):
    return np.array([found.intercept, *found.coefficients])


def test_the_fit_is_the_minimum_that_a_general_minimiser_finds():
    expected = optimize.minimize(objective, np.zeros(5), method="BFGS", options={"gtol": 1e-9}).x
    found = fit(X, Y, W, ridge=RIDGE)
    assert found.converged
    assert coefficients(found) == pytest.approx(expected, abs=1e-6)


def test_one_feature_less_is_a_group_s_log_odds():
    found = fit(np.empty((4, 0)), [0, 1, 1, 1], intercept_ridge=1e-9)
    assert found.intercept == pytest.approx(math.log(3), abs=1e-6)


def test_sparse_and_dense_features_give_the_same():
    dense, thin = fit(X, Y, W, ridge=RIDGE), fit(sparse.csr_array(X), Y, W, ridge=RIDGE)
    assert coefficients(dense).tolist() == coefficients(thin).tolist()
    assert dense.probability(X) == pytest.approx(thin.probability(sparse.csr_array(X)), abs=1e-14)


def test_the_order_of_rows_does_not_matter():
    order = RNG.permutation(200)
    assert coefficients(fit(X[order], Y[order], W[order])).tolist() == coefficients(fit(X, Y, W)).tolist()


def test_a_weight_counts_as_that_many_rows():
    twice = fit(np.concatenate([X, X[:50]]), np.concatenate([Y, Y[:50]]))
    weights = np.ones(200)
    weights[:50] = 2.0
    assert coefficients(fit(X, Y, weights)) == pytest.approx(coefficients(twice), abs=1e-8)


def test_a_share_stands_for_rows_of_both_labels():
    shares = fit([[1.0], [2.0]], [0.25, 0.5], [4.0, 2.0])
    rows = fit([[1.0]] * 4 + [[2.0]] * 2, [1, 0, 0, 0, 1, 0])
    assert coefficients(shares) == pytest.approx(coefficients(rows), abs=1e-8)


@pytest.mark.parametrize("label", [0.0, 1.0])
def test_labels_that_are_all_alike_have_a_finite_fit(label):
    found = fit(X, np.full(200, label))
    assert found.converged
    assert np.abs(found.probability(X) - label).max() < 0.05


def test_separable_labels_have_a_finite_fit():
    found = fit([[-1.0], [1.0]], [0, 1], ridge=1e-6)
    assert found.converged
    assert found.probability([[1.0]])[0] > 0.999


@pytest.mark.parametrize("weights", [None, np.zeros(3)])
def test_nothing_to_learn_from_is_an_even_chance(weights):
    rows = 0 if weights is None else 3
    found = fit(np.ones((rows, 2)), np.ones(rows), weights)
    assert found.probability([[5.0, 1.0]]).tolist() == [0.5]


@pytest.mark.parametrize(
    ("arguments", "options", "where"),
    [
        (([1.0, 2.0], [0, 1]), {}, "features"),
        (([["a"]], [0]), {}, "features"),
        (([[math.inf]], [0]), {}, "features"),
        ((sparse.csr_array([[math.nan]]), [0]), {}, "features"),
        (([[1.0]], [0, 1]), {}, "labels"),
        (([[1.0]], [2]), {}, "labels"),
        (([[1.0]], [1], [-1.0]), {}, "weights"),
        (([[1.0]], [1], [1.0, 1.0]), {}, "weights"),
        (([[1.0]], [1]), {"ridge": 0.0}, "ridge"),
        (([[1.0]], [1]), {"ridge": [1.0, 1.0]}, "ridge"),
        (([[1.0]], [1]), {"intercept_ridge": 0.0}, "intercept_ridge"),
    ],
)
def test_what_is_wrong_is_named(arguments, options, where):
    with pytest.raises(InvalidInput) as caught:
        fit(*arguments, **options)
    assert caught.value.where == where
