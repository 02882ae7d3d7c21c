import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbpo.core.numbers import whole_number


@given(st.integers(0, 10**20))
def test_a_number_is_read_up_to_the_largest(number):
    assert whole_number(str(number), 10**20) == number
    assert whole_number(f"00{number}", number) == number
    assert whole_number(str(number + 1), number) is None


@pytest.mark.parametrize("text", ["", "-1", "+1", "1.0", " 1", "1_0", "٣", "²", "x", "9" * 5_000, "\0"])
def test_what_is_no_number_is_none(text):
    assert whole_number(text, 10**18) is None
