"""Shares and medians of independent observations, with intervals that hold for few of them too."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, median

from scipy.special import bdtr

from annotations.aggregation import _checks
from kbpo_estimators.wilson import wilson_ends

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Share:
    """How many of some trials came out right, with Wilson's interval: low ≤ estimate ≤ high."""

    right: int
    of: int
    estimate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Median:
    """A median with a distribution-free interval.

    Attributes
    ----------
    estimate : float
    low, high : float or None
        None where so few values hold no median so surely: fewer than 6, at 95%.
    of : int
        The values.
    """

    estimate: float
    low: float | None
    high: float | None
    of: int


def share(right: int, of: int, *, level: float = LEVEL) -> Share | None:
    """Estimate a probability from trials.

    Parameters
    ----------
    right, of : int
        0 ≤ right ≤ of.
    level : float
        Of the interval, between 0 and 1.

    Returns
    -------
    Share or None
        None without trials.

    Raises
    ------
    InvalidInput
        If an argument is out of its range.

    Examples
    --------
    >>> found = share(9, 10)
    >>> found.estimate, round(found.low, 3), round(found.high, 3)
    (0.9, 0.596, 0.982)
    """
    _refuse_level(level)
    if not 0 <= right <= of:
        _checks.refuse("right", f"is {right!r} of {of!r}; a number from 0 to {of!r} is needed")
    if of == 0:
        return None
    low, high = wilson_ends(right / of, of, NormalDist().inv_cdf((1 + level) / 2))
    return Share(right, of, right / of, low, high)


def median_of(values: Sequence[float], *, level: float = LEVEL) -> Median | None:
    """Estimate a median.

    With n values, each end of the interval is the k-th from its side, for the largest k with
    P(Bin(n, ½) < k) ≤ (1 − level)/2: it holds the median with at least the level's probability, whatever the
    distribution.

    Parameters
    ----------
    values : sequence of float
        In any order.
    level : float
        Of the interval, between 0 and 1.

    Returns
    -------
    Median or None
        None without values.

    Examples
    --------
    Of ten, the second and the ninth:

    >>> median_of([8, 1, 2, 10, 4, 5, 6, 7, 3, 9])
    Median(estimate=5.5, low=2, high=9, of=10)
    """
    _refuse_level(level)
    n = len(values)
    if not n:
        return None
    ordered = sorted(values)
    rank = _rank(n, (1 - level) / 2)
    if rank == 0:
        return Median(median(ordered), None, None, n)
    return Median(median(ordered), ordered[rank - 1], ordered[n - rank], n)


def _rank(n: int, tail: float) -> int:
    """Return the largest k from 0 to n/2 with P(Bin(n, ½) < k) ≤ tail."""
    low, high = 0, n // 2
    while low < high:
        middle = (low + high + 1) // 2
        if bdtr(middle - 1, n, 0.5) <= tail:
            low = middle
        else:
            high = middle - 1
    return low


def _refuse_level(level: float) -> None:
    if not 0 < level < 1:
        _checks.refuse("level", f"is {level!r}; a number between 0 and 1 is needed")
