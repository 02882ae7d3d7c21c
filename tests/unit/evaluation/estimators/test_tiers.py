import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.estimators.intervals import Interval
from evaluation.estimators.tiers import excludes_zero, tiers


def further_than(distance, values):
    """Tells two apart where their figures are this far from each other."""
    values = np.array(values)
    return lambda first, others: np.abs(values[first] - values[others]) > distance


def test_systems_that_cannot_be_told_from_the_best_share_its_tier():
    values = [0.50, 0.70, 0.66, 0.52, 0.20]
    assert tiers(values, further_than(0.05, values)) == [2, 1, 1, 2, 3]


def test_tiers_are_not_chains():
    """Each is close to the next, but the third is far from the first: it opens a tier of its own."""
    values = [0.60, 0.56, 0.52]
    assert tiers(values, further_than(0.05, values)) == [1, 1, 2]


def test_a_close_relative_may_be_told_apart_where_a_worse_stranger_cannot():
    apart = {(0, 1): True, (0, 2): False}
    found = tiers(
        [0.60, 0.58, 0.57],
        lambda first, others: np.array([apart.get((first, int(o)), False) for o in others]),
    )
    assert found == [1, 2, 1]


def test_no_system_has_no_tier():
    assert tiers([], further_than(1, [])) == []


@given(st.lists(st.integers(0, 30), min_size=1, max_size=25), st.integers(0, 10), st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_each_of_a_tier_is_told_from_all_firsts_before_and_not_from_its_own(values, distance, seed):
    noise = np.random.default_rng(seed).integers(0, 8, size=(len(values),) * 2)
    noise = noise + noise.T

    def tell_apart(first, others):
        gaps = np.abs(np.array(values)[first] - np.array(values)[others])
        return gaps > distance + noise[first, others]

    found = np.array(tiers(values, tell_apart))
    firsts = []
    for tier in range(1, found.max() + 1):
        members = np.flatnonzero(found == tier)
        firsts.append(min(members, key=lambda one: (-values[one], one)))
        assert not tell_apart(firsts[-1], members[members != firsts[-1]]).any()
    for one, tier in enumerate(found):
        assert all(tell_apart(first, np.array([one]))[0] for first in firsts[: tier - 1])


@pytest.mark.parametrize(
    ("low", "high", "apart"), [(0.01, 0.2, True), (-0.2, -0.01, True), (-0.1, 0.1, False)]
)
def test_an_interval_on_one_side_of_zero_tells_apart(low, high, apart):
    assert excludes_zero(Interval((low + high) / 2, low, high)) is apart
