import itertools
import math

import numpy as np
import pytest

from kbpo.core.errors import InvalidInput
from tests.oracles.precision import difference_precision, noise_adjusted_precision
from tests.unit.kbpo_estimators.worlds import (
    CORRECT,
    FOLDS,
    TRUTH,
    WEIGHTS,
    batches,
    poisson_samples,
)

PI = batches()[-1]

# What a corrected label may be, by what is true, and how likely that is: right on average.
VALUES = {0.0: ((-0.1, 10 / 11), (1.0, 1 / 11)), 1.0: ((1.1, 10 / 11), (0.0, 1 / 11))}


def labellings(own):
    """Every way in which the votes on some instances may fall, and its probability."""
    for outcome in itertools.product(*(VALUES[truth] for truth in CORRECT[own])):
        labels = np.full(own.size, np.nan)
        labels[own] = [value for value, _ in outcome]
        yield labels, math.prod(chance for _, chance in outcome)


def adjusted(system, sampled, labels, pi=PI):
    own = WEIGHTS[system] > 0
    return noise_adjusted_precision(WEIGHTS[system][own], pi[own], sampled[own], labels[own], FOLDS[own])


@pytest.mark.parametrize("system", range(3))
def test_the_expected_estimate_is_the_truth_over_every_sample_and_every_vote(system):
    own = WEIGHTS[system] > 0
    samples = {}
    for sampled, probability in poisson_samples(PI):
        key = tuple(sampled & own)
        samples[key] = samples.get(key, 0.0) + probability
    got = math.fsum(
        chance * probability * adjusted(system, np.array(sampled), labels).estimate
        for sampled, probability in samples.items()
        for labels, chance in labellings(own)
    )
    assert abs(got - TRUTH[system]) < 1e-12


@pytest.mark.parametrize("system", range(3))
def test_the_expected_variance_at_a_census_is_that_of_the_votes(system):
    own = WEIGHTS[system] > 0
    census = np.ones(8)
    found = [(chance, adjusted(system, census > 0, labels, pi=census)) for labels, chance in labellings(own)]
    variance = math.fsum(chance * (one.estimate - TRUTH[system]) ** 2 for chance, one in found)
    assert math.fsum(chance * one.variance for chance, one in found) == pytest.approx(variance, abs=1e-12)


def test_the_estimate_is_linear_in_the_labels():
    rng = np.random.default_rng(3)
    sampled = np.ones(8, bool)
    one, other = rng.normal(size=(2, 8))
    both = adjusted(0, sampled, 0.3 * one + 0.7 * other).estimate
    assert both == pytest.approx(
        0.3 * adjusted(0, sampled, one).estimate + 0.7 * adjusted(0, sampled, other).estimate
    )


def test_exact_labels_give_the_exact_estimate():
    own = WEIGHTS[0] > 0
    sampled = np.ones(8, bool)
    exact = difference_precision(WEIGHTS[0][own], PI[own], sampled[own], CORRECT[own], FOLDS[own])
    got = adjusted(0, sampled, CORRECT)
    assert (got.estimate, got.variance, got.n_eff) == (exact.estimate, exact.variance, exact.n_eff)


def test_a_census_varies_as_its_votes_do():
    # Σ p² g(g − 1) over three instances of weight 1/3, g = 1.2, −.1, 1.
    got = noise_adjusted_precision([1 / 3] * 3, [1.0] * 3, np.ones(3, bool), [1.2, -0.1, 1.0], [0, 1, 2])
    assert got.variance == pytest.approx((1.2 * 0.2 + 0.1 * 1.1) / 9)


def test_noise_counts_in_n_eff():
    got = noise_adjusted_precision([0.5, 0.5], [1.0, 1.0], np.ones(2, bool), [1.2, -0.2], [0, 1])
    assert got.n_eff == pytest.approx(1 / (4 * 0.25 * 2 * 0.24))


def test_labels_outside_the_sample_are_not_looked_at():
    sampled = np.array([True, False, True, True, True, False, False, False])
    seen = adjusted(0, sampled, CORRECT)
    assert adjusted(0, sampled, np.where(sampled, CORRECT, math.nan)).estimate == seen.estimate


def test_a_missing_label_is_refused():
    labels = np.where(np.arange(8) == 2, math.nan, CORRECT)
    with pytest.raises(InvalidInput, match=r"labels: the value nan at position 2"):
        adjusted(0, np.ones(8, bool), labels)


def test_exact_precision_still_refuses_what_is_no_label():
    with pytest.raises(InvalidInput, match=r"labels: the value 0.5 at position 1 is wrong; it is 0 or 1"):
        difference_precision([0.5, 0.5], [1.0, 1.0], np.ones(2, bool), [1.0, 0.5], [0, 1])
