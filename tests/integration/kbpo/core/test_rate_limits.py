from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from kbpo.core import rate_limits
from kbpo.core.errors import TooMany
from kbpo.core.models import RequestCount
from kbpo.core.rate_limits import RateLimit, hit

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
THREE = RateLimit("tries", 3, 60, "tries")


def take(number: int, *whose: str, now: datetime = NOW) -> list[int]:
    counts = [hit(THREE, *whose, now=now) for _ in range(number)]
    return [0 if count.is_allowed else count.seconds for count in counts]


def test_so_many_are_taken_and_the_next_is_told_how_long_to_wait():
    assert take(5, "ann") == [0, 0, 0, 60, 60]


def test_each_has_a_count_of_their_own():
    take(4, "ann")
    assert take(1, "ben") == [0]


def test_no_two_owners_are_one_by_how_their_names_are_put_together():
    hit(THREE, "a", "bc", now=NOW)
    hit(THREE, "ab", "c", now=NOW)
    assert RequestCount.objects.count() == 2


def test_a_count_ends_its_time_after_the_first_whatever_was_asked_since():
    take(4)
    assert take(1, now=NOW + timedelta(seconds=59.5)) == [1]
    assert take(3, now=NOW + timedelta(seconds=60)) == [0, 0, 0]


def test_what_is_given_back_does_not_count():
    take(3)
    rate_limits.give_back(THREE)
    assert take(2) == [0, 60]


def test_a_clock_that_was_ahead_locks_nobody_out():
    take(4, now=NOW + timedelta(days=2))
    assert take(1) == [0]


def test_a_refusal_says_how_much_is_taken_and_when_to_come_again():
    take(3)
    with pytest.raises(TooMany, match=r"more than 3 in 1 minute\. Try again in 20 seconds") as refusal:
        rate_limits.require(THREE, now=NOW + timedelta(seconds=40))
    assert refusal.value.retry_after == 20


def test_what_is_marked_is_remembered_for_its_time():
    rate_limits.mark(THREE, "ann", now=NOW)
    rate_limits.mark(THREE, "ann", now=NOW + timedelta(seconds=30))
    assert rate_limits.is_marked(THREE, "ann", now=NOW + timedelta(seconds=89))
    assert not rate_limits.is_marked(THREE, "ann", now=NOW + timedelta(seconds=90))


def test_what_has_ended_is_swept():
    take(1, "ann")
    take(1, "ben", now=NOW + timedelta(seconds=30))
    assert rate_limits.sweep(now=NOW + timedelta(seconds=60)) == 1


def test_nothing_of_whose_count_it_is_can_be_read():
    take(1, "198.51.100.7")
    assert "198.51.100.7" not in str(RequestCount.objects.values())


def test_a_count_is_one_statement_and_is_written_to_no_log(django_assert_num_queries):
    with django_assert_num_queries(1):
        take(1)
    with connection.cursor() as cursor:
        cursor.execute("SELECT relpersistence FROM pg_class WHERE relname = 'core_requestcount'")
        assert cursor.fetchone() == ("u",)
