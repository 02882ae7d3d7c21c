"""How long a batch still takes."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbpo.pages.batches import ENOUGH, time_left

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def test_ten_an_hour_take_two_hours_for_twenty() -> None:
    assert time_left(20, 10, NOW - HOUR, NOW) == 2 * HOUR


@pytest.mark.parametrize(
    ("missing", "recent", "first"),
    [(0, 10, NOW - HOUR), (-1, 10, NOW - HOUR), (5, ENOUGH - 1, NOW - HOUR), (5, 0, None), (5, 10, NOW)],
    ids=["none missing", "more than promised", "too few came", "none came", "all in one moment"],
)
def test_nothing_is_said_where_it_cannot_be(missing: int, recent: int, first: datetime | None) -> None:
    assert time_left(missing, recent, first, NOW) is None


@given(st.integers(1, 10_000), st.integers(ENOUGH, 10_000), st.floats(0.01, 24))
def test_twice_as_much_takes_twice_as_long(missing: int, recent: int, hours: float) -> None:
    first = NOW - timedelta(hours=hours)
    once, twice = time_left(missing, recent, first, NOW), time_left(2 * missing, recent, first, NOW)
    assert once is not None
    assert twice is not None
    assert abs(twice - 2 * once) <= timedelta(microseconds=2)
