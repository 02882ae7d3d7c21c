"""How far the differences of all pairs of systems reach, at any level.

`intervals.difference_interval` is about one pair at a level of the board. Ranks are about all pairs at once,
so each has to hold far out in the tails, where an estimate that is small by chance also has too small a
variance. So a difference gets its interval from the two systems' own, which are made on the logit scale, and
from their correlation.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit, ndtri, stdtrit

from kbpo_estimators import _checks
from kbpo_estimators._checks import BoolArray, FloatArray
from kbpo_estimators.differences import Differences
from kbpo_estimators.intervals import DEFAULT_LEVEL, Interval

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """All pairs of k systems with l, and what intervals of their differences are made of.

    Attributes
    ----------
    gaps : float[k, l]
        The first's estimate less the second's; NaN where it is not estimable.
    correlations : float[k, l]
        Of the two estimates; 0 where it cannot be seen.
    same : bool[k, l]
        Of which no difference can be seen: the two differ by rounding, or in nothing that is labelled.
    first, second : float[k, 3] and float[l, 3]
        Each system's estimate with the ends of its interval.
    level : float
        Of those intervals.
    degrees_of_freedom : int or None
        Those of Student's t; None for the normal distribution.
    """

    gaps: FloatArray
    correlations: FloatArray
    same: BoolArray
    first: FloatArray
    second: FloatArray
    level: float
    degrees_of_freedom: int | None

    def arms(self, at: float) -> tuple[FloatArray, FloatArray]:
        """Return how far the intervals of all differences reach down and up (float[k, l]) at a level.

        They are √(a² + b² − 2ρab), of the arms a and b of the two systems' own intervals at that level that
        point to each other, and of those that point away (Newcombe's square-and-add, for correlated
        estimates). Infinite where no difference can be seen.
        """
        (down, up), (other_down, other_up) = self._own_arms(at)
        return (
            self._combined(down[:, None], other_up[None, :]),
            self._combined(up[:, None], other_down[None, :]),
        )

    def reach(self, at: float) -> FloatArray:
        """Return how far from 0 each difference must be to be significant by itself (float[k, l])."""
        (down, up), (other_down, other_up) = self._own_arms(at)
        above = self.gaps >= 0
        return self._combined(
            np.where(above, down[:, None], up[:, None]), np.where(above, other_up, other_down)
        )

    def _own_arms(self, at: float) -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
        if not 0 < at < 1:
            _checks.refuse("at", f"is {at!r}; a level between 0 and 1 is needed")
        degrees = self.degrees_of_freedom
        ratio = _quantile(at, degrees) / _quantile(self.level, degrees)
        return _stretched(self.first, ratio), _stretched(self.second, ratio)

    def _combined(self, a: FloatArray, b: FloatArray) -> FloatArray:
        squares = a * (a - 2.0 * self.correlations * b) + b * b
        return np.where(self.same, np.inf, np.sqrt(np.maximum(squares, 0.0)))


def pairs(
    found: Differences, first: Sequence[Interval], second: Sequence[Interval], level: float = DEFAULT_LEVEL
) -> Pairs:
    """Prepare the intervals of all differences.

    Parameters
    ----------
    found : Differences
        Of k systems from l.
    first, second : sequence of Interval, length k and l
        Their own intervals.
    level : float
        Of these intervals.

    Returns
    -------
    Pairs

    References
    ----------
    G. Y. Zou (2008), On the estimation of additive interaction by use of the four-by-two table and beyond,
    American Journal of Epidemiology 168, 212-224: square-and-add for correlated estimates.
    """
    own, others = _figures(first), _figures(second)
    _checks.same_length("first", own.shape[0], found.estimates.shape[0])
    _checks.same_length("second", others.shape[0], found.estimates.shape[1])
    norms = 2.0 * np.sqrt(np.outer(found.own, found.others))
    sums = found.own[:, None] + found.others[None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        correlations = (sums - found.variances) / norms
    edge = _is_edge(own)[:, None] | _is_edge(others)[None, :]
    known = np.isfinite(correlations) & ~edge
    # At 0 or 1 residuals are 0 whatever the truth: there the intervals know more, where they have a width.
    unseen = (found.variances == 0) & (
        ~edge | ((own[:, 1] == own[:, 2])[:, None] & (others[:, 1] == others[:, 2])[None, :])
    )
    degrees = found.degrees_of_freedom
    return Pairs(
        gaps=found.estimates,
        correlations=np.where(known, np.clip(correlations, -1.0, 1.0), 0.0),
        same=unseen | ~(np.abs(found.estimates) > _ROUNDING),
        first=own,
        second=others,
        level=level,
        degrees_of_freedom=None if degrees is not None and degrees < 1 else degrees,
    )


def pair_level(level: float, systems: int) -> float:
    """Return the level that an interval of one pair needs to hold with those of all pairs (Bonferroni's).

    Parameters
    ----------
    level : float
        For all pairs at once.
    systems : int
        How many there are, at least 2.

    Examples
    --------
    >>> round(pair_level(0.95, 40), 6)
    0.999936
    """
    count = _checks.whole("systems", systems, 2)
    return 1.0 - (1.0 - level) / math.comb(count, 2)


def _figures(intervals: Sequence[Interval]) -> FloatArray:
    return np.array([(one.estimate, one.low, one.high) for one in intervals]).reshape(-1, 3)


def _is_edge(figures: FloatArray) -> BoolArray:
    return np.asarray((figures[:, 0] <= 0.0) | (figures[:, 0] >= 1.0))


def _quantile(level: float, degrees: int | None) -> float:
    at = (1.0 + level) / 2.0
    return float(ndtri(at) if degrees is None else stdtrit(degrees, at))


def _stretched(figures: FloatArray, ratio: float) -> tuple[FloatArray, FloatArray]:
    """Return how far intervals reach down and up if their quantile is `ratio` times what it was.

    An interval inside (0, 1) is stretched on the logit scale; one at an end is Wilson's, z²/(n + z²) long.
    """
    estimate, low, high = figures.T
    with np.errstate(divide="ignore", invalid="ignore"):
        middle = logit(estimate)
        down = estimate - expit(middle - ratio * (middle - logit(low)))
        up = expit(middle + ratio * (logit(high) - middle)) - estimate
        at_zero, at_one = (ratio**2 * odds for odds in (high / (1.0 - high), (1.0 - low) / low))
        up = np.where(estimate <= 0.0, np.where(high < 1.0, at_zero / (1.0 + at_zero), 1.0), up)
        down = np.where(estimate >= 1.0, np.where(low > 0.0, at_one / (1.0 + at_one), 1.0), down)
    return np.where(low < estimate, down, 0.0), np.where(high > estimate, up, 0.0)
