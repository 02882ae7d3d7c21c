"""Reading JSON from outside: what is nested too deep is refused, as what is no JSON at all."""

import json
from collections import Counter
from typing import Any

DEEPEST = 64  # lists and objects in each other; what anybody sends here has a few


def read_json(text: str | bytes, *, unique_keys: bool = False) -> Any:
    """Read JSON that somebody else wrote.

    Parameters
    ----------
    text : str or bytes
    unique_keys : bool
        Whether an object with a key twice is refused; otherwise its last value counts.

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
        value = json.loads(text, object_pairs_hook=_unique if unique_keys else None)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return value
    raise ValueError(_TOO_DEEP)


_TOO_DEEP = f"it is nested more than {DEEPEST} deep"


class DuplicateKey(ValueError):
    """An object with a key that occurs twice."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of its keys and values; refuse a key that occurs twice."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        twice = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise DuplicateKey(f"the key {twice[:60]!r} occurs twice in one object")
    return fields


def _inside(value: Any) -> list[Any]:
    """Return the lists and objects that stand in a value."""
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list):
        return []
    return [inner for inner in value if isinstance(inner, dict | list)]
