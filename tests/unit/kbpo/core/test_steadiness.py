"""A clock that jumps, told from time that passes."""

from datetime import UTC, datetime, timedelta

import pytest

from kbpo.core.keeping.steadiness import LONGEST, STEADY, Seen, is_due, look_again

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


def watch(*moments: datetime, seen: Seen | None = None) -> Seen:
    seen = seen or Seen()
    for moment in moments:
        seen = look_again(seen, moment)
    return seen


def every_minute(begin: datetime, length: timedelta) -> list[datetime]:
    return [begin + number * MINUTE for number in range(length // MINUTE + 1)]


def test_a_clock_that_goes_on_is_steady() -> None:
    assert watch(*every_minute(NOON, DAY)).steady_for == DAY


def test_one_look_says_nothing() -> None:
    assert watch(NOON).steady_for == timedelta(0)


@pytest.mark.parametrize("jump", [2 * DAY, 400 * DAY, LONGEST + MINUTE, -HOUR, -2 * DAY, -2 * MINUTE])
def test_after_a_jump_it_is_watched_anew(jump: timedelta) -> None:
    steady = watch(*every_minute(NOON, 2 * DAY))
    jumped = watch(NOON + 2 * DAY + jump, seen=steady)
    assert jumped.steady_for == timedelta(0)


@pytest.mark.parametrize("step", [timedelta(0), timedelta(seconds=1), -timedelta(seconds=30), LONGEST])
def test_a_small_correction_is_no_jump(step: timedelta) -> None:
    steady = watch(*every_minute(NOON, DAY))
    assert watch(NOON + DAY + step, seen=steady).steady_for >= STEADY


def test_no_jump_adds_more_than_an_hour_to_the_time_that_was_seen() -> None:
    assert watch(NOON, NOON + 400 * DAY, NOON, NOON + 400 * DAY).seconds == 2 * LONGEST.total_seconds()


def test_two_jumps_there_and_back_leave_it_unsteady_for_a_day() -> None:
    steady = watch(*every_minute(NOON, 2 * DAY))
    back = watch(NOON + 4 * DAY, NOON + 2 * DAY + MINUTE, seen=steady)
    almost = watch(*every_minute(NOON + 2 * DAY + 2 * MINUTE, DAY - 2 * MINUTE), seen=back)
    assert almost.steady_for < STEADY
    assert watch(almost.looked_at + MINUTE, seen=almost).steady_for == STEADY  # type: ignore[operator]


@pytest.mark.parametrize(
    ("passed", "due"),
    [(timedelta(seconds=3), False), (-timedelta(seconds=3), False), (MINUTE, True), (-2 * MINUTE, True)],
)
def test_looks_are_noted_once_a_minute_and_when_the_clock_goes_back(passed: timedelta, due: bool) -> None:
    assert is_due(Seen(NOON), NOON + passed) is due
