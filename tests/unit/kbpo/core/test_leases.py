from datetime import UTC, datetime, timedelta

import pytest

from kbpo.core.database.leases import CLOCKS_DIFFER, is_held

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("left", "held"),
    [
        (-HOUR, False),
        (timedelta(0), False),
        (timedelta(seconds=1), True),
        (HOUR, True),
        (HOUR + CLOCKS_DIFFER, True),
        (HOUR + CLOCKS_DIFFER + timedelta(seconds=1), False),
        (timedelta(days=2), False),
    ],
)
def test_a_lease_holds_until_its_end_and_never_longer_than_one_can_be(left: timedelta, held: bool) -> None:
    assert is_held(NOON + left, NOON, longest=HOUR) is held


def test_what_nobody_took_is_held_by_nobody() -> None:
    assert not is_held(None, NOON, longest=HOUR)
