"""Choose which cases of a parametrised test run in ``make test``."""

from collections.abc import Iterable
from typing import Any

import pytest


def some_quick(cases: Iterable[Any], quick: int) -> list[Any]:
    """Return all cases in order, evenly spaced ``quick`` of them as they are and the others marked slow."""
    listed = list(cases)
    step = max(1, len(listed) // quick)
    chosen = set(range(0, len(listed), step)[:quick])
    return [
        case if place in chosen else pytest.param(case, marks=pytest.mark.slow)
        for place, case in enumerate(listed)
    ]
