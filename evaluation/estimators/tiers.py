"""Tiers: which systems the data cannot tell apart, whatever they are ranked by."""

from collections.abc import Callable, Sequence

import numpy as np

from evaluation.estimators._checks import BoolArray, IntArray
from evaluation.estimators.intervals import Interval


def tiers(estimates: Sequence[float], tell_apart: Callable[[int, IntArray], BoolArray]) -> list[int]:
    """Group systems that the data cannot tell apart.

    The best system opens tier 1, and every system that cannot be told apart from it belongs there. The best
    of the others opens tier 2, and so on. To be told apart is not transitive: two systems of one tier may be
    told apart from each other, though neither from the first; and a system may stand above another one in its
    figure and below it in its tier, where it was measured on nearly the claims of the tier's first, so that
    even a small difference shows. What holds is that each system of a tier cannot be told from its first, and
    can from the firsts of all tiers before.

    Parameters
    ----------
    estimates : sequence of float, length m
        What is ranked, higher is better; equal ones in the order given.
    tell_apart : callable
        From the position of a tier's first, and those of others (int[k]), to bool[k]: whether the data tell
        each from the first.

    Returns
    -------
    list of int, length m
        From 1.
    """
    left = np.argsort(-np.asarray(estimates, dtype=np.float64), kind="stable")
    tier_of = np.zeros(left.size, dtype=np.int64)
    tier = 0
    while left.size:
        tier += 1
        first, others = int(left[0]), left[1:]
        apart = tell_apart(first, others) if others.size else np.zeros(0, dtype=np.bool_)
        tier_of[first] = tier
        tier_of[others[~apart]] = tier
        left = others[apart]
    return [int(one) for one in tier_of]


def excludes_zero(difference: Interval) -> bool:
    """Say whether an interval of a difference lies on one side of 0."""
    return difference.low > 0 or difference.high < 0
