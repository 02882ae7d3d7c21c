"""MTurk's fees: the examples of its own terms, and those of the built-in marketplace."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.providers.fees import mturk_fee_cents
from marketplace import ledger


@pytest.mark.parametrize(
    ("cents", "places", "fee"), [(100, 1, 20), (100, 9, 20), (100, 10, 40), (1, 1, 1), (2, 10, 1), (15, 3, 3)]
)
def test_fees(cents: int, places: int, fee: int) -> None:
    assert mturk_fee_cents(cents, places) == fee


@given(st.integers(1, 100_000), st.integers(1, 20))
def test_what_is_set_aside_here_is_what_the_marketplace_takes(cents: int, places: int) -> None:
    assert mturk_fee_cents(cents, places) == ledger.fee_cents(cents, places)
