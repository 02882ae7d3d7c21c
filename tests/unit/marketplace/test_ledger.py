import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbpo.core.errors import InvalidInput
from marketplace.ledger import fee_cents, read_amount, read_deposit, write_amount
from marketplace.protocol.errors import RequestError
from marketplace.templatetags.marketplace import dollars, duration


@pytest.mark.parametrize(
    ("amount", "cents"),
    [("0.15", 15), ("5", 500), ("5.", 500), ("5.1", 510), ("0", 0), ("10000.00", 1_000_000)],
)
def test_an_amount_is_read_in_cents(amount: str, cents: int) -> None:
    assert read_amount("Reward", amount) == cents


@pytest.mark.parametrize(("amount", "least"), [("0.00", 1), ("10000.01", 0), ("9" * 5000, 0)])
def test_an_amount_out_of_range_is_refused(amount: str, least: int) -> None:
    with pytest.raises(RequestError, match=r"Reward is .*; it must be from"):
        read_amount("Reward", amount, least=least)


@given(st.integers(0, 1_000_000))
def test_an_amount_that_is_written_is_read_again(cents: int) -> None:
    assert read_amount("Reward", write_amount(cents)) == cents


@pytest.mark.parametrize(
    ("cents", "assignments", "fee"),
    [(15, 3, 3), (15, 9, 3), (15, 10, 6), (1, 1, 1), (0, 1, 1), (13, 1, 3), (12, 1, 2), (100, 10, 40)],
)
def test_the_fee_is_a_fifth_or_two_fifths_and_at_least_a_cent(cents: int, assignments: int, fee: int) -> None:
    assert fee_cents(cents, assignments) == fee


@pytest.mark.parametrize(("amount", "cents"), [("100", 10_000), ("99.50", 9_950), ("0", 0)])
def test_a_deposit_is_read_in_cents(amount: str, cents: int) -> None:
    assert read_deposit(amount) == cents


@pytest.mark.parametrize("amount", ["", "-1", "1,000", "1.5", "€5", "١"])
def test_a_deposit_that_is_no_sum_is_refused(amount: str) -> None:
    with pytest.raises(InvalidInput, match=r"such as 100\.00"):
        read_deposit(amount)


def test_money_is_written_for_people() -> None:
    assert [dollars(cents) for cents in (5, 123_450)] == ["$0.05", "$1,234.50"]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (1, "1 second"),
        (38, "38 seconds"),
        (60, "1 minute"),
        (90, "90 seconds"),
        (300, "5 minutes"),
        (3600, "1 hour"),
        (5400, "90 minutes"),
        (86_400, "1 day"),
        (2_592_000, "30 days"),
    ],
)
def test_a_duration_is_written_in_its_largest_unit(seconds: int, words: str) -> None:
    assert duration(seconds) == words
