"""Confidence intervals: on the logit scale, with Wilson's where an estimate sits on the edge."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

import numpy as np
from scipy.special import ndtri, stdtrit

from kbpo_estimators import _checks
from kbpo_estimators.differences import Difference
from kbpo_estimators.f1 import Estimated, F1Estimate, PoolSample, SampledPrecision, f1, harmonic
from kbpo_estimators.recall import RecallEstimate
from kbpo_estimators.wilson import wilson_ends

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


def every_interval(
    shares: Sequence[Share | None], levels: Sequence[float] = LEVELS
) -> list[list[Interval | None]]:
    """Return the confidence intervals of many shares at some levels, by share: each as `interval` makes it.

    Raises
    ------
    InvalidInput
        If a level is another.
    """
    found: list[list[Interval | None]] = []
    known: list[tuple[Spread, list[Interval | None]]] = []
    for share in shares:
        of_share: list[Interval | None] = []
        if share is None or _on_the_edge(share):
            of_share = [interval(share, level) for level in levels]
        else:
            known.append((share, of_share))
        found.append(of_share)
    _fill(known, levels)
    return found


def _fill(spreads: Sequence[tuple[Spread, list[Interval | None]]], levels: Sequence[float]) -> None:
    """Add to the list beside each spread its intervals, on the logit scale: none of them is on the edge."""
    estimate = np.array([one.estimate for one, _ in spreads])
    middle, slope = np.log(estimate / (1.0 - estimate)), 1.0 / (estimate * (1.0 - estimate))
    deviation = np.sqrt(np.array([one.variance for one, _ in spreads], dtype=np.float64))
    freedom = [one.degrees_of_freedom for one, _ in spreads]
    for level in levels:
        _refuse_level(level)
        reach = np.array([_quantile(level, one) for one in freedom]) * deviation * slope
        ends = np.concatenate([middle - reach, middle + reach])
        small = np.exp(-np.abs(ends))
        low, high = np.split(np.where(ends >= 0, 1.0, small) / (1.0 + small), 2)
        for (one, own), *of_level in zip(spreads, low.tolist(), high.tolist(), strict=True):
            own.append(Interval(one.estimate, *of_level))


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
    combined, p, r = f1(precision, recall, pool), interval(precision, level), interval(recall, level)
    return every_combined([combined], [precision], [recall], [[p]], [[r]], [level])[0][0]


def every_combined(
    combined: Sequence[F1Estimate | None],
    precisions: Sequence[PrecisionShare],
    recalls: Sequence[RecallEstimate | None],
    p: Sequence[Sequence[Interval | None]],
    r: Sequence[Sequence[Interval | None]],
    levels: Sequence[float] = LEVELS,
) -> list[list[Interval | None]]:
    """Return the intervals of many systems' F1 at some levels, by system: each as `f1_interval` makes it.

    Parameters
    ----------
    combined : sequence of F1Estimate or None
        Of these precisions and recalls.
    precisions, recalls : sequence
    p, r : sequence of sequence of Interval or None
        Their intervals, by system and level.
    levels : sequence of float
    """
    found: list[list[Interval | None]] = []
    known: list[tuple[Spread, list[Interval | None]]] = []
    for one, precision, recall, of_p, of_r in zip(combined, precisions, recalls, p, r, strict=True):
        own: list[Interval | None] = []
        if recall is None or one is None:
            own = [None] * len(levels)
        elif _on_the_edge(precision) or _on_the_edge(recall) or _on_the_edge(one):
            own = [
                None
                if ends is None or others is None
                else Interval(one.estimate, harmonic(ends.low, others.low), harmonic(ends.high, others.high))
                for ends, others in zip(of_p, of_r, strict=True)
            ]
        else:
            known.append((one, own))
        found.append(own)
    _fill(known, levels)
    return found


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
