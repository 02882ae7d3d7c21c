import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbpo.core.database.coded import code, code_names, pack, unpack, unpack_coded, unpack_names


@given(st.lists(st.floats(allow_nan=False), max_size=30))
def test_numbers_come_back_bit_for_bit(numbers):
    column = np.array(numbers, dtype=np.float64)
    back = unpack_coded(code(column).pack()).column()
    assert np.array_equal(back, column)
    assert unpack(pack(column)).tobytes() == column.tobytes()


@given(st.lists(st.text(st.characters(exclude_characters="\n\0", exclude_categories=["Cs"])), max_size=30))
def test_names_come_back(names):
    assert unpack_names(code_names(names).pack()).column().tolist() == names


@pytest.mark.parametrize(("distinct", "width"), [(1, 1), (256, 1), (257, 2), (65_537, 4)])
def test_codes_are_as_narrow_as_can_be(distinct, width):
    assert code(np.arange(distinct) / 7).codes.itemsize == width


def test_each_value_is_kept_once():
    coded = code([0.5, 0.1, 0.5, 0.5])
    assert (coded.values.tolist(), coded.codes.tolist()) == ([0.1, 0.5], [1, 0, 1, 1])
