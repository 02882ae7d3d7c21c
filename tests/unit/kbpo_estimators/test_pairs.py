import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit, ndtri

from kbpo.core.errors import InvalidInput
from kbpo_estimators.differences import Differences
from kbpo_estimators.intervals import Interval, wilson
from kbpo_estimators.pairs import pair_level, pairs


def interval(estimate, error, level=0.95):
    reach = ndtri((1 + level) / 2) * error / (estimate * (1 - estimate))
    return Interval(estimate, *(float(expit(logit(estimate) + sign * reach)) for sign in (-1, 1)))


def of(first, second, errors, correlation=0.0, own=None):
    """One pair: its estimates, their standard errors and correlation."""
    a, b = errors
    variance = a**2 + b**2 - 2 * correlation * a * b
    found = Differences(
        np.array([[first - second]]), np.array([[variance]]), np.array([a**2]), np.array([b**2]), None
    )
    return pairs(found, *([one] for one in own or (interval(first, a), interval(second, b))))


def ends(pair, at):
    (down,), (up,) = (arm[0] for arm in pair.arms(at))
    return float(pair.gaps[0, 0] - down), float(pair.gaps[0, 0] + up)


def test_well_inside_the_interval_is_that_of_a_normal_difference():
    low, high = ends(of(0.5, 0.4, (0.01, 0.02), correlation=0.5), 0.95)
    half = 1.96 * np.sqrt(0.01**2 + 0.02**2 - 0.01 * 0.02)
    assert (low, high) == pytest.approx((0.1 - half, 0.1 + half), rel=0.01)


def test_independent_estimates_are_squared_and_added():
    pair = of(0.3, 0.1, (0.03, 0.02))
    first, second = interval(0.3, 0.03, 0.9999), interval(0.1, 0.02, 0.9999)
    low, high = ends(pair, 0.9999)
    assert low == pytest.approx(0.2 - np.hypot(0.3 - first.low, second.high - 0.1))
    assert high == pytest.approx(0.2 + np.hypot(first.high - 0.3, 0.1 - second.low))


def test_in_the_tails_a_small_share_reaches_further_up_than_its_error_says():
    pair = of(0.08, 0.02, (0.0153, 0.0079))
    assert pair.reach(pair_level(0.95, 40))[0, 0] > 0.06 > 4.0 * np.hypot(0.0153, 0.0079) * 0.8


def test_what_an_estimate_shares_with_another_makes_their_difference_surer():
    reaches = [of(0.5, 0.4, (0.02, 0.02), rho).reach(0.999)[0, 0] for rho in (-0.5, 0.0, 0.5, 0.9)]
    assert reaches == sorted(reaches, reverse=True)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_at_an_end_the_interval_is_wilsons_at_every_level(share):
    middle = Interval(0.5, 0.5, 0.5)
    pair = of(share, 0.5, (0.0, 0.0), own=(wilson(share, 50, 0.95), middle))
    expected = wilson(share, 50, 0.80)
    low, high = ends(pair, 0.80)
    assert (low + 0.5, high + 0.5) == pytest.approx((expected.low, expected.high))


def test_a_difference_of_variance_0_is_none():
    assert of(0.5, 0.4, (0.02, 0.02), correlation=1.0).reach(0.5)[0, 0] == np.inf


def test_rounding_is_no_difference():
    assert of(0.3, 0.3 + 1e-16, (1e-9, 0.0)).reach(0.5)[0, 0] == np.inf


def test_censuses_do_not_differ_by_chance_so_nothing_is_said_of_them():
    exact = (Interval(1.0, 1.0, 1.0), Interval(0.4, 0.4, 0.4))
    assert of(1.0, 0.4, (0.0, 0.0), own=exact).reach(0.95)[0, 0] == np.inf


def test_right_about_everything_and_wrong_about_everything_are_apart():
    pair = of(1.0, 0.0, (0.0, 0.0), own=(wilson(1.0, 200), wilson(0.0, 200)))
    assert pair.reach(pair_level(0.95, 200))[0, 0] < 1.0


def test_what_is_not_estimable_is_not_apart():
    found = Differences(np.array([[np.nan]]), np.array([[np.nan]]), np.array([np.nan]), np.array([0.1]), 10)
    one = Interval(0.5, 0.4, 0.6)
    assert pairs(found, [one], [one]).reach(0.5)[0, 0] == np.inf


@given(
    st.floats(0.01, 0.99), st.floats(0.01, 0.99), st.floats(0.001, 0.1), st.floats(0.001, 0.1),
    st.floats(-0.9, 0.9),
)  # fmt: skip
@settings(deadline=None)
def test_turning_a_pair_turns_its_interval(first, second, error, other, rho):
    there, back = of(first, second, (error, other), rho), of(second, first, (other, error), rho)
    (low, high), (turned, back_high) = ends(there, 0.999), ends(back, 0.999)
    assert (low, high) == pytest.approx((-back_high, -turned), nan_ok=True) or there.same[0, 0]


def test_a_level_that_is_none_is_refused():
    with pytest.raises(InvalidInput, match="between 0 and 1"):
        of(0.5, 0.4, (0.1, 0.1)).arms(1.0)


def test_three_systems_make_three_pairs():
    assert pair_level(0.95, 3) == pytest.approx(1 - 0.05 / 3)
