import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evaluation.estimators.noise import Calibration, calibrate
from evaluation.estimators.precision import difference_precision, noise_adjusted_precision
from kbpo.core.errors import InvalidInput
from tests.unit.evaluation.estimators.worlds import (
    CORRECT,
    FOLDS,
    TRUTH,
    WEIGHTS,
    batches,
    poisson_samples,
)

ERROR = 0.11
PRIOR = 0.3
PI = batches()[-1]


def outcomes(prior=PRIOR, error=ERROR):
    """How three votes can fall: for 0 to 3 in favour, the posterior and its chance if false, if true."""
    ways = np.array([1, 3, 3, 1])
    yes = np.arange(4)
    if_true = ways * (1 - error) ** yes * error ** (3 - yes)
    if_false = if_true[::-1]
    return prior * if_true / (prior * if_true + (1 - prior) * if_false), if_false, if_true


TAU, IF_FALSE, IF_TRUE = outcomes()
CALIBRATION = Calibration(float(TAU @ IF_FALSE), float(TAU @ IF_TRUE))


# The calibration


def test_an_example_by_hand():
    # Half at .2, half at .8: a_1 = (.04 + .64)/1, a_0 = (.16 + .16)/1.
    found = calibrate([0.2, 0.8])
    assert (found.of_false, found.of_true) == (pytest.approx(0.32), pytest.approx(0.68))


def test_labels_by_hand():
    assert Calibration(0.2, 0.7).labels([0.2, 0.45, 0.7]).tolist() == pytest.approx([0.0, 0.5, 1.0])


def test_posteriors_that_are_right_calibrate_themselves():
    of_each = np.round(1e6 * (PRIOR * IF_TRUE + (1 - PRIOR) * IF_FALSE)).astype(int)
    found = calibrate(np.repeat(TAU, of_each))
    assert found.of_false == pytest.approx(CALIBRATION.of_false, abs=1e-5)
    assert found.of_true == pytest.approx(CALIBRATION.of_true, abs=1e-5)


@pytest.mark.parametrize(("chances", "truth"), [(IF_FALSE, 0.0), (IF_TRUE, 1.0)])
def test_the_expected_label_is_the_truth(chances, truth):
    assert abs(CALIBRATION.labels(TAU) @ chances - truth) < 1e-12


def test_an_experts_label_stays():
    assert Calibration(0.2, 0.7).labels([0.0, 1.0]).tolist() == [0.0, 1.0]


def test_what_is_not_labelled_stays_so():
    assert math.isnan(Calibration(0.2, 0.7).labels([math.nan])[0])


def test_certain_and_missing_labels_do_not_calibrate():
    assert calibrate([0.2, 0.8, 0.0, 1.0, math.nan]) == calibrate([0.2, 0.8])


@pytest.mark.parametrize("posteriors", [[], [0.0, 1.0], [0.3, 0.3, 0.3]])
def test_what_is_not_estimable_is_none(posteriors):
    assert calibrate(posteriors) is None


@given(st.lists(st.floats(0.001, 0.999), min_size=2, max_size=30))
def test_the_mean_label_is_the_mean_posterior_where_it_was_calibrated(posteriors):
    # A pool that is its own reference needs no correction.
    calibration = calibrate(posteriors)
    assume(calibration is not None and calibration.of_true - calibration.of_false > 1e-3)
    assert calibration.labels(posteriors).mean() == pytest.approx(np.mean(posteriors), abs=1e-6)


@pytest.mark.parametrize("function", [calibrate, CALIBRATION.labels])
def test_a_posterior_out_of_range_is_refused(function):
    with pytest.raises(InvalidInput, match=r"posteriors: the value 1.2 at position 1 is wrong"):
        function([0.5, 1.2])


@pytest.mark.parametrize(("ends", "name"), [((-0.1, 0.5), "of_false"), ((0.5, 0.5), "of_true")])
def test_a_calibration_without_contrast_is_refused(ends, name):
    with pytest.raises(InvalidInput, match=f"^{name}: "):
        Calibration(*ends)


# Precision from such labels


def adjusted(system, sampled, labels, pi=PI):
    own = WEIGHTS[system] > 0
    return noise_adjusted_precision(WEIGHTS[system][own], pi[own], sampled[own], labels[own], FOLDS[own])


@pytest.mark.parametrize("system", range(3))
def test_the_expected_estimate_is_the_truth_over_every_sample_and_every_vote(system):
    # The estimate is linear in the labels, so that their expectation stands for all their values.
    expected = {
        truth: float(CALIBRATION.labels(TAU) @ chances) for truth, chances in ((0, IF_FALSE), (1, IF_TRUE))
    }
    labels = np.array([expected[truth] for truth in CORRECT])
    got = math.fsum(
        probability * adjusted(system, sampled, labels).estimate
        for sampled, probability in poisson_samples(PI)
    )
    assert abs(got - TRUTH[system]) < 1e-12


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


def test_the_votes_variance_is_right_on_average():
    g = CALIBRATION.labels(TAU)
    for chances, truth in ((IF_FALSE, 0.0), (IF_TRUE, 1.0)):
        assert (g * (g - 1)) @ chances == pytest.approx(g**2 @ chances - truth**2)


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
