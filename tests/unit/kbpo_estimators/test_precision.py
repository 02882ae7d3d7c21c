import math

import numpy as np
import pytest

from kbpo.core.errors import InvalidInput
from kbpo_estimators.precision import label_weights
from tests.oracles.precision import difference_precision
from tests.unit.kbpo_estimators.worlds import (
    CONFIDENCE,
    CORRECT,
    FOLDS,
    TRUTH,
    WEIGHTS,
    batches,
    poisson_samples,
    quadratic_batches,
)

SYSTEMS = range(len(WEIGHTS))
BATCHES = batches()
QUADRATIC = quadratic_batches()


def estimate(system, pi, sampled, **options):
    """The estimate of one system of the world, whose labels outside the sample are unknown."""
    own = WEIGHTS[system] > 0
    confidence = options.pop("confidence", None)
    return difference_precision(
        WEIGHTS[system][own],
        pi[own],
        sampled[own],
        np.where(sampled, CORRECT, np.nan)[own],
        options.pop("folds", FOLDS)[own],
        None if confidence is None else confidence[own],
        **options,
    )


def expected(system, pi, **options):
    return math.fsum(
        probability * estimate(system, pi, sampled, **options).estimate
        for sampled, probability in poisson_samples(pi)
    )


# Exactness, by listing every sample


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_expected_estimate_is_the_truth(system):
    assert abs(expected(system, BATCHES[-1]) - TRUTH[system]) < 1e-12


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_expected_estimate_is_the_truth_with_confidences(system):
    got = expected(system, BATCHES[-1], confidence=CONFIDENCE, confidence_needs=2)
    assert abs(got - TRUTH[system]) < 1e-12


@pytest.mark.parametrize("k", [2, 3, 8])
@pytest.mark.parametrize("system", SYSTEMS)
def test_the_expected_estimate_is_the_truth_with_any_folds(system, k):
    folds = np.arange(8) % k
    got = expected(system, BATCHES[-1], folds=folds, k=k, confidence=CONFIDENCE, confidence_needs=2)
    assert abs(got - TRUTH[system]) < 1e-12


@pytest.mark.parametrize(("system", "batch"), [(s, b) for b in range(3) for s in range(b + 1)])
def test_the_expected_estimate_is_the_truth_after_every_batch(system, batch):
    got = expected(system, BATCHES[batch], confidence=CONFIDENCE, confidence_needs=2)
    assert abs(got - TRUTH[system]) < 1e-12


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_expected_estimate_is_the_truth_with_known_instances(system):
    pi = BATCHES[-1].copy()
    pi[[1, 5]] = 1.0
    got = expected(system, pi, confidence=CONFIDENCE, confidence_needs=2)
    assert abs(got - TRUTH[system]) < 1e-12


@pytest.mark.parametrize(("system", "batch"), [(s, b) for b in range(3) for s in range(b + 1)])
def test_by_the_quadratic_sum_the_expected_estimate_is_the_truth_after_every_batch(system, batch):
    got = expected(system, QUADRATIC[batch], confidence=CONFIDENCE, confidence_needs=2)
    assert abs(got - TRUTH[system]) < 1e-12


@pytest.mark.parametrize("system", SYSTEMS)
def test_by_the_quadratic_sum_the_expected_estimate_is_the_truth_with_known_instances(system):
    pi = quadratic_batches(known=np.arange(8) == 5)[-1]
    assert pi[5] == 1
    got = expected(system, pi, confidence=CONFIDENCE, confidence_needs=2)
    assert abs(got - TRUTH[system]) < 1e-12


def test_the_batches_leave_something_to_chance():
    assert all((pi[WEIGHTS[: batch + 1].sum(axis=0) > 0] < 1).any() for batch, pi in enumerate(BATCHES))
    assert all((pi < 1).sum() >= 3 for pi in QUADRATIC)


def test_the_plain_ratio_is_biased():
    own, pi = WEIGHTS[0] > 0, BATCHES[-1]
    got, reachable = 0.0, 0.0
    for sampled, probability in poisson_samples(pi):
        weights = (WEIGHTS[0] / pi)[own & sampled]
        if weights.size:
            got += probability * (weights @ CORRECT[own & sampled]) / weights.sum()
            reachable += probability
    assert abs(got / reachable - TRUTH[0]) > 1e-3


def test_the_probability_at_an_instances_own_draw_is_the_wrong_one():
    first, last = BATCHES[0], BATCHES[-1]
    own = WEIGHTS[0] > 0
    assert (last[own] > first[own]).any()
    # E[p f/π] with π the first batch's for what it drew and the last's for the rest.
    seen = np.divide(first, first, out=np.zeros(8), where=first > 0) + (last - first) / last
    assert abs((WEIGHTS[0] * CORRECT * seen)[own].sum() - TRUTH[0]) > 1e-3


