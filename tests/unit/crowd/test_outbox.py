"""Waits between tries."""

from datetime import timedelta
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from crowd import outbox
from crowd.providers import mturk


@given(st.integers(1, 10_000), st.integers())
def test_a_wait_is_between_half_and_all_of_a_doubled_pause(tries: int, seed: int) -> None:
    pause = min(outbox.LONGEST, outbox.FIRST * float(2 ** min(tries - 1, 30)))
    assert pause / 2 <= outbox.wait(tries, Random(seed)) <= pause


def test_waits_differ_so_that_many_do_not_come_back_together() -> None:
    rng = Random(0)
    assert len({outbox.wait(5, rng) for _ in range(20)}) == 20


def test_a_provider_that_asks_for_more_time_gets_it() -> None:
    assert outbox.wait(1, Random(0), retry_after=90) == timedelta(seconds=90)


def test_a_lease_outlasts_every_try_of_a_request() -> None:
    assert outbox.LEASE.total_seconds() > 3 * mturk.ATTEMPTS * (mturk.CONNECT_SECONDS + mturk.READ_SECONDS)
