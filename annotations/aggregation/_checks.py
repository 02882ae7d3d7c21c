"""What the arguments of the aggregations must be; a refusal names the argument, the value and the rule."""

from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kbpo.core.errors import InvalidInput

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def refuse(argument: str, message: str) -> NoReturn:
    """Raise the one error that these modules know."""
    raise InvalidInput(message, where=argument)


def integers(
    argument: str,
    values: ArrayLike,
    *,
    dimensions: int = 1,
    low: int = 0,
    below: int | None = None,
    length: int | None = None,
) -> IntArray:
    """Return whole numbers of at least `low`, and less than `below` if it is given."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        refuse(argument, "whole numbers are needed")
    if array.ndim != dimensions:
        refuse(argument, f"has {array.ndim} dimensions; {dimensions} needed")
    if length is not None and len(array) != length:
        refuse(argument, f"has {len(array)} values where the other arguments have {length}")
    wrong = ~((array == np.floor(array)) & (array >= low) & (array < (np.inf if below is None else below)))
    if wrong.any():
        rule = f"a whole number of at least {low}" + ("" if below is None else f" and below {below}")
        position = tuple(int(index) for index in np.argwhere(wrong)[0])
        at = position[0] if dimensions == 1 else position
        refuse(argument, f"the value {array[position]:g} at position {at} is wrong; {rule} is needed")
    return array.astype(np.int64)
