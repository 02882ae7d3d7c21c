"""How much more one system has of a measure than another, judged on the same inputs.

The same text for the same input is judged once: there two systems do not differ, whatever was foretold of it.
Elsewhere both are judged where u of the input is below both π, so residuals are paired: for the draw, the
covariance of two residuals is p²(1 − max π)/(π π′) e e′ where both are in the sample.
"""

from dataclasses import dataclass

import numpy as np

from evaluation.estimators._checks import FloatArray, IntArray
from evaluation.generation.estimates.fitting import Noise, degrees


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """Outputs of a system, by one measure.

    Attributes
    ----------
    foretold, e, pi : float[n]
        ĝ, the residual of a sampled output, 0 of others, and π.
    counts : int[n]
        k of sampled outputs, 0 of others.
    people : Noise
    """

    foretold: FloatArray
    e: FloatArray
    pi: FloatArray
    counts: IntArray
    people: Noise

    def at(self, rows: IntArray) -> "Side":
        """Return some of the outputs."""
        return Side(self.foretold[rows], self.e[rows], self.pi[rows], self.counts[rows], self.people)

    @property
    def values(self) -> FloatArray:
        """What each output adds to the estimate, times N."""
        return np.asarray(self.foretold + self.e / self.pi)

    @property
    def of_draw(self) -> FloatArray:
        """What each output adds to the first part of the variance, times N²; to a bound, without σ_a²."""
        squares = (self.e / self.pi) ** 2
        return squares if np.isnan(self.people.sigma2) else np.asarray((1.0 - self.pi) * squares)

    @property
    def of_people(self) -> FloatArray:
        """1/(πk) of sampled outputs: times σ̂_a² what each adds to the second part, times N²."""
        out = np.zeros_like(self.e)
        return np.divide(1.0, self.pi * self.counts, out=out, where=self.counts > 0)

    @property
    def sigma2(self) -> float:
        """σ̂_a²; 0 where it is not known, and the first part a bound."""
        return float(np.nan_to_num(self.people.sigma2))


def compare(first: Side, second: Side, common: int) -> tuple[float, float, float]:
    """Return a difference, its variance and its degrees of freedom.

    Parameters
    ----------
    first, second : Side
        The outputs for the inputs where the two differ.
    common : int
        The number of inputs that both have.
    """
    p = 1.0 / common
    gap = p * float((first.values - second.values).sum())
    most = np.maximum(first.pi, second.pi)
    cross = (1.0 - most) / (first.pi * second.pi) * first.e * second.e  # 0 where one of them is not judged
    summed = p * p * (first.of_draw + second.of_draw - 2.0 * cross)
    variance, of_noise = float(summed.sum()), 0.0
    for one in (first, second):
        share = p * p * float(one.of_people.sum())
        variance += share * one.sigma2
        of_noise += share**2 * float(one.people.variance)
    n = ((first.counts > 0) | (second.counts > 0)).sum()
    variance = max(0.0, variance)
    return gap, variance, float(degrees(np.array(variance), summed, n, np.array(of_noise)))


class AllPairs:
    """All systems over all inputs, by one measure.

    Parameters
    ----------
    sides : list of Side
    inputs, units : list of int[n]
        Of each side's outputs.
    size : int
        The number of inputs.
    """

    def __init__(self, sides: list[Side], inputs: list[IntArray], units: list[IntArray], size: int) -> None:
        shape = len(sides), size
        self._units = np.full(shape, -1)
        self._values, e, own = (np.zeros(shape) for _ in range(3))
        pi = np.ones(shape)
        for number, (side, place, unit) in enumerate(zip(sides, inputs, units, strict=True)):
            self._units[number, place] = unit
            self._values[number, place] = side.values
            e[number, place] = side.e
            pi[number, place] = side.pi
            own[number, place] = side.of_draw + side.of_people * side.sigma2
        # Only what is judged adds to variances.
        judged = np.flatnonzero((own > 0).any(axis=0))
        self._judged_units = self._units[:, judged]
        self._e, self._pi, self._own = e[:, judged], pi[:, judged], own[:, judged]

    def all(self) -> tuple[FloatArray, FloatArray]:
        """Return how much more each has than each, and the variances; NaN where no input is common."""
        m = len(self._units)
        gaps, variances = np.zeros((m, m)), np.zeros((m, m))
        for first in range(m):
            gap, variance = self._against(first)
            gaps[first, first:], gaps[first:, first] = gap, -gap
            variances[first, first:] = variances[first:, first] = variance
        return gaps + 0.0, variances

    def _against(self, first: int) -> tuple[FloatArray, FloatArray]:
        """Return how much more one system has than itself and those after it, and the variances."""
        mine, units = self._units[first], self._units[first:]
        has = (units >= 0) & (mine >= 0)
        common = has.sum(axis=1)
        n = np.where(common > 0, common, np.nan)
        apart = has & (units != mine)
        gaps = np.einsum("ij,ij->i", apart, self._values[first] - self._values[first:])
        mine, units = self._judged_units[first], self._judged_units[first:]
        apart = (units >= 0) & (mine >= 0) & (units != mine)
        e, pi = self._e[first:], self._pi[first:]
        cross = e * e[0] * (1.0 - np.maximum(pi, pi[0])) / (pi * pi[0])
        summed = np.einsum("ij,ij->i", apart, self._own[first:] + self._own[first] - 2.0 * cross)
        return gaps / n, np.maximum(0.0, summed) / n**2
