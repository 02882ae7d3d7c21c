"""What judging is expected to take: the arithmetic."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.design.forecast import chance_to_be_drawn, expected_questions
from evaluation.templatetags.scores import about


def test_one_question_settles_a_group_once():
    assert expected_questions([0, 0], [0, 0], [0.5, 0.5]) == pytest.approx(0.75)


def test_what_is_certain_already_needs_no_question():
    assert expected_questions([0, 0, 1], [1, 0, 0.2], [1, 1, 0.2]) == 0


def test_nothing_claimed_makes_no_question():
    assert expected_questions([], [], []) == 0


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 2), st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=7))
def test_the_expected_number_is_that_over_all_samples(rows):
    groups = [group for group, _, _ in rows]
    before = [min(a, b) for _, a, b in rows]
    after = [max(a, b) for _, a, b in rows]
    expected = 0.0
    # Each instance's random number lies below π, between π and π′, or above.
    for places in itertools.product(range(3), repeat=len(rows)):
        chances = [(b, a - b, 1 - a)[place] for place, b, a in zip(places, before, after, strict=True)]
        early = {group for group, place in zip(groups, places, strict=True) if place == 0}
        asked = {group for group, place in zip(groups, places, strict=True) if place <= 1}
        expected += float(np.prod(chances)) * len(asked - early)
    assert expected_questions(groups, before, after) == pytest.approx(expected, abs=1e-9)


def test_draws_with_replacement_come_at_least_once():
    assert chance_to_be_drawn(np.array([0.5, 0.5]), 2).tolist() == pytest.approx([0.75, 0.75])
    assert chance_to_be_drawn(np.array([1.0]), 3).tolist() == [1.0]


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0.0, "0"),
        (0.4, "0"),
        (3, "fewer than 10"),
        (12.4, "about 12"),
        (456.3, "about 460"),
        (12345, "about 12,000"),
    ],
)
def test_expected_numbers_are_not_said_too_exactly(number, words):
    assert about(number) == words
