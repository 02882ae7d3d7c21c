"""Means of judgements with a metric as control variate: lines, variance components, correlations.

Y(z) is one judgement of output z by a random person, f(z) its expectation, and μ the mean of f over all N
outputs of a system. A metric g(z) is known for every output; as far as it goes with f, it saves judgements.

Judgements differ because outputs do (σ_f² = Var f) and because people do (σ_a² = E Var(Y|z)); γ = σ_a²/σ_f².
With ρ = Cov(f, g)/(σ_f s_g) a metric makes one judgement worth (1 + γ)/(1 − ρ² + γ) of them, its data
efficiency: (1 + γ)/γ at most, whatever the metric.

References
----------
A. T. Chaganty, S. Mussmann and P. Liang (2018), The price of debiasing automatic metrics in natural language
evaluation, ACL. That paper's printed σ_f² is the variance of the outputs' mean judgements, which still holds
σ_a²/k; `components` takes it out.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kbpo_estimators import _checks
from kbpo_estimators._checks import FloatArray, IntArray

SLOPE_NEEDS = 20
"""With fewer judged outputs than this in the other folds the line is level."""
SPREAD_NEEDS = 0.25
"""Of the metric's variance over all outputs, the other folds must show this share, or the line is level: an
outlier that they did not see would else be foretold from what is hardly different."""
CHOSEN = 2.0
"""Parameters that a slope counts for in cross-validation: one more than it has, for it is chosen."""

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Components:
    """Where the variance of judgements comes from.

    Attributes
    ----------
    sigma2_a : float
        σ̂_a², of people about one output.
    sigma2_f : float
        σ̂_f², of outputs; an unbiased estimate, so it may be below 0.
    gamma : float
        σ̂_a²/σ̂_f²; infinite where outputs show no difference.
    alpha : float
        Agreement as on an interval scale: σ̂_f²/(σ̂_a² + σ̂_f²); 1 where all judgements are equal.
    """

    sigma2_a: float
    sigma2_f: float
    gamma: float
    alpha: float


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """For each fold a straight line through what is judged in the others, float[..., K] each.

    Attributes
    ----------
    level, slope, centre : float[..., K]
        ĝ = level + slope · (g − centre); all 0 where the other folds have nothing.
    error : float[..., K]
        What the line misses in the other folds, as its mean square over what is left of them by
        leaving each out in turn (generalised cross-validation); infinite where they have nothing.
    """

    level: FloatArray
    slope: FloatArray
    centre: FloatArray
    error: FloatArray

    def at(self, metric: FloatArray, folds: IntArray) -> FloatArray:
        """Return ĝ of outputs, float[..., n], from their metric and fold."""
        where = places(folds, self.level.shape)
        return np.asarray(
            self.level.take(where) + self.slope.take(where) * (metric - self.centre.take(where))
        )


def places(folds: IntArray, shape: tuple[int, ...]) -> IntArray:
    """Return where outputs find what is theirs in an array of this shape, float[..., K], raveled."""
    if len(shape) == 1:
        return folds
    rows = np.arange(int(np.prod(shape[:-1]))).reshape(*shape[:-1], 1)
    return np.asarray(folds + shape[-1] * rows)


def lines(
    values: FloatArray,
    weights: FloatArray,
    metric: FloatArray,
    folds: IntArray,
    k: int,
    *,
    spread: float = 1.0,
) -> Lines:
    """Fit, for each fold, a line to the judged outputs of the others by weighted least squares.

    Parameters
    ----------
    values : float[..., n]
        The mean judgement of each output; any number where its weight is 0.
    weights : float[..., n]
        1/π of judged outputs, 0 of others.
    metric : float[n] or float[..., n]
    folds : int[n] or int[..., n]
        From 0 to k − 1.
    k : int
    spread : float
        The metric's variance over all outputs: see `SPREAD_NEEDS`.

    Returns
    -------
    Lines
    """
    shape = (*values.shape[:-1], k)
    judged = weights > 0
    place = np.broadcast_to(places(folds, shape), values.shape)[judged]
    y, w, g = values[judged], weights[judged], np.broadcast_to(metric, values.shape)[judged]
    others = 1.0 - np.eye(k)  # sums over other folds, not differences: nothing stays exactly 0

    def of_others(array: FloatArray | None) -> FloatArray:
        found = np.bincount(place, array, minlength=int(np.prod(shape))).reshape(shape)
        return np.asarray(found @ others)

    wy, wg = w * y, w * g
    count, total = of_others(None), of_others(w)
    some = count > 0
    safe = np.where(some, total, 1.0)
    level, centre = of_others(wy) / safe, of_others(wg) / safe
    yy = np.maximum(0.0, of_others(wy * y) - safe * level**2)
    gg = np.maximum(0.0, of_others(wg * g) - safe * centre**2)
    gy = of_others(wg * y) - safe * centre * level
    sloped = (count >= SLOPE_NEEDS) & (gg > max(SPREAD_NEEDS * spread, _ROUNDING) * safe)
    slope = np.divide(gy, gg, out=np.zeros(shape), where=sloped)
    missed = np.maximum(0.0, yy - slope * gy) / safe
    left = count - 1.0 - CHOSEN * sloped
    error = np.divide(missed * count**2, left**2, out=np.full(shape, math.inf), where=some & (left > 0))
    return Lines(level, slope, np.where(sloped, centre, 0.0), error)


def components(values: ArrayLike, items: ArrayLike) -> Components:
    """Take apart the variance of judgements.

    σ̂_a² = Σ_iΣ_j (y_ij − ȳ_i)²/Σ(k_i − 1) over outputs judged k_i ≥ 2 times, and σ̂_f² = Var(y) − σ̂_a² of all
    judgements.

    Parameters
    ----------
    values : float[n]
        One a judgement.
    items : int[n]
        Which output it judges.

    Returns
    -------
    Components

    Raises
    ------
    InvalidInput
        If lengths differ, a value is no number, or no output was judged twice.

    Examples
    --------
    >>> found = components([1, 0, 1, 1], [0, 0, 1, 2])
    >>> found.sigma2_a, found.sigma2_f
    (0.5, -0.25)
    """
    y, item = _judgements(values, items)
    return _components(y, *_means(y, item), item)


def correlation(values: ArrayLike, items: ArrayLike, metric: ArrayLike) -> float:
    """Return ρ̂ = Cov(ȳ_i, g_i)/(σ̂_f s_g) of outputs' means and a metric, corrected for people's noise.

    Over outputs, each once; covariance and s_g divide by their number.

    Parameters
    ----------
    values : float[n]
        One a judgement.
    items : int[n]
        Which output it judges.
    metric : float[n]
        Of the judged output, standardised or not. NaN where it has none: σ̂_f is that of all judgements
        still, for it is no matter of the metric.

    Returns
    -------
    float
        Not confined to [−1, 1]; 0 for a constant metric, NaN where σ̂_f² is not above 0.

    Raises
    ------
    InvalidInput
        As `components`; if an output has two values of the metric, or none has one.
    """
    y, item = _judgements(values, items)
    means, counts = _means(y, item)
    along = _along(means, item, metric)
    variance = _components(y, means, counts, item).sigma2_f
    if along == 0.0:
        return 0.0
    return along / math.sqrt(variance) if variance > 0 else math.nan


def standard(population: FloatArray) -> tuple[float, float]:
    """Return centre and spread by which a metric is standardised over all outputs; spread 1 if constant."""
    centre = float(population.mean())
    spread = float(population.std())
    return centre, spread if spread > _ROUNDING * max(1.0, abs(centre)) else 1.0


def _judgements(values: ArrayLike, items: ArrayLike, below: int | None = None) -> tuple[FloatArray, IntArray]:
    y = _checks.vector("values", values)
    item = _checks.integers("items", items, length=y.size, below=below)
    if below is None:
        _needs("values", y.size, 1)
        item = np.unique(item, return_inverse=True)[1]
    return y, item


def _needs(argument: str, size: int, least: int) -> None:
    if size < least:
        _checks.refuse(argument, f"has {size} values; at least {least} are needed")


def _means(y: FloatArray, item: IntArray) -> tuple[FloatArray, IntArray]:
    counts = np.bincount(item)
    return np.bincount(item, y) / counts, counts


def _noise(y: FloatArray, means: FloatArray, counts: IntArray, item: IntArray) -> float:
    """Return σ̂_a²; NaN where no output was judged twice."""
    more = int((counts - 1).clip(0).sum())
    away = _checks.without_rounding(y - means[item], y)
    return float((away**2)[counts[item] > 1].sum()) / more if more else math.nan


def _components(y: FloatArray, means: FloatArray, counts: IntArray, item: IntArray) -> Components:
    of_people = _noise(y, means, counts, item)
    if math.isnan(of_people):
        _checks.refuse(
            "items", "has no output that was judged twice; people's noise is not known without one"
        )
    away = _checks.without_rounding(y - y.mean(), y)
    of_outputs = float((away**2).sum()) / max(1, y.size - 1) - of_people
    gamma = of_people / of_outputs if of_outputs > 0 else math.inf if of_people > 0 else math.nan
    total = of_people + of_outputs
    return Components(of_people, of_outputs, gamma, of_outputs / total if total > 0 else 1.0)


def _along(means: FloatArray, item: IntArray, metric: ArrayLike) -> float:
    """Return Cov(ȳ, g)/s_g over the outputs that have the metric."""
    g = np.asarray(metric, dtype=np.float64)
    if g.shape != item.shape or np.isinf(g).any():
        _checks.refuse("metric", f"has the shape {g.shape} or is infinite; one number a judgement is needed")
    of_item = np.full(means.size, np.nan)
    of_item[item] = g
    if not np.array_equal(of_item[item], g, equal_nan=True):
        _checks.refuse("metric", "has two values for one output; it is the same for all of its judgements")
    has = ~np.isnan(of_item)
    if not has.any():
        _checks.refuse("metric", "has no value at all")
    y, g = means[has], of_item[has]
    centre, spread = standard(g)
    y = _checks.without_rounding(y - y.mean(), y)
    g = _checks.without_rounding(g - centre, centre)
    return float((y * g).mean()) / spread
