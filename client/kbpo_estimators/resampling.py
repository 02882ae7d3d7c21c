"""Bootstrap intervals under independent draws, as in the paper: draws and documents are drawn anew.

Each system's draws, and the exhaustive documents, are resampled with replacement, as often as they are. A
score changes by what each of them contributes to it, times how much more often it came. Precision is linear
in the draws, so this is what computing it again would give, but for a factor √(n/(n − 1)) with which
replicates vary by the estimated variance; of recall it is the linear part; F1 follows from both.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kbpo_estimators import _checks
from kbpo_estimators._checks import FloatArray
from kbpo_estimators.f1 import PoolSample
from kbpo_estimators.intervals import Interval, PrecisionShare, Share
from kbpo_estimators.recall import RecallEstimate

REPLICATES = 1_000
Way = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Resampling:
    """How a sample is resampled: the same whoever does it again.

    Attributes
    ----------
    seed : int
        At least 0.
    replicates : int
        B, at least 2.
    """

    seed: int
    replicates: int = REPLICATES

    def __post_init__(self) -> None:
        _checks.whole("seed", self.seed, 0)
        _checks.whole("replicates", self.replicates, 2)

    def of_documents(self, n: int) -> Any:
        """Return how much more often each of n documents came in each replicate, float32[n, B]."""
        return self._changes(0, n)

    def of_draws(self, counts: Sequence[int]) -> Iterator[tuple[slice, Any]]:
        """Yield for each system where its draws stand among all, and the same of them, float32[n_j, B]."""
        start = 0
        for number, n in enumerate(counts):
            yield slice(start, start + n), self._changes(1 + number, n)
            start += n

    def _changes(self, stream: int, n: int) -> Any:
        rng = np.random.default_rng([self.seed, stream])
        drawn = rng.integers(n, size=(self.replicates, n)) + n * np.arange(self.replicates)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=n * self.replicates)
        return counts.reshape(self.replicates, n).T.astype(np.float32) - np.float32(1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Replicates:
    """Every system's scores in each of B replicates.

    Attributes
    ----------
    precision, recall, f1 : float32[m, B]
        NaN for a system of which one is not estimable, or no variance can be seen.
    """

    precision: Any
    recall: Any
    f1: Any

    def ends(self, levels: Sequence[float]) -> dict[str, FloatArray]:
        """Return by measure the percentiles that end an interval, float[levels, 2, m], within [0, 1]."""
        at = [share for level in levels for share in ((1.0 - level) / 2.0, (1.0 + level) / 2.0)]
        return {
            measure: np.quantile(of_measure, at, axis=1)
            .clip(0.0, 1.0)
            .reshape(len(levels), 2, -1)
            .astype(np.float64)
            for measure, of_measure in (
                ("precision", self.precision),
                ("recall", self.recall),
                ("f1", self.f1),
            )
        }


def resample(
    precision: Mapping[Way, Sequence[PrecisionShare]],
    recall: Mapping[Way, Sequence[RecallEstimate | None]],
    pools: Mapping[str, Sequence[PoolSample]],
    draws: Sequence[int],
    resampling: Resampling,
) -> dict[Way, Replicates]:
    """Compute every system's scores in each replicate, by estimator and weighting.

    All scores have the same replicates, so differences between them may be taken.

    Parameters
    ----------
    precision : mapping of (estimator, weighting) to sequence of PrecisionShare, length m
    recall : mapping of (estimator, weighting) to sequence of RecallEstimate or None, length m
        Without entries where there is none. What judged claims contribute follows all draws.
    pools : mapping of estimator to sequence of PoolSample, length m
        Where what contributes to each system's precision stands among all draws, ascending.
    draws : sequence of int
        n_j: how many draws each system has; they stand one after the other.
    resampling : Resampling
    """
    precisions = {way: _repeated(own, resampling) for way, own in precision.items()}
    recalls = {way: _repeated(own, resampling) for way, own in recall.items()}
    for span, changes in resampling.of_draws(draws):
        for way, shares in precision.items():
            _add(precisions[way], _of_draws(shares, pools[way[0]], span), changes)
        for way, of_way in recall.items():
            used = {
                number: one.contributions[span]
                for number, one in enumerate(of_way)
                if one is not None and one.contributions.size
            }
            _add(recalls[way], used, changes)
    documents: dict[int, Any] = {}
    for way, of_way in recall.items():
        known = {number: one for number, one in enumerate(of_way) if one is not None}
        for n in {one.residuals.size for one in known.values()} - documents.keys():
            documents[n] = resampling.of_documents(n)
        for n, changes in documents.items():
            used = {
                number: one.residuals * np.sqrt(one.sample.factors(n))
                for number, one in known.items()
                if one.residuals.size == n
            }
            _add(recalls[way], used, changes)
    return {
        way: _replicates(own, recalls.get(way, np.full_like(own, np.nan))) for way, own in precisions.items()
    }


def percentile_interval(by_formula: Interval | None, low: float, high: float) -> Interval | None:
    """Return the interval between two percentiles, or that by formula where they do not enclose the estimate.

    Replicates do not where they show nothing: all labels alike, a single draw, an estimate at 0 or 1.
    """
    if by_formula is None or not low < by_formula.estimate < high:
        return by_formula
    return Interval(by_formula.estimate, float(low), float(high))


def _repeated(shares: Sequence[Share | None], resampling: Resampling) -> Any:
    estimates = [np.nan if one is None or one.variance is None else one.estimate for one in shares]
    return np.repeat(np.array(estimates, dtype=np.float32)[:, None], resampling.replicates, axis=1)


def _of_draws(
    shares: Sequence[PrecisionShare], pools: Sequence[PoolSample], span: slice
) -> dict[int, FloatArray]:
    """Return what one system's draws contribute to the precision of each system that uses them."""
    found = {}
    for number, (one, pool) in enumerate(zip(shares, pools, strict=True)):
        first, last = np.searchsorted(pool.positions, (span.start, span.stop))
        if first < last:
            found[number] = one.contributions[first:last]
    return found


def _add(scores: Any, contributions: Mapping[int, FloatArray], changes: Any) -> None:
    if contributions:
        block = np.array(list(contributions.values()), dtype=np.float32)
        scores[list(contributions)] += block @ changes


def _replicates(precision: Any, recall: Any) -> Replicates:
    p, r = precision.clip(0.0, 1.0), recall.clip(0.0, 1.0)
    total = p + r
    f1 = np.divide(2 * p * r, total, out=np.where(np.isnan(total), total, 0), where=total > 0)
    return Replicates(precision, recall, f1)
