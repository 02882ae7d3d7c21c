"""When a corpus takes submissions, to the microsecond."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.challenges.calendar import Period, Phase, State, standing, taking, time_left

NOON = datetime(2026, 12, 2, 12, tzinfo=UTC)
DAY, TICK = timedelta(days=1), timedelta(microseconds=1)
DEVELOPMENT = Phase("development", Period(NOON - 2 * DAY, NOON))
TEST = Phase("test", Period(NOON, NOON + DAY))
RESULTS = Phase("results", Period(NOON + DAY, None), takes_submissions=False)
LATER = Phase("later", Period(NOON + 3 * DAY, None))


def test_without_dates_it_is_open_and_nothing_is_foreseen() -> None:
    found = standing(Period(), (), NOON)
    assert (found.state, found.changes_at, found.closed_at, found.phase) == (State.OPEN, None, None, None)


@pytest.mark.parametrize(
    ("at", "state"),
    [
        (NOON - TICK, State.UPCOMING),
        (NOON, State.OPEN),
        (NOON + DAY - TICK, State.OPEN),
        (NOON + DAY, State.CLOSED),
    ],
    ids=["just before", "at the opening", "just before the end", "at the end"],
)
def test_it_is_open_from_its_opening_until_just_before_its_end(at, state) -> None:
    assert standing(Period(NOON, NOON + DAY), (), at).state is state


def test_each_moment_is_of_one_phase_at_most() -> None:
    phases = (DEVELOPMENT, TEST, RESULTS)
    names = [standing(Period(), phases, at).phase.name for at in (NOON - TICK, NOON, NOON + DAY)]
    assert names == ["development", "test", "results"]


def test_phases_that_touch_close_once() -> None:
    found = standing(Period(), (TEST, DEVELOPMENT, RESULTS), NOON - DAY)
    assert (found.changes_at, found.next_phase) == (NOON + DAY, TEST)


def test_between_phases_it_is_paused_until_the_next_that_takes_something() -> None:
    found = standing(Period(), (DEVELOPMENT, TEST, LATER), NOON + DAY)
    assert (found.state, found.changes_at, found.closed_at) == (State.PAUSED, NOON + 3 * DAY, NOON + DAY)


def test_dates_cut_phases() -> None:
    assert taking(Period(end=NOON + DAY / 2), (DEVELOPMENT, TEST)) == (
        Period(NOON - 2 * DAY, NOON + DAY / 2),
    )
    assert taking(Period(start=NOON + DAY), (DEVELOPMENT, TEST)) == ()


def test_phases_of_which_none_takes_anything_close_it() -> None:
    assert standing(Period(), (RESULTS,), NOON).state is State.CLOSED


def test_a_corpus_that_closed_says_since_when() -> None:
    assert standing(Period(end=NOON), (), NOON + DAY).closed_at == NOON


hours = st.integers(0, 60).map(lambda number: NOON + timedelta(hours=number))


@given(
    st.lists(hours, min_size=2, max_size=8, unique=True),
    st.lists(st.booleans(), min_size=7, max_size=7),
    hours,
)
def test_a_moment_is_open_exactly_in_a_phase_that_takes_something(ends, takes, now) -> None:
    ordered = sorted(ends)
    phases = [
        Phase(str(place), Period(start, end), takes[place])
        for place, (start, end) in enumerate(pairwise(ordered))
    ]
    found = standing(Period(), phases, now)
    assert found.is_open == any(one.takes_submissions and now in one.period for one in phases)
    if found.changes_at is not None:
        assert standing(Period(), phases, found.changes_at).is_open != found.is_open
        assert standing(Period(), phases, found.changes_at - TICK).is_open == found.is_open


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (timedelta(days=3, hours=23), "3 days"),
        (timedelta(hours=47), "47 hours"),
        (timedelta(hours=1, minutes=59), "119 minutes"),
        (timedelta(minutes=1), "1 minute"),
        (timedelta(seconds=59), "less than a minute"),
    ],
)
def test_nobody_has_less_time_than_it_says(span, words) -> None:
    assert time_left(span) == words
