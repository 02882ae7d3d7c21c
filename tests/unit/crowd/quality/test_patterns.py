"""Patterns in a worker's answers, by hand-worked cases."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.quality import patterns

Rule = Callable[[list[bool], float | None], str]
ALWAYS = pytest.mark.parametrize("rule", [patterns.always_none, patterns.always_first])


@ALWAYS
@pytest.mark.parametrize(("answers", "is_said"), [(9, False), (10, True), (40, True)])
def test_a_pattern_is_one_from_the_tenth_answer_on(rule: Rule, answers: int, is_said: bool) -> None:
    assert bool(rule([True] * answers, None)) == is_said


@ALWAYS
def test_one_other_answer_is_no_pattern(rule: Rule) -> None:
    assert rule([True] * 20 + [False], 0.1) == ""


@ALWAYS
@pytest.mark.parametrize(
    ("answers", "usual", "is_said"), [(10, 0.7, True), (10, 0.8, False), (14, 0.8, True)]
)
def test_what_is_likely_by_chance_is_not_said(rule: Rule, answers: int, usual: float, is_said: bool) -> None:
    # .7 to the 10th is .028, .8 to the 10th .107 and to the 14th .044
    assert bool(rule([True] * answers, usual)) == is_said


@ALWAYS
def test_what_everybody_answers_is_looked_at_after_29_times(rule: Rule) -> None:
    assert (bool(rule([True] * 28, 1.0)), bool(rule([True] * 29, 1.0))) == (False, True)


def test_the_words_say_what_others_answer() -> None:
    assert patterns.always_none([True] * 12, 0.42) == (
        'All of the last 12 answers say "none"; of those of the others 42% do.'
    )
    assert patterns.always_first([True] * 12, 0.2) == (
        "All of the last 12 answers are the first option; of those of the others 20% are."
    )


@pytest.mark.parametrize(
    ("same", "of", "others", "is_said"),
    [
        (10, 10, (0, 0), True),  # a half by chance where nothing is known: 1 in 1,024
        (9, 9, (0, 100), False),
        (9, 10, (0, 0), False),
        (5, 10, (3, 60), True),
        (3, 10, (30, 60), False),
        (10, 10, (95, 100), False),  # as in texts with one name
    ],
)
def test_marks_of_another_are_said_where_chance_has_them_once_in_a_thousand(
    same: int, of: int, others: tuple[int, int], is_said: bool
) -> None:
    assert bool(patterns.copied(same, of, *others)) == is_said


@given(st.integers(0, 60), st.integers(0, 60))
def test_who_equals_others_as_often_as_they_each_other_is_never_said_to_copy(same: int, more: int) -> None:
    assert patterns.copied(same, same + more, 100 * same, 100 * (same + more)) == ""


def test_the_words_of_a_copy_name_the_counts() -> None:
    assert patterns.copied(10, 10, 3, 60) == (
        "On 10 of 10 documents the marks are those of another worker, to the character; of other pairs on 3"
        " of 60."
    )
