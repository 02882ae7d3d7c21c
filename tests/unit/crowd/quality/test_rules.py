"""When a person should look at work, by hand-worked cases."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.quality import rules

counts = st.integers(0, 300)


@pytest.mark.parametrize(("right", "one_in"), [(0, 4), (1, 6), (10, 24), (22, 48), (23, 50), (1000, 50)])
def test_gold_becomes_rarer_as_a_worker_is_right(right: int, one_in: int) -> None:
    assert rules.gold_chance(right) == pytest.approx(1 / one_in)


@given(counts, st.integers(1, 20))
def test_the_chance_of_gold_never_grows_with_right_answers(right: int, questions: int) -> None:
    chances = [rules.gold_chance(right + more, questions) for more in (0, 1)]
    assert 0.02 <= chances[1] <= chances[0] <= 1


def test_reading_takes_its_words_at_the_fastest_speed() -> None:
    assert rules.reading_seconds(120, words_a_second=8) == 15.0


@pytest.mark.parametrize(("seconds", "is_flagged"), [(4.9, True), (5.0, False), (600.0, False)])
def test_below_the_time_for_reading_work_is_flagged(seconds: float, is_flagged: bool) -> None:
    assert bool(rules.below_reading(seconds, 5.0, 40)) == is_flagged


def test_the_words_name_the_time_and_what_was_to_be_read() -> None:
    assert rules.below_reading(0.4, 150.0, 1200) == (
        "Sent 0.4 s after it was begun; reading the 1,200 words that it shows takes 150.0 s at the least."
    )
    assert rules.below_reading(5.0, 75.0, 40, others=24) == (
        "Sent with 24 other pieces of work within 5.0 s of beginning; reading what they show takes 75.0 s at"
        " the least."
    )


@pytest.mark.parametrize(("seconds", "is_flagged"), [(3.9, True), (4.0, False), (60.0, False)])
def test_less_than_a_fifth_of_the_usual_time_is_too_fast(seconds: float, is_flagged: bool) -> None:
    assert bool(rules.too_fast(seconds, 20.0, 30)) == is_flagged


def test_nobody_is_too_fast_while_few_are_timed() -> None:
    assert rules.too_fast(0.1, 20.0, 29) == ""


def test_the_words_name_both_times() -> None:
    assert rules.too_fast(2.14, 20.0, 100) == (
        "Done in 2.1 s; for the like of it workers take 20 s, by the median."
    )


@pytest.mark.parametrize(
    ("right", "of", "is_flagged"),
    [
        *((0, 0, False), (0, 1, False), (0, 2, True), (1, 3, False), (1, 4, True)),
        *((1, 5, True), (2, 5, False), (30, 50, True), (35, 50, False)),
    ],
)
def test_gold_is_poor_where_the_interval_ends_below_three_quarters(
    right: int, of: int, is_flagged: bool
) -> None:
    assert bool(rules.poor_gold(right, of)) == is_flagged


@given(counts, counts)
def test_who_is_right_three_times_of_four_is_never_flagged(right: int, wrong: int) -> None:
    if 3 * wrong <= right:
        assert rules.poor_gold(right, right + wrong) == ""


@pytest.mark.parametrize(
    ("agreed", "compared", "is_flagged"),
    [(12, 40, True), (30, 40, False), (0, 9, False), (0, 10, True), (0, 0, False)],
)
def test_far_from_others_is_surely_15_points_below_them(agreed: int, compared: int, is_flagged: bool) -> None:
    assert bool(rules.far_from_others(agreed, compared, 860, 1000)) == is_flagged


def test_the_words_name_the_counts_and_the_interval() -> None:
    assert rules.far_from_others(12, 40, 860, 1000) == (
        "Agrees with the majority of the others on 12 of 40 questions (18% to 45% at 95%), "
        "where workers do on 86%."
    )


@given(counts, counts, counts)
def test_who_agrees_as_often_as_the_others_is_never_flagged(agreed: int, more: int, times: int) -> None:
    assert rules.far_from_others(agreed, agreed + more, agreed * times, (agreed + more) * times) == ""
