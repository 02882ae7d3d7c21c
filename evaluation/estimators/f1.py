"""F1: the harmonic mean of precision and recall, with its variance by the delta method."""

from dataclasses import dataclass
from typing import Protocol

from evaluation.estimators.recall import RecallEstimate


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


@dataclass(frozen=True, slots=True)
class F1Estimate:
    """An estimated F1.

    Attributes
    ----------
    estimate : float
        In [0, 1].
    variance : float or None
        None where precision has none.
    by_precision, by_recall : float
        F_P = 2R²/(P + R)² and F_R = 2P²/(P + R)²: how F1 moves with either.
    """

    estimate: float
    variance: float | None
    by_precision: float
    by_recall: float


def harmonic(precision: float, recall: float) -> float:
    """Return 2PR/(P + R), and 0 if both are 0."""
    total = precision + recall
    return 2.0 * precision * recall / total if total > 0 else 0.0


def f1(precision: Estimated, recall: RecallEstimate | None) -> F1Estimate | None:
    """Estimate F1 from precision and from recall by documents alone.

    V̂ = F_P² V̂(P) + F_R² C(z, z): the sampled instances and the exhaustive documents are independent.

    Parameters
    ----------
    precision : PrecisionEstimate or DrawnPrecision
        Clipped to [0, 1] here.
    recall : RecallEstimate or None

    Returns
    -------
    F1Estimate or None
        None, not estimable, if recall is not. 0 if precision and recall are both 0.
    """
    if recall is None:
        return None
    p = min(1.0, max(0.0, precision.estimate))
    r = recall.estimate
    if p + r == 0:
        return F1Estimate(0.0, 0.0, 0.0, 0.0)
    by_precision, by_recall = 2.0 * (r / (p + r)) ** 2, 2.0 * (p / (p + r)) ** 2
    variance = (
        None
        if precision.variance is None
        else by_precision**2 * precision.variance + by_recall**2 * recall.variance
    )
    return F1Estimate(harmonic(p, r), variance, by_precision, by_recall)