# The variance


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_variance_is_the_horvitz_thompson_one_of_the_residuals(system):
    pi = BATCHES[-1]
    sampled = np.array([1, 1, 0, 1, 0, 1, 1, 0], dtype=bool) | (pi == 1)
    got = estimate(system, pi, sampled)
    inside = (WEIGHTS[system] > 0) & sampled
    by_hand = ((1 - pi) / pi**2)[inside] @ (WEIGHTS[system][inside] * got.residuals) ** 2
    assert got.variance == pytest.approx(by_hand)


@pytest.mark.slow
def test_the_variance_is_about_right_in_expectation():
    # 60 instances in 5 folds: the fit of the other folds is nearly fixed, so V̂ is nearly unbiased.
    rng = np.random.default_rng(5)
    n = 60
    p, pi, f = rng.dirichlet(np.full(n, 5.0)), rng.uniform(0.3, 0.7, n), (rng.random(n) < 0.6).astype(float)
    folds = np.arange(n) % 5
    runs = [difference_precision(p, pi, rng.random(n) < pi, f, folds) for _ in range(4_000)]
    spread = np.var([run.estimate for run in runs])
    assert np.mean([run.variance for run in runs]) == pytest.approx(spread, rel=0.08)


# By hand


def test_two_folds_by_hand():
    # Fold 0 holds a (f = 1, π = ½) and b (not sampled); fold 1 holds c (f = 0, π = ½) and d (f = 1, π = 1).
    # Other folds' fits: for fold 0, weights .5 and .25: β = .25/.75 = 1/3; for fold 1, β = 1.
    # Fold 0: .5/3 + .5·(1 − 1/3) = .5. Fold 1: .5 + .5·(0 − 1) + .25·(1 − 1) = 0.
    got = difference_precision(
        [0.25] * 4, [0.5, 0.5, 0.5, 1.0], [True, False, True, True], [1, math.nan, 0, 1], [0, 0, 1, 1], k=2
    )
    assert got.estimate == pytest.approx(0.5)
    assert got.residuals == pytest.approx([2 / 3, -1, 0])
    # (1 − ½)/¼ · (.25·2/3)² + (1 − ½)/¼ · .25²
    assert got.variance == pytest.approx(2 / 36 + 2 / 16)
    assert got.n == 3


def test_a_fold_without_others_is_left_unadjusted():
    # One sampled instance: the other fold holds none, β = 0; its own fit serves the other fold: .5·1 + .5/.5.
    got = difference_precision([0.5, 0.5], [0.5, 0.5], [True, False], [1, 0], [0, 1], k=2)
    assert got.estimate == pytest.approx(1.5)
    assert got.residuals.tolist() == [1.0]


def test_an_empty_sample_estimates_zero():
    got = difference_precision([0.5, 0.5], [0.5, 0.5], [False, False], [math.nan] * 2, [0, 1], k=2)
    assert (got.estimate, got.variance, got.n) == (0.0, 0.0, 0)


def many(n=60, seed=0):
    """A system whose confidences tell most of the truth."""
    rng = np.random.default_rng(seed)
    confidence = rng.uniform(0.05, 1, n)
    f = (rng.random(n) < confidence).astype(float)
    pi = np.full(n, 0.7)
    return np.full(n, 1 / n), pi, rng.random(n) < pi, f, np.arange(n) % 5, confidence


def test_confidences_that_tell_the_truth_narrow_the_estimate():
    p, pi, sampled, f, folds, confidence = many(600)
    without = difference_precision(p, pi, sampled, f, folds)
    with_them = difference_precision(p, pi, sampled, f, folds, confidence)
    assert with_them.variance < 0.8 * without.variance


def test_the_line_is_the_weighted_least_squares_fit():
    p, pi, sampled, f, folds, confidence = many()
    pi = np.linspace(0.4, 0.9, 60)
    got = difference_precision(p, pi, sampled, f, folds, confidence)
    expected_residuals = np.empty(60)
    for fold in range(5):
        other = sampled & (folds != fold)
        root = np.sqrt(p / pi)[other]
        z = np.column_stack([np.ones(60), confidence])
        beta = np.linalg.lstsq(z[other] * root[:, None], f[other] * root, rcond=None)[0]
        expected_residuals[folds == fold] = (f - z @ beta)[folds == fold]
    assert got.residuals == pytest.approx(expected_residuals[sampled])


def test_confidences_are_left_out_below_20_sampled_in_the_other_folds():
    p, pi, _, f, folds, confidence = many()
    sampled = np.arange(60) < 23  # each fold holds 4 or 5 of them, so the others at most 19
    without = difference_precision(p, pi, sampled, f, folds)
    assert difference_precision(p, pi, sampled, f, folds, confidence).estimate == without.estimate


