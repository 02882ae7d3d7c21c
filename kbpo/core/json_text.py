"""Reading JSON from outside: what is nested too deep is refused, as what is no JSON at all."""

import json
from typing import Any

DEEPEST = 64  # lists and objects in each other; what anybody sends here has a few


def read_json(text: str | bytes) -> Any:
    """Read JSON that somebody else wrote.

    Raises
    ------
    ValueError
        If it is none, or nested more than `DEEPEST` deep: whoever walks it, or writes it again, would fail.

    Examples
    --------
    >>> read_json('{"a": [1]}')
    {'a': [1]}
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return value
    raise ValueError(_TOO_DEEP)


_TOO_DEEP = f"it is nested more than {DEEPEST} deep"


def _inside(value: Any) -> list[Any]:
    """Return the lists and objects that stand in a value."""
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list):
        return []
    return [inner for inner in value if isinstance(inner, dict | list)]
