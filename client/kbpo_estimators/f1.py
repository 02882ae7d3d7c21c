"""F1: the harmonic mean of precision and recall, with its variance by the delta method."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from kbpo_estimators import _checks
from kbpo_estimators._checks import FloatArray
from kbpo_estimators.recall import RecallEstimate


class Estimated(Protocol):
    """An estimate with its variance, if that could be seen."""

    @property
    def estimate(self) -> float:
        """The estimate."""
        ...

    @property
    def variance(self) -> float | None:
        """Its estimated variance; None if none could be seen."""
        ...


class SampledPrecision(Estimated, Protocol):
    """A precision, and how each sampled instance contributes to its variance."""

    @property
    def contributions(self) -> FloatArray:
        """One for each sampled instance or draw, before squaring."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class PoolSample:
    """Where a system's sampled instances stand in the sample of its pool.

    Attributes
    ----------
    weights : float[S]
        What squared contributions count: `coordinated.variance_weights` of π_B; ones under `iid`.
    positions : int[n]
        For each instance of the system's sample, or each draw, its position in the pool's; −1 for one that
        is known and not in the pool's sample.
    """

    weights: FloatArray
    positions: ArrayLike

    def __post_init__(self) -> None:
        weights = _checks.vector("weights", self.weights)
        object.__setattr__(self, "weights", weights)
        object.__setattr__(
            self, "positions", _checks.integers("positions", self.positions, low=-1, below=weights.size)
        )

    def placed(self, contributions: FloatArray) -> FloatArray:
        """Return contributions of a system's sample as float[S], 0 for what it does not predict."""
        positions = np.asarray(self.positions)
        _checks.same_length("positions", positions.size, contributions.size)
        inside = positions >= 0
        placed = np.zeros(self.weights.size)
        placed[positions[inside]] = contributions[inside]
        return placed

    def variance(self, placed: FloatArray) -> float:
        """Return Σ weight · c² over the pool's sample."""
        return float((self.weights * placed**2).sum())


@dataclass(frozen=True, slots=True, eq=False)
class F1Estimate:
    """An estimated F1, and what differences need of it.

    Attributes
    ----------
    estimate : float
        In [0, 1].
    variance : float or None
        None where precision or recall shows none.
    by_precision, by_recall : float
        F_P = 2R²/(P + R)² and F_R = 2P²/(P + R)²: how F1 moves with either.
    contributions : float[S]
        F_P p e + F_R α φ̂κ̂ h over the pool's sample; empty where that was not given.
    residuals : float[n]
        F_R z for each exhaustive document.
    recall : RecallEstimate
        What it was made from.
    pool : PoolSample or None
    """

    estimate: float
    variance: float | None
    by_precision: float
    by_recall: float
    contributions: FloatArray
    residuals: FloatArray
    recall: RecallEstimate
    pool: PoolSample | None

    @property
    def degrees_of_freedom(self) -> int:
        """Those of recall."""
        return self.recall.degrees_of_freedom


def harmonic(precision: float, recall: float) -> float:
    """Return 2PR/(P + R), and 0 if both are 0."""
    total = precision + recall
    return 2.0 * precision * recall / total if total > 0 else 0.0


def f1(
    precision: SampledPrecision, recall: RecallEstimate | None, pool: PoolSample | None = None
) -> F1Estimate | None:
    """Estimate F1.

    V̂ = Σ_sample (1 − π)/π² (F_P p e + F_R α φ̂κ̂ h)² + F_R² C(z, z): sampled instances and exhaustive
    documents are independent, but precision and recall from labelled predictions share their labels.

    Parameters
    ----------
    precision : PrecisionEstimate or DrawnPrecision
        Clipped to [0, 1] here, as recall is.
    recall : RecallEstimate or None
    pool : PoolSample, optional
        Needed where recall uses labelled predictions, and for differences.

    Returns
    -------
    F1Estimate or None
        None, not estimable, if recall is not. 0 if precision and recall are both 0.

    Raises
    ------
    InvalidInput
        If recall uses labelled predictions and the pool's sample is missing or of another size.
    """
    if recall is None:
        return None
    p, r = (min(1.0, max(0.0, one.estimate)) for one in (precision, recall))
    by_precision = 2.0 * (r / (p + r)) ** 2 if p + r > 0 else 0.0
    by_recall = 2.0 * (p / (p + r)) ** 2 if p + r > 0 else 0.0
    uses_labels = recall.contributions.size > 0
    if uses_labels and pool is None:
        _checks.refuse("pool", "is missing; recall from labelled predictions shares labels with precision")

    variance = None
    contributions = np.empty(0)
    if pool is not None:
        contributions = by_precision * pool.placed(precision.contributions)
        if uses_labels:
            _checks.same_length("pool", pool.weights.size, recall.contributions.size)
            contributions = contributions + by_recall * recall.contributions
    if precision.variance is not None and recall.variance is not None:
        of_instances = (
            pool.variance(contributions)
            if pool is not None and uses_labels
            else by_precision**2 * precision.variance
        )
        variance = of_instances + by_recall**2 * recall.variance_of_documents
    return F1Estimate(
        estimate=harmonic(p, r),
        variance=variance,
        by_precision=by_precision,
        by_recall=by_recall,
        contributions=contributions,
        residuals=by_recall * recall.residuals,
        recall=recall,
        pool=pool,
    )
