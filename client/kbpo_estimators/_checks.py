"""What the arguments of the estimators must be; every refusal names the argument, the value and the rule."""

from collections.abc import Sequence
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kbpo_formats.errors import InvalidInput

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

SUM_TOLERANCE = 1e-9
ROUNDING = 1e-12
"""Of a number, the share that is rounding: sums of equal numbers differ from each other by that little."""


def refuse(argument: str, message: str) -> NoReturn:
    """Raise the one error that these modules know."""
    raise InvalidInput(message, where=argument)


def without_rounding(differences: FloatArray, size: FloatArray | float = 1.0) -> FloatArray:
    """Return differences with those set to 0 that are only rounding of numbers of a size.

    A variance of such differences is above 0, and an interval of it has hardly any width.
    """
    return np.where(np.abs(differences) <= ROUNDING * np.maximum(1.0, np.abs(size)), 0.0, differences)


def _refuse_where(argument: str, values: NDArray[np.generic], wrong: BoolArray, rule: str) -> None:
    if wrong.any():
        first = int(np.argmax(wrong))
        refuse(argument, f"the value {values[first]!s} at position {first} is wrong; {rule}")


def vector(argument: str, values: ArrayLike, length: int | None = None) -> FloatArray:
    """Return `values` as finite floats in one dimension, as many as `length` if it is given."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        refuse(argument, "one number for each instance is needed, in one dimension")
    if array.ndim != 1:
        refuse(argument, f"has {array.ndim} dimensions; one is needed")
    same_length(argument, array.size, length)
    _refuse_where(argument, array, ~np.isfinite(array), "a finite number is needed")
    return array


def same_length(argument: str, size: int, length: int | None) -> None:
    """Refuse a length other than that of the arguments before it."""
    if length is not None and size != length:
        refuse(argument, f"has {size} values where the other arguments have {length}; one for each is needed")


def not_empty(argument: str, size: int) -> None:
    """Refuse a system without instances."""
    if size == 0:
        refuse(argument, "is empty; a system with at least one instance is needed")


def probabilities(
    argument: str, values: ArrayLike, *, length: int | None = None, zero: bool = False
) -> FloatArray:
    """Return probabilities in (0, 1], or in [0, 1] where `zero` is allowed."""
    array = vector(argument, values, length)
    too_low = array < 0 if zero else array <= 0
    interval = "[0, 1]" if zero else "(0, 1]"
    _refuse_where(argument, array, too_low | (array > 1), f"a probability lies in {interval}")
    return array


def distribution(
    argument: str, values: ArrayLike, *, length: int | None = None, zero: bool = False
) -> FloatArray:
    """Return probabilities that sum to 1."""
    array = vector(argument, values, length)
    not_empty(argument, array.size)
    array = probabilities(argument, array, zero=zero)
    total = float(array.sum())
    if abs(total - 1.0) > SUM_TOLERANCE:
        refuse(argument, f"sums to {total!r}; the weights of a system sum to 1")
    return array


def labels(argument: str, values: ArrayLike, length: int | None = None) -> FloatArray:
    """Return labels, each 0 or 1."""
    array = vector(argument, values, length)
    _refuse_where(argument, array, (array != 0) & (array != 1), "a label is 0 or 1")
    return array


def flags(argument: str, values: ArrayLike, length: int | None = None) -> BoolArray:
    """Return booleans; numbers are refused, so that indices are not taken for a mask."""
    array = np.asarray(values)
    if array.size and array.dtype != np.bool_:
        refuse(argument, f"has the type {array.dtype}; booleans are needed, one for each instance")
    if array.ndim != 1:
        refuse(argument, f"has {array.ndim} dimensions; one is needed")
    same_length(argument, array.size, length)
    return array.astype(np.bool_)


def integers(
    argument: str, values: ArrayLike, *, length: int | None = None, low: int = 0, below: int | None = None
) -> IntArray:
    """Return whole numbers of at least `low`, and less than `below` if it is given."""
    array = vector(argument, values, length)
    rule = f"a whole number of at least {low}" + ("" if below is None else f" and below {below}")
    wrong = (array != np.floor(array)) | (array < low)
    if below is not None:
        wrong |= array >= below
    _refuse_where(argument, array, wrong, f"{rule} is needed")
    return array.astype(np.int64)


def positive(argument: str, value: float) -> float:
    """Return a finite number above 0."""
    if not (np.isfinite(value) and value > 0):
        refuse(argument, f"is {value!r}; a finite number above 0 is needed")
    return float(value)


def share(argument: str, value: float) -> float:
    """Return a number strictly between 0 and 1."""
    if not 0 < value < 1:
        refuse(argument, f"is {value!r}; a number between 0 and 1 is needed")
    return float(value)


def whole(argument: str, value: int, low: int) -> int:
    """Return a whole number of at least `low`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < low:
        refuse(argument, f"is {value!r}; a whole number of at least {low} is needed")
    return int(value)


def strings(argument: str, values: Sequence[str] | NDArray[np.generic]) -> list[str]:
    """Return a list of strings; one lone string is refused, since its letters would be taken for values."""
    if isinstance(values, str | bytes):
        refuse(argument, "is a single string; a list of strings is needed")
    found = values.tolist() if isinstance(values, np.ndarray) else list(values)
    for position, value in enumerate(found if set(map(type, found)) - {str} else ()):
        if not isinstance(value, str):
            refuse(argument, f"the value {value!r} at position {position} is wrong; a string is needed")
    return found
