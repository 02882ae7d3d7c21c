"""Columns of few distinct values: the values once, and for each place which of them stands there."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """A column of n places.

    Attributes
    ----------
    values : array[u]
        The distinct values, bit for bit as they were given.
    codes : uint[n]
    """

    values: Array
    codes: Array

    def column(self) -> Array:
        """Return the value at each place."""
        return self.values[self.codes]

    def pack(self) -> bytes:
        """Return both arrays, in NumPy's own format, one after the other."""
        return pack(self.values) + pack(self.codes)


def code(column: ArrayLike) -> Coded:
    """Code a column of numbers.

    Examples
    --------
    >>> coded = code([0.5, 0.25, 0.5])
    >>> coded.values.tolist(), coded.codes.tolist(), coded.column().tolist()
    ([0.25, 0.5], [1, 0, 1], [0.5, 0.25, 0.5])
    """
    values, codes = np.unique(np.asarray(column), return_inverse=True)
    return Coded(values, _smallest(codes))


def code_names(names: Sequence[str]) -> Coded:
    """Code a column of strings, in the order in which they first occur."""
    index = {name: place for place, name in enumerate(dict.fromkeys(names))}
    codes = np.fromiter(map(index.__getitem__, names), np.int64, len(names))
    return Coded(np.array(list(index), dtype=np.str_), _smallest(codes))


def pack(array: Array) -> bytes:
    """Return an array of numbers in NumPy's own format; of strings, their UTF-8, each with a line end."""
    if array.dtype.kind == "U":
        array = np.frombuffer("".join(f"{one}\n" for one in array.tolist()).encode(), dtype=np.uint8)
    stream = BytesIO()
    np.save(stream, array, allow_pickle=False)
    return stream.getvalue()


def unpack(data: bytes) -> Array:
    """Return the array of numbers that `pack` was given."""
    return _load(BytesIO(data))


def unpack_coded(data: bytes) -> Coded:
    """Return the column of numbers whose `Coded.pack` this is."""
    stream = BytesIO(data)
    return Coded(_load(stream), _load(stream))


def unpack_names(data: bytes) -> Coded:
    """Return the column of strings whose `Coded.pack` this is."""
    coded = unpack_coded(data)
    names = coded.values.tobytes().decode().split("\n")[:-1]
    return Coded(np.array(names, dtype=object), coded.codes)


def _load(stream: BytesIO) -> Array:
    array: Array = np.load(stream, allow_pickle=False)
    return array


def _smallest(codes: Array) -> Array:
    """Return the codes in the narrowest unsigned integers that hold them."""
    return codes.astype(np.min_scalar_type(int(codes.max(initial=0))))
