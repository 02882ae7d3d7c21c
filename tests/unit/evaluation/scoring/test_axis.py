from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.scoring.axis import Axis, fit

shares = st.floats(0, 1)


def test_a_column_without_values_shows_the_whole():
    assert fit([]) == Axis(0.0, 1.0, (0.0, 0.5, 1.0))


def test_the_axis_ends_at_the_tenths_around_the_values():
    assert fit([0.42, 0.55, 0.68]) == Axis(0.4, 0.7, (0.4, 0.5, 0.6, 0.7))


def test_a_long_axis_has_every_second_tenth():
    assert fit([0.15, 0.85]).ticks == (0.1, 0.3, 0.5, 0.7, 0.9)


def test_a_value_at_a_tenth_needs_no_further_one():
    assert (fit([0.3, 0.6]).low, fit([0.3, 0.6]).high) == (0.3, 0.6)


def test_equal_values_still_get_three_tenths():
    axis = fit([0.55, 0.55])
    assert axis.high - axis.low == pytest.approx(0.3)


@pytest.mark.parametrize(("value", "place"), [(0.4, 0.0), (0.55, 50.0), (0.7, 100.0), (0.9, 100.0)])
def test_a_value_is_placed_in_per_cent_and_never_beyond_the_ends(value, place):
    assert fit([0.42, 0.68]).place(value) == place


@given(st.lists(shares, min_size=1))
def test_every_value_lies_on_the_axis(values):
    axis = fit(values)
    assert 0 <= axis.low <= min(values) + 1e-9
    assert max(values) - 1e-9 <= axis.high <= 1


@given(st.lists(shares, min_size=1))
def test_the_ticks_are_equally_spaced_from_end_to_end(values):
    axis = fit(values)
    gaps = [later - earlier for earlier, later in pairwise(axis.ticks)]
    assert (axis.ticks[0], axis.ticks[-1]) == (axis.low, axis.high)
    assert gaps == pytest.approx([gaps[0]] * len(gaps))


@given(st.tuples(shares, shares, shares).map(sorted))
def test_an_interval_keeps_its_order(interval):
    low, estimate, high = interval
    drawing = fit(interval).draw(low, estimate, high)
    assert drawing.low <= drawing.estimate <= drawing.high


@given(st.floats(-1, 1, allow_subnormal=False), st.floats(2.1, 1e9))
def test_a_wide_axis_has_a_few_ticks_too(low, high):
    axis = fit([low, high])
    assert 3 <= len(axis.ticks) <= 8
    assert axis.low <= low < high <= axis.high


def test_an_axis_of_ratings_has_its_ticks_at_halves():
    assert fit([-0.9, 0.1, 0.95]).ticks == (-1.0, -0.5, 0.0, 0.5, 1.0)
