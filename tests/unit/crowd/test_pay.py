"""Rewards by time and wage."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd import pay
from crowd.pay import Pace
from crowd.pricing import timing
from kbpo.core.errors import InvalidInput


@pytest.mark.parametrize(
    ("seconds", "hourly", "cents"),
    [
        (20, 1500, 9),  # 8.33, rounded up
        (24, 1500, 10),  # to the cent
        (780, 1500, 325),  # to the cent, whatever floats make of it
        (0, 1500, 1),
        (3600, 800, 800),
    ],
)
def test_a_reward_is_the_wage_for_the_time_rounded_up(seconds: float, hourly: int, cents: int) -> None:
    assert pay.reward(seconds=seconds, hourly_cents=hourly) == cents


def test_a_reward_has_a_least() -> None:
    assert pay.reward(seconds=1, hourly_cents=1500, least_cents=5) == 5


@given(st.floats(0, 1e5), st.integers(1, 10_000))
def test_a_reward_pays_the_wage_and_less_than_a_cent_more(seconds: float, hourly: int) -> None:
    cents = pay.reward(seconds=seconds, hourly_cents=hourly)
    exact = seconds * hourly / 3600
    assert exact - 1e-6 <= cents
    assert cents < exact + 1 or cents == 1


@given(st.floats(0, 1e5), st.floats(0, 1e5), st.integers(1, 10_000))
def test_longer_work_never_pays_less(one: float, more: float, hourly: int) -> None:
    assert pay.reward(seconds=one, hourly_cents=hourly) <= pay.reward(seconds=one + more, hourly_cents=hourly)


@pytest.mark.parametrize(
    "arguments",
    [
        {"seconds": -1, "hourly_cents": 1},
        {"seconds": float("nan"), "hourly_cents": 1},
        {"seconds": 1, "hourly_cents": 0},
    ],
)
def test_what_makes_no_sense_is_refused(arguments: dict[str, float]) -> None:
    with pytest.raises(InvalidInput):
        pay.reward(**arguments)  # type: ignore[arg-type]


def test_a_hit_takes_the_time_of_its_questions() -> None:
    pace = Pace(seconds={"relation": 12, "canonical": 4})
    assert pace.of_questions(["relation", "canonical", "canonical", "relation", "canonical"]) == 36


def test_a_document_of_a_thousand_tokens_takes_thirteen_minutes_unless_measured() -> None:
    assert timing.usual_pace().of_document("entities", tokens=1000) == pytest.approx(13 * 60)


def test_an_hour_of_rewards() -> None:
    assert pay.hourly(reward_cents=15, seconds=20) == 2700


@pytest.mark.parametrize(
    ("tokens", "cents", "reward"),
    [
        (1000, 325, 325),
        (200, 325, 65),  # 65.0 cents: a multiple already
        (201, 325, 70),  # 65.3, rounded up to five
        (3000, 75, 225),
        (1, 1, 5),
        (0, 325, 5),
    ],
)
def test_a_document_pays_by_its_tokens_in_steps_of_five_cents(tokens: int, cents: int, reward: int) -> None:
    assert pay.document_reward(tokens=tokens, cents=cents) == reward


@given(st.integers(1, 10_000), st.integers(1, 10_000))
def test_a_document_never_pays_less_than_its_price_nor_a_step_more(tokens: int, cents: int) -> None:
    reward = pay.document_reward(tokens=tokens, cents=cents)
    assert reward % 5 == 0
    assert 0 <= reward * 1000 - tokens * cents < 5 * 1000
