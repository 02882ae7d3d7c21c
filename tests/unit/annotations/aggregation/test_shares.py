import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.aggregation.shares import Median, median_of, share
from kbpo.core.errors import InvalidInput
from kbpo_estimators.wilson import wilson_ends

numbers = st.lists(st.floats(0, 1e6), min_size=1, max_size=60)


def test_two_of_four_are_a_half_give_or_take() -> None:
    found = share(2, 4)
    assert found is not None
    # Wilson by hand: z² = 3.8415, centre ½, half-width z √(1/16 + z²/64) / (1 + z²/4) = .34996
    assert (found.low, found.high) == pytest.approx((0.15004, 0.84996), abs=1e-5)


def test_no_trials_have_no_share() -> None:
    assert share(0, 0) is None


@given(st.integers(0, 200), st.integers(0, 200), st.floats(0.5, 0.99))
def test_an_interval_holds_its_estimate(right: int, wrong: int, level: float) -> None:
    found = share(right, right + wrong, level=level)
    assert found is None or 0 <= found.low <= found.estimate <= found.high <= 1


@given(st.integers(1, 100))
def test_more_trials_narrow_the_interval(right: int) -> None:
    one, ten = share(right, 2 * right), share(10 * right, 20 * right)
    assert one is not None
    assert ten is not None
    assert ten.high - ten.low < one.high - one.low


def test_a_census_has_no_width() -> None:
    assert wilson_ends(0.25, math.inf, 1.96) == (0.25, 0.25)


@pytest.mark.parametrize(("right", "of"), [(-1, 3), (4, 3), (0, -1)])
def test_impossible_counts_are_refused(right: int, of: int) -> None:
    with pytest.raises(InvalidInput, match=f"right: is {right} of {of}"):
        share(right, of)


@pytest.mark.parametrize("level", [0.0, 1.0, float("nan")])
def test_an_impossible_level_is_refused(level: float) -> None:
    with pytest.raises(InvalidInput, match="level"):
        median_of([1.0], level=level)


def test_six_values_hold_their_median_between_the_ends() -> None:
    # P(all on one side) = 2 · 2⁻⁶ = .031 ≤ .05; of five it is .0625
    assert median_of([6, 1, 5, 2, 4, 3]) == Median(3.5, 1, 6, 6)
    assert median_of([5, 1, 2, 4, 3]) == Median(3, None, None, 5)


def test_no_values_have_no_median() -> None:
    assert median_of([]) is None


@given(numbers)
def test_a_median_lies_in_its_interval(values: list[float]) -> None:
    found = median_of(values)
    assert found is not None
    assert found.of == len(values)
    if found.low is not None and found.high is not None:
        assert min(values) <= found.low <= found.estimate <= found.high <= max(values)


@given(st.integers(1, 400), st.sampled_from([0.8, 0.95, 0.99]))
def test_the_ends_are_as_near_as_the_level_allows(n: int, level: float) -> None:
    found = median_of(range(1, n + 1), level=level)
    assert found is not None
    rank = 0 if found.low is None else int(found.low)

    def below(k: int) -> float:
        return sum(math.comb(n, i) for i in range(k)) / 2**n

    assert below(rank) <= (1 - level) / 2 + 1e-12 < below(rank + 1) + 2e-12
