"""Confidence intervals: on the logit scale, with Wilson's where an estimate sits on the edge."""

import math
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from scipy.special import ndtri, stdtrit

from annotations.aggregation.shares import wilson_ends
from evaluation.estimators import _checks
from evaluation.estimators.differences import Difference
from evaluation.estimators.f1 import Estimated, F1Estimate, PoolSample, SampledPrecision, f1, harmonic
from evaluation.estimators.recall import RecallEstimate

LEVELS = (0.80, 0.90, 0.95)
DEFAULT_LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with the ends of its confidence interval: low ≤ estimate ≤ high."""

    estimate: float
    low: float
    high: float


class Spread(Estimated, Protocol):
    """An estimate whose interval may be one of Student's t."""

    @property
    def degrees_of_freedom(self) -> int | None:
        """Those of Student's t; None for the normal distribution."""
        ...


class Share(Spread, Protocol):
    """An estimated share, such as a precision or a recall, and how sure it is."""

    @property
    def n_eff(self) -> float:
        """The independent draws that it is worth; infinite for a census."""
        ...


def _clipped(value: float) -> float:
    return min(1.0, max(0.0, value))


def _on_the_edge(share: Spread) -> bool:
    # A single document has no degrees of freedom: what varies between documents cannot be seen.
    return not 0 < share.estimate < 1 or not share.variance or share.degrees_of_freedom == 0


@cache
def _quantile(level: float, degrees_of_freedom: int | None) -> float:
    at = (1 + level) / 2
    return float(ndtri(at) if degrees_of_freedom is None else stdtrit(degrees_of_freedom, at))


def _logit_interval(estimate: float, variance: float, quantile: float) -> Interval:
    reach = quantile * math.sqrt(variance) / (estimate * (1 - estimate))
    middle = math.log(estimate / (1 - estimate))
    return Interval(estimate, _expit(middle - reach), _expit(middle + reach))


def _expit(x: float) -> float:
    # SciPy's looks for an array each time, which takes as long as all the rest of an interval.
    return 1.0 / (1.0 + math.exp(-x)) if x >= 0 else math.exp(x) / (1.0 + math.exp(x))


def wilson(estimate: float, n: float, level: float = DEFAULT_LEVEL) -> Interval:
    """Return Wilson's score interval of a share.

    Parameters
    ----------
    estimate : float
        In [0, 1].
    n : float
        The independent draws behind it, above 0; infinite for a census, which has no width.
    level : {0.80, 0.90, 0.95}

    Returns
    -------
    Interval

    Raises
    ------
    InvalidInput
        If an argument is out of its range.

    Examples
    --------
    >>> interval = wilson(0.0, 10, 0.95)
    >>> interval.low, round(interval.high, 4)
    (0.0, 0.2775)
    """
    _refuse_level(level)
    if not 0 <= estimate <= 1:
        _checks.refuse("estimate", f"is {estimate!r}; a share in [0, 1] is needed")
    if math.isnan(n) or n <= 0:
        _checks.refuse("n", f"is {n!r}; a number above 0 is needed")
    return Interval(estimate, *wilson_ends(estimate, n, _quantile(level, None)))


def interval(share: Share | None, level: float = DEFAULT_LEVEL) -> Interval | None:
    """Return the confidence interval of a precision or a recall.

    On the logit scale, normal for precision and Student's t for recall. Where the estimate is not inside
    (0, 1), or no variance was seen, the estimate is clipped and the interval is Wilson's with n_eff.

    Parameters
    ----------
    share : PrecisionEstimate, DrawnPrecision, RecallEstimate or None
    level : {0.80, 0.90, 0.95}

    Returns
    -------
    Interval or None
        None, not estimable, if `share` is.

    Raises
    ------
    InvalidInput
        If the level is another.
    """
    _refuse_level(level)
    if share is None:
        return None
    if _on_the_edge(share) or share.variance is None:
        return wilson(_clipped(share.estimate), share.n_eff, level)
    return _logit_interval(share.estimate, share.variance, _quantile(level, share.degrees_of_freedom))


