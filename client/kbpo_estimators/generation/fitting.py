"""Means with a metric, from a sample: what is foretold, the estimate, and its variance in two parts.

Arrays may have more dimensions before the last, over outputs: simulations estimate many samples at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kbpo_estimators import _checks
from kbpo_estimators._checks import FloatArray, IntArray
from kbpo_estimators.control import lines, places, standard
from kbpo_estimators.generation.scales import Scale

OWN_NOISE = 30
"""Outputs judged twice by which a system has a σ̂_a² of its own."""


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """What is foretold of all outputs.

    Attributes
    ----------
    values : float[..., N]
        ĝ, within the scale.
    chosen : int[..., K]
        Which candidate serves each fold, from 1; 0 for none.
    """

    values: FloatArray
    chosen: IntArray


def fitted(
    values: FloatArray,
    weights: FloatArray,
    candidates: Sequence[FloatArray],
    folds: IntArray,
    k: int,
    scale: Scale,
) -> Fitted:
    """Foretell the mean judgement of every output, from what is judged in other folds than its own.

    Parameters
    ----------
    values : float[..., N]
        Mean judgements ȳ; any number where the weight is 0.
    weights : float[..., N]
        1/π of judged outputs, 0 of others.
    candidates : sequence of float[N]
    folds : int[N] or int[..., N]
    k : int
    scale : Scale
    """
    best = lines(values, weights, np.zeros(values.shape[-1]), folds, k)
    chosen, error = np.zeros(best.error.shape, dtype=np.int64), best.error
    of_fold = np.broadcast_to(places(folds, best.level.shape), values.shape)
    standardised, found = [], [best]
    for number, column in enumerate(candidates, start=1):
        centre, spread = standard(column)
        standardised.append((column - centre) / spread)
        line = lines(values, weights, standardised[-1], folds, k)
        better = line.error < error
        chosen, error = np.where(better, number, chosen), np.where(better, line.error, error)
        found.append(line)
    level = np.choose(chosen, [one.level - one.slope * one.centre for one in found])
    foretold = level.take(of_fold)
    for number, (column, line) in enumerate(zip(standardised, found[1:], strict=True), start=1):
        foretold += np.where(chosen == number, line.slope, 0.0).take(of_fold) * column
    return Fitted(scale.clip(foretold), chosen)


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """An estimate with its variance, in two parts.

    Attributes
    ----------
    estimate, of_draw, of_people : float[...]
    degrees_of_freedom : float[...]
    """

    estimate: FloatArray
    of_draw: FloatArray
    of_people: FloatArray
    degrees_of_freedom: FloatArray

    @property
    def variance(self) -> FloatArray:
        """V̂."""
        return self.of_draw + self.of_people


@dataclass(frozen=True, slots=True, eq=False)
class Noise:
    """How much people differ about one output.

    Attributes
    ----------
    sigma2 : float[...]
        σ̂_a²; NaN where no output was judged twice.
    variance : float[...]
        Of σ̂_a².
    """

    sigma2: FloatArray
    variance: FloatArray


def noise(within: FloatArray, more: IntArray) -> Noise:
    """Estimate σ_a² from outputs judged twice or more.

    Parameters
    ----------
    within : float[..., n]
        Σ_j (y_j − ȳ)² of each output.
    more : int[..., n]
        Its judgements less one, 0 where it has none.
    """
    total = more.sum(axis=-1)
    some = np.maximum(1, total)
    sigma2 = within.sum(axis=-1) / some
    away = (within - sigma2[..., None] * more) ** 2
    nothing = total == 0
    return Noise(np.where(nothing, np.nan, sigma2), np.where(nothing, 0.0, away.sum(axis=-1) / some**2))


def of_system(own: Noise, pooled: Noise, twice: IntArray) -> Noise:
    """Return σ̂_a² of a system: its own where `OWN_NOISE` outputs were judged twice.

    With fewer it is that of the whole epoch, in which its own counts for the share of `OWN_NOISE` that it
    has: people differ more about some systems than about others.
    """
    share = np.minimum(1.0, twice / OWN_NOISE)
    if (twice == 0).all():
        return pooled
    rest = np.where(share < 1.0, 1.0 - share, 0.0)
    return Noise(
        share * np.where(twice > 0, own.sigma2, 0.0) + rest * np.where(rest > 0, pooled.sigma2, 0.0),
        share**2 * own.variance + rest**2 * pooled.variance,
    )


def residuals(values: FloatArray, foretold: FloatArray, counts: IntArray) -> FloatArray:
    """Return e = ȳ − ĝ of sampled outputs, 0 of others."""
    return _checks.without_rounding(np.where(counts > 0, values - foretold, 0.0), values)


def estimated(
    values: FloatArray, foretold: FloatArray, pi: FloatArray, counts: IntArray, people: Noise
) -> Parts:
    """Estimate the mean of all outputs.

    Parameters
    ----------
    values, foretold : float[..., N]
        ȳ and ĝ.
    pi : float[..., N]
    counts : int[..., N]
        k of sampled outputs, 0 of others.
    people : Noise
    """
    p = 1.0 / values.shape[-1]
    e = residuals(values, foretold, counts)
    estimate = p * (foretold.sum(axis=-1) + (e / pi).sum(axis=-1))
    return Parts(estimate, *_variance(e, pi, counts, people, p))


def _variance(
    e: FloatArray, pi: FloatArray, counts: IntArray, people: Noise, p: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return both parts of the variance, and its degrees of freedom.

    Where σ_a² is not known, the parts add up to Σ p²e²/π²: e² holds σ_a²/k too, so that is a bound.
    """
    squares = (p * e / pi) ** 2
    unknown = np.isnan(people.sigma2)
    shares = np.divide(p * p, pi * counts, out=np.zeros_like(e), where=counts > 0).sum(axis=-1)
    of_draw = ((1.0 - pi) * squares).sum(axis=-1)
    of_people = np.where(unknown, (pi * squares).sum(axis=-1), shares * np.where(unknown, 0.0, people.sigma2))
    summed = np.where(np.asarray(unknown)[..., None], 1.0, 1.0 - pi) * squares
    n = (counts > 0).sum(axis=-1)
    return of_draw, of_people, degrees(of_draw + of_people, summed, n, shares**2 * people.variance)


def degrees(variance: FloatArray, summed: FloatArray, n: IntArray, of_noise: FloatArray) -> FloatArray:
    """Return Satterthwaite's degrees of freedom of a variance, 2V̂²/Var(V̂), from 1 to n − 1.

    Parameters
    ----------
    variance : float[...]
        V̂.
    summed : float[..., N]
        What it sums over the sample, 0 elsewhere.
    n : int[...]
        The size of the sample.
    of_noise : float[...]
        The variance of what it has of σ̂_a².
    """
    spread = (summed**2).sum(axis=-1) - summed.sum(axis=-1) ** 2 / np.maximum(1, n)
    spread = np.maximum(0.0, spread) + of_noise
    most = np.maximum(1.0, n - 1.0)
    found = np.divide(2.0 * variance**2, spread, out=np.array(most), where=spread > 0)
    return np.asarray(np.clip(found, 1.0, most))
