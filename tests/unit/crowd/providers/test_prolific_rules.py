from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.providers.prolific.hooks import sign
from crowd.providers.prolific.rules import (
    check_pay,
    estimated_minutes,
    fee_cents,
    longest_minutes,
    read_rejection,
)
from kbpo.core.errors import InvalidInput

REASON = (
    "Eight of the ten answers name a relation between people although each text is about one company only."
)


@pytest.mark.parametrize(
    ("feedback", "category", "message"),
    [
        (REASON, "OTHER", REASON),
        (f"Low effort: {REASON}", "LOW_EFFORT", REASON),
        (f"  failed   check :  {REASON} ", "FAILED_CHECK", REASON),
        (f"Look here: {REASON}", "OTHER", f"Look here: {REASON}"),
    ],
)
def test_a_reason_may_begin_with_its_category(feedback: str, category: str, message: str) -> None:
    rejection = read_rejection(feedback)
    assert (rejection.category, rejection.message) == (category, message)


def test_the_category_does_not_count_towards_the_length() -> None:
    with pytest.raises(InvalidInput, match="this one has 99"):
        read_rejection("Malingering: " + "x" * 99)
    assert read_rejection("Malingering: " + "x" * 100).category == "MALINGERING"


@pytest.mark.parametrize(
    "why",
    [
        "You disagreed with the majority in nine of the ten questions.",
        "Most other workers answered in another way.",
        "Your answers differ from the rest.",
        "All participants said no.",
        "The answers do not agree with the others.",
        "The consensus of the group is another one.",
    ],
)
def test_what_others_answered_is_no_reason(why: str) -> None:
    with pytest.raises(InvalidInput, match="no reason to Prolific"):
        read_rejection(f"{why} {REASON}")


@pytest.mark.parametrize(
    "why",
    ["The majority of questions has no answer.", "Both names are of people, other texts are not meant here."],
)
def test_what_the_answer_itself_shows_is_one(why: str) -> None:
    assert read_rejection(f"{why} {REASON}").message.startswith(why)


def test_pay_is_measured_by_the_hour() -> None:
    check_pay(54, 4)  # 8.10
    with pytest.raises(InvalidInput, match=r"53 cents for about 4 minutes are \$7\.95 .*: 54 cents"):
        check_pay(53, 4)
    with pytest.raises(InvalidInput, match="about 1 minute are"):
        check_pay(13, 1)


@given(st.integers(1, 600))
def test_what_would_be_enough_is_enough(minutes: int) -> None:
    with pytest.raises(InvalidInput) as caught:
        check_pay(1, minutes)
    enough = int(str(caught.value).split()[-2])
    check_pay(enough, minutes)
    with pytest.raises(InvalidInput):
        check_pay(enough - 1, minutes)


def test_time_is_told_in_whole_minutes() -> None:
    assert estimated_minutes(900, 200) == 4
    assert estimated_minutes(900, 20) == 1


@given(st.integers(60, 36_000))
def test_without_an_estimate_it_is_the_longest_that_the_time_allows(duration: int) -> None:
    minutes = estimated_minutes(duration, None)
    assert minutes == 1 or longest_minutes(minutes) <= -(-duration // 60)
    assert longest_minutes(minutes + 1) > duration // 60


def test_the_fee_is_rounded_up_and_exact() -> None:
    assert fee_cents(100, Decimal("33.34")) == 34
    assert fee_cents(300, Decimal("33")) == 99
    assert fee_cents(70, Decimal("42.86")) == 31  # 30.002
    assert fee_cents(0, Decimal("42.86")) == 0


def test_a_signature_is_the_base64_of_an_hmac_over_time_and_body() -> None:
    # echo -n '1700000000{"a":1}' | openssl dgst -sha256 -hmac secret -binary | base64
    assert sign(b'{"a":1}', "1700000000", "secret") == "86FWgFUUlefScwLE0Z5MvtxlDxn6W0A3PADL6lKmRAY="