def test_confidences_count_from_20_sampled_in_the_other_folds():
    p, pi, _, f, folds, confidence = many()
    sampled = np.arange(60) < 25  # 20 in the other folds, for each
    without = difference_precision(p, pi, sampled, f, folds)
    assert difference_precision(p, pi, sampled, f, folds, confidence).estimate != without.estimate


def test_one_confidence_for_all_changes_nothing():
    p, pi, sampled, f, folds, _ = many()
    without = difference_precision(p, pi, sampled, f, folds)
    assert difference_precision(p, pi, sampled, f, folds, np.full(60, 0.8)).estimate == without.estimate


def test_a_system_that_is_always_right_leaves_no_rounding_in_its_variance():
    p, pi, sampled, _, folds, confidence = many()
    got = difference_precision(p, pi, sampled, np.ones(60), folds, confidence)
    assert got.estimate == pytest.approx(1)
    assert got.variance == 0


def test_confidences_that_tell_everything_leave_no_rounding_in_the_variance():
    p, pi, sampled, f, folds, _ = many()
    got = difference_precision(p, pi, sampled, f, folds, np.where(f == 1, 0.9, 0.3))
    assert got.estimate == pytest.approx(f.mean())
    assert got.variance == 0


def test_a_census_is_the_truth_without_a_variance():
    p, _, _, f, folds, confidence = many()
    got = difference_precision(p, np.ones(60), np.ones(60, bool), f, folds, confidence)
    assert got.estimate == pytest.approx(f.mean())
    assert (got.variance, got.n_eff) == (0, math.inf)


def test_labels_outside_the_sample_are_not_looked_at():
    p, pi, sampled, f, folds, confidence = many()
    hidden = np.where(sampled, f, np.nan)
    assert (
        difference_precision(p, pi, sampled, hidden, folds, confidence).estimate
        == difference_precision(p, pi, sampled, 1 - np.where(sampled, 1 - f, 7), folds, confidence).estimate
    )


def test_n_eff_is_that_of_the_design():
    # ¼/n_eff is the variance that the top-up holds at its target.
    p, pi, sampled, f, folds, _ = many()
    got = difference_precision(p, pi, sampled, f, folds)
    assert 1 / got.n_eff == pytest.approx((p**2 * (1 / pi - 1)).sum())


def arguments(**changed):
    good = {
        "p": [0.5, 0.5],
        "pi": [0.5, 1.0],
        "sampled": [True, True],
        "labels": [1, 0],
        "folds": [0, 1],
    }
    return good | changed


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"p": [0.5, 0.4]}, "p: sums to 0.9"),
        ({"p": [1.0, 0.0]}, "p: the value 0.0 at position 1"),
        ({"p": []}, "p: is empty"),
        ({"pi": [0.0, 1.0]}, r"pi: the value 0.0 at position 0 is wrong; a probability lies in \(0, 1\]"),
        ({"pi": [0.5]}, "pi: has 1 values where the other arguments have 2"),
        ({"sampled": [1, 0]}, "sampled: has the type int64; booleans"),
        ({"sampled": [True, False]}, "sampled: position 1 is not sampled although its π is 1"),
        ({"labels": [0.5, 0]}, "labels: the value 0.5 at position 0"),
        ({"labels": [1, math.nan]}, "labels: the value nan at position 1"),
        ({"labels": [1]}, "labels: has the shape"),
        ({"folds": [0, 5]}, "folds: the value 5.0 at position 1"),
        ({"confidence": [0.5, math.nan]}, "confidence: the value nan at position 1"),
    ],
)
def test_a_wrong_argument_is_named(changed, message):
    with pytest.raises(InvalidInput, match=message):
        difference_precision(**arguments(**changed))


@pytest.mark.parametrize("sampled", [4, 23, 60])
@pytest.mark.parametrize("model", [None, "noisy", "alike"])
def test_the_estimate_is_the_sum_of_weighted_labels(sampled, model):
    p, pi, _, f, folds, confidence = many()
    pi = np.linspace(0.4, 0.9, 60)
    inside = np.arange(60) < sampled
    noise = np.random.default_rng(1).random((60, 5))
    g = None if model is None else noise if model == "noisy" else np.full((60, 5), 0.3)
    weights = label_weights(p, pi, inside, folds, confidence, model=g)
    expected = difference_precision(p, pi, inside, f, folds, confidence, model=g).estimate
    assert abs((weights * f).sum() - expected) < 1e-12
    assert abs(weights.sum() - 1) < 1e-12
    assert not weights[~inside].any()