class PrecisionShare(Share, SampledPrecision, Protocol):
    """A precision of either design."""


def f1_interval(
    precision: PrecisionShare,
    recall: RecallEstimate | None,
    level: float = DEFAULT_LEVEL,
    pool: PoolSample | None = None,
) -> Interval | None:
    """Return the confidence interval of F1.

    On the logit scale with recall's degrees of freedom. Where precision or recall is on the edge, the ends
    are the F1 of both lower and of both upper ends.

    Parameters
    ----------
    precision : PrecisionEstimate or DrawnPrecision
    recall : RecallEstimate or None
    level : {0.80, 0.90, 0.95}
    pool : PoolSample, optional
        As `f1.f1` takes it.

    Returns
    -------
    Interval or None
        None, not estimable, if recall is.

    Raises
    ------
    InvalidInput
        If the level is another, or the pool's sample is missing where it is needed.
    """
    p, r = interval(precision, level), interval(recall, level)
    return combined_interval(f1(precision, recall, pool), precision, recall, p, r, level)


def combined_interval(
    combined: F1Estimate | None,
    precision: PrecisionShare,
    recall: RecallEstimate | None,
    p: Interval | None,
    r: Interval | None,
    level: float = DEFAULT_LEVEL,
) -> Interval | None:
    """Return what `f1_interval` does, from what may be at hand already.

    Parameters
    ----------
    combined : F1Estimate or None
        Of this precision and recall.
    precision, recall, level
        As in `f1_interval`.
    p, r : Interval or None
        Their intervals at this level.
    """
    _refuse_level(level)
    if recall is None or combined is None or p is None or r is None:
        return None
    if _on_the_edge(precision) or _on_the_edge(recall) or _on_the_edge(combined) or combined.variance is None:
        return Interval(combined.estimate, harmonic(p.low, r.low), harmonic(p.high, r.high))
    return _logit_interval(
        combined.estimate, combined.variance, _quantile(level, combined.degrees_of_freedom)
    )


def difference_interval(
    difference: Difference, first: Interval, second: Interval, level: float = DEFAULT_LEVEL
) -> Interval:
    """Return the confidence interval of the difference between two systems.

    Normal for precision, Student's t for recall and F1, clipped to [−1, 1]. Where a system is right or wrong
    about everything, or no variance is seen, the residuals know too little; then the two intervals are
    combined by Newcombe's square-and-add, which makes no use of the pairing.

    Parameters
    ----------
    difference : Difference
        The first system's score less the second's.
    first, second : Interval
        The two scores' own intervals, at the same level.
    level : {0.80, 0.90, 0.95}

    Returns
    -------
    Interval
        In [−1, 1].

    Raises
    ------
    InvalidInput
        If the level is another.

    References
    ----------
    R. G. Newcombe (1998), Interval estimation for the difference between independent proportions, Statistics
    in Medicine 17, 873-890.
    """
    _refuse_level(level)
    on_the_edge = not (0 < first.estimate < 1 and 0 < second.estimate < 1)
    if on_the_edge or not difference.variance or difference.degrees_of_freedom == 0:
        estimate = first.estimate - second.estimate
        down = math.hypot(first.estimate - first.low, second.high - second.estimate)
        up = math.hypot(first.high - first.estimate, second.estimate - second.low)
    else:
        estimate = difference.estimate
        quantile = _quantile(level, difference.degrees_of_freedom)
        down = up = quantile * math.sqrt(difference.variance)
    return Interval(estimate, max(-1.0, estimate - down), min(1.0, estimate + up))


def _refuse_level(level: float) -> None:
    if level not in LEVELS:
        _checks.refuse("level", f"is {level!r}; one of {', '.join(map(str, LEVELS))} is needed")
