"""What metrics are worth: how far they go with judgements, and how many they save."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from kbpo_estimators._checks import FloatArray, IntArray

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Worth:
    """What metrics are worth for one measure of one system; float[C] each.

    Attributes
    ----------
    rho, rho_low, rho_high : float[C]
        Correlation with f, in [-1, 1]; NaN where it is not estimable: outputs show no difference, none was
        judged twice, or the interval is all of [-1, 1].
    efficiency, efficiency_low, efficiency_high : float[C]
    """

    rho: FloatArray
    rho_low: FloatArray
    rho_high: FloatArray
    efficiency: FloatArray
    efficiency_low: FloatArray
    efficiency_high: FloatArray


@dataclass(frozen=True, slots=True)
class Variances:
    """Where the variance of judgements comes from, as `control.Components`, and what follows.

    Attributes
    ----------
    sigma2_a, sigma2_f : float
    """

    sigma2_a: float
    sigma2_f: float

    @property
    def gamma(self) -> float:
        """σ_a²/σ_f²."""
        return self.sigma2_a / self.sigma2_f if self.sigma2_f > 0 else math.inf

    @property
    def alpha(self) -> float:
        """Agreement as on an interval scale."""
        total = self.sigma2_a + self.sigma2_f
        return self.sigma2_f / total if total > 0 else 1.0

    @property
    def cap(self) -> float:
        """The data efficiency of a perfect metric: (1 + γ)/γ."""
        return (
            (1.0 + self.gamma) / self.gamma
            if math.isfinite(self.gamma) and self.gamma > 0
            else (1.0 if self.sigma2_a > 0 else math.inf)
        )


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The judged outputs of a system, by one measure.

    Attributes
    ----------
    means : float[n]
        ȳ.
    within : float[n]
        Σ_j (y_j − ȳ)².
    counts : int[n]
        k.
    weights : float[n]
        1/π.
    """

    means: FloatArray
    within: FloatArray
    counts: IntArray
    weights: FloatArray

    @property
    def mean(self) -> float:
        """The weighted mean judgement."""
        return float(self.means @ self.shares)

    @property
    def shares(self) -> FloatArray:
        """The weights, as shares of their sum."""
        return np.asarray(self.weights / self.weights.sum())

    def spread(self) -> tuple[float, FloatArray]:
        """Return the variance of one judgement, and of each output the mean square of its from the mean."""
        w = self.shares
        away = (self.means - self.means @ w) ** 2 + self.within / self.counts
        n = 1.0 / float((w * w).sum())
        return float(away @ w) * n / max(1.0, n - 1.0), away


def worth(
    judged: Judged, metrics: FloatArray, spreads: FloatArray, sigma2_a: float, *, is_own: bool, level: float
) -> Worth:
    """Return what metrics are worth.

    Intervals are by linearisation: that of DE is one of the correlation of one judgement with the metric, on
    Fisher's scale. ρ̂ divides by an estimate of σ_f², so noise may carry it beyond 1: it and its interval are
    clipped to [−1, 1].

    Parameters
    ----------
    judged : Judged
    metrics : float[C, n]
        Of the judged outputs.
    spreads : float[C]
        Their standard deviation over all outputs: 0 for a constant one.
    sigma2_a : float
        σ̂_a²; NaN where it is not known.
    is_own : bool
        Whether it is from these outputs, so that it moves with them.
    level : float
    """
    w = judged.shares
    variance, away = judged.spread()
    g = metrics - (metrics @ w)[:, None]
    of_g = (g * g) @ w
    is_flat = (spreads <= 0) | (of_g <= _ROUNDING * spreads**2) | (variance <= 0)
    of_g = np.where(is_flat, 1.0, of_g)
    of_y = variance if variance > 0 else 1.0
    y = judged.means - judged.means @ w
    quantile = float(stdtrit(max(1, y.size - 2), (1 + level) / 2))

    def correlated(of_truth: float, moved: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return Cov(ȳ, g)/√(`of_truth` · Var g) with its standard error, if `moved` is what moves that."""
        norm = np.sqrt(of_g * of_truth)
        found = np.where(is_flat, 0.0, (g * y) @ w / norm)
        moves = g * y / norm[:, None] - 0.5 * found[:, None] * (moved / of_truth + g * g / of_g[:, None])
        moves = moves - (moves @ w)[:, None]
        return found, np.where(is_flat, 0.0, np.sqrt((moves**2) @ (w * w)))

    r, error = correlated(of_y, away)
    r = np.clip(r, -1.0, 1.0)
    left = 1.0 - r * r
    middle = np.arctanh(np.clip(r, -1.0 + _ROUNDING, 1.0 - _ROUNDING))
    reach = quantile * error / np.maximum(left, _ROUNDING)
    low, high = np.tanh(middle - reach) ** 2, np.tanh(middle + reach) ** 2
    least = np.where(np.abs(middle) <= reach, 0.0, np.minimum(low, high))
    with np.errstate(divide="ignore"):
        efficiency, of_least, of_most = 1.0 / left, 1.0 / (1.0 - least), 1.0 / (1.0 - np.maximum(low, high))
    of_outputs = variance - sigma2_a
    if not of_outputs > 0:
        nothing = np.full(r.size, np.nan)
        return Worth(nothing, nothing, nothing, efficiency, of_least, of_most)
    of_noise = np.zeros(y.size)
    if is_own:
        more = np.maximum(0, judged.counts - 1)
        of_noise = (judged.within - sigma2_a * more) / max(1, int(more.sum())) / w
    rho, error = correlated(of_outputs, away - of_noise)
    reach = quantile * error
    low, high = np.clip(rho - reach, -1.0, 1.0), np.clip(rho + reach, -1.0, 1.0)
    unknown = (low <= -1.0) & (high >= 1.0)
    rho, low, high = (np.where(unknown, np.nan, one) for one in (np.clip(rho, -1.0, 1.0), low, high))
    return Worth(rho, low, high, efficiency, of_least, of_most)
