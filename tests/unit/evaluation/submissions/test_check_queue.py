"""The order of what waits to be read, when people take turns."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.submissions.check_queue import MOST_WAITING, Waiting, in_turn, refuse_too_many
from kbpo.core.errors import TooMany

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def files(*users):
    """Make a waiting file of each of these people, a minute apart."""
    return [Waiting(UUID(int=n), user, NOON + timedelta(minutes=n)) for n, user in enumerate(users)]


def order(waiting, recent=None):
    return [one.key.int for one in in_turn(waiting, recent or {})]


def test_one_person_is_served_in_the_order_of_arrival():
    assert order(reversed(files(7, 7, 7))) == [0, 1, 2]


def test_who_sent_many_does_not_keep_others_waiting():
    assert order(files(7, 7, 7, 8, 9, 8)) == [0, 3, 4, 1, 5, 2]


def test_who_had_fewer_turns_lately_comes_first():
    assert order(files(7, 8, 9), {7: 2, 8: 1}) == [2, 1, 0]


def test_turns_of_others_make_room_for_the_second_file():
    assert order(files(7, 7, 8), {8: 5}) == [0, 1, 2]


@given(
    st.lists(st.integers(0, 4), max_size=20),
    st.dictionaries(st.integers(0, 4), st.integers(0, 5)),
)
def test_nobody_gets_ahead_by_sending_more(users, recent):
    """A further file of somebody changes the order of no others."""
    before = [one.key for one in in_turn(files(*users), recent)]
    after = [one.key for one in in_turn(files(*users, 4), recent)]
    assert [key for key in after if key.int < len(users)] == before


def test_a_person_has_a_bounded_number_waiting():
    refuse_too_many(MOST_WAITING - 1)
    with pytest.raises(TooMany, match=f"{MOST_WAITING} is the most"):
        refuse_too_many(MOST_WAITING)
