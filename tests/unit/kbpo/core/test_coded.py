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


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6).reshape(2, 3),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.array([], dtype=np.uint8),
        np.array([True, False]),
        np.zeros((2, 2, 2)),
        np.array(3.5),
    ],
    ids=["two dimensions", "by columns", "empty", "flags", "three dimensions", "a number"],
)
def test_an_array_comes_back_with_its_type_and_shape(array):
    back = unpack(pack(array))
    assert (back.dtype, back.shape, back.tolist()) == (array.dtype, array.shape, array.tolist())


@pytest.mark.parametrize("kept", [3, 60, -1])
def test_an_array_that_is_cut_off_is_an_error(kept):
    with pytest.raises((EOFError, ValueError)):
        unpack(pack(np.arange(9))[:kept])


@given(st.lists(st.text(st.characters(exclude_characters="\n\0", exclude_categories=["Cs"])), max_size=30))
def test_names_come_back(names):
    assert unpack_names(code_names(names).pack()).column().tolist() == names


@pytest.mark.parametrize(("distinct", "width"), [(1, 1), (256, 1), (257, 2), (65_537, 4)])
def test_codes_are_as_narrow_as_can_be(distinct, width):
    assert code(np.arange(distinct) / 7).codes.itemsize == width


def test_each_value_is_kept_once():
    coded = code([0.5, 0.1, 0.5, 0.5])
    assert (coded.values.tolist(), coded.codes.tolist()) == ([0.1, 0.5], [1, 0, 1, 1])
