"""Ranks: how many systems are significantly above each, at one level for all pairs at once."""

from collections.abc import Callable

import numpy as np

from kbpo_estimators import _checks
from kbpo_estimators._checks import BoolArray, FloatArray


def told_apart(gaps: FloatArray, reach: Callable[[float], FloatArray], level: float) -> BoolArray:
    """Say which of all pairs of systems differ significantly, by Holm's procedure.

    With a probability of at least `level` no pair is among them that does not differ, however the pairs
    depend on each other.

    Parameters
    ----------
    gaps : float[m, m]
        What each system has more than each; NaN where that is not estimable.
    reach : callable
        From a level to float[m, m]: how far from 0 each difference must be for its interval, were it the only
        one, to exclude 0.
    level : float
        For all pairs at once, in (0, 1).

    Returns
    -------
    bool[m, m]
        Symmetric.

    References
    ----------
    S. Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of
    Statistics 6, 65-70.
    """
    if not 0 < level < 1:
        _checks.refuse("level", f"is {level!r}; a level between 0 and 1 is needed")
    first, second = np.triu_indices(gaps.shape[0], 1)
    sizes = np.abs(gaps[first, second])
    apart = np.zeros(sizes.size, dtype=np.bool_)
    # Each step asks less of what is left, until nothing of it is significant.
    while not apart.all():
        left = sizes.size - int(apart.sum())
        found = sizes > reach(last_level(level, left))[first, second]
        if int(found.sum()) == sizes.size - left:
            break
        apart = found
    every = np.zeros(gaps.shape, dtype=np.bool_)
    every[first, second] = every[second, first] = apart
    return every


def last_level(level: float, left: int) -> float:
    """Return at which level a pair must differ by itself where so many pairs are left; for none as for one.

    Examples
    --------
    >>> last_level(0.95, 5)
    0.99
    """
    return 1.0 - (1.0 - level) / max(1, left)


def ranks(gaps: FloatArray, apart: BoolArray) -> list[int]:
    """Rank systems: 1 and how many are significantly above one.

    Parameters
    ----------
    gaps : float[m, m]
    apart : bool[m, m]
        As `told_apart` says.

    Returns
    -------
    list of int, length m
        Systems of one rank may differ significantly: not to be told apart is not transitive.

    Examples
    --------
    >>> gaps = np.array([[0.0, 0.1, 0.3], [-0.1, 0.0, 0.2], [-0.3, -0.2, 0.0]])
    >>> ranks(gaps, np.abs(gaps) > 0.15)
    [1, 1, 3]
    """
    return [1 + int(above) for above in (apart & (gaps < 0)).sum(axis=1)]
