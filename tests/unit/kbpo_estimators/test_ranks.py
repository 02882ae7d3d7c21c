import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtri

from kbpo_estimators.ranks import ranks, told_apart
from research.experiments import ranks as experiment

ERROR = 0.02


def ranked(values, error=ERROR, level=0.95):
    gaps = np.subtract.outer(values, values)
    spread = np.full(gaps.shape, error * np.sqrt(2))
    return ranks(gaps, told_apart(gaps, lambda at: spread * ndtri((1 + at) / 2), level))


def test_a_rank_is_1_and_how_many_are_significantly_above():
    assert ranked([0.5, 0.52, 0.2]) == [1, 1, 3]


def test_to_be_told_apart_is_not_transitive():
    """The middle one is told from neither, though the others are told apart."""
    assert ranked([0.60, 0.545, 0.49]) == [1, 1, 2]


def test_one_pair_of_two_systems_needs_no_more_than_its_own_level():
    just = 1.97 * ERROR * np.sqrt(2)
    assert ranked([0.5, 0.5 - just]) == [1, 2]
    assert ranked([0.5, 0.5 - just, 0.5 - just / 2]) == [1, 1, 1]


def test_a_lower_level_tells_more_apart():
    values = [0.5, 0.5 - 2.2 * ERROR * np.sqrt(2), 0.47]
    assert (ranked(values, level=0.95), ranked(values, level=0.80)) == ([1, 1, 1], [1, 2, 1])


def test_one_system_is_first_and_none_has_no_rank():
    assert (ranked([0.3]), ranked([])) == ([1], [])


def test_systems_that_are_all_apart_have_all_ranks():
    assert ranked([0.1, 0.9, 0.5]) == [3, 1, 2]


@given(st.lists(st.floats(0, 1), min_size=2, max_size=9), st.floats(0.5, 0.99))
@settings(deadline=None)
def test_what_is_told_apart_is_what_holm_steps_down_to(values, level):
    gaps = np.subtract.outer(values, values)
    apart = told_apart(gaps, lambda at: np.full(gaps.shape, 0.1 * ndtri((1 + at) / 2)), level)
    pairs = list(itertools.combinations(range(len(values)), 2))
    by_size = sorted(pairs, key=lambda pair: -abs(gaps[pair]))
    expected = set()
    for left, pair in zip(range(len(pairs), 0, -1), by_size, strict=True):
        if not abs(gaps[pair]) > 0.1 * ndtri(1 - (1 - level) / left / 2):
            break
        expected.add(pair)
    assert {pair for pair in pairs if apart[pair]} == expected
    assert (apart == apart.T).all()


@pytest.mark.slow
def test_alike_systems_are_mostly_all_first():
    """A small one of `tests/statistics/test_ranks.py`."""
    world = experiment.ALIKE["alike, independent"]
    found = experiment.study(world, np.random.default_rng(1), 20)
    assert found["f1"]["Holm"]["wrong"] <= 0.2
    assert found["f1"]["tiers"]["wrong"] == pytest.approx(1.0)
