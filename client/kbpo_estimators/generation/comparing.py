"""How much more one system has of a measure than another, judged on the same inputs.

The same text for the same input is judged once: there two systems do not differ, whatever was foretold of it.
Elsewhere both are judged where u of the input is below both π, so residuals are paired: for the draw, the
covariance of two residuals is p²(1 − max π)/(π π′) e e′ where both are in the sample.
"""

from dataclasses import dataclass

import numpy as np

from kbpo_estimators._checks import FloatArray, IntArray
from kbpo_estimators.generation.fitting import Noise, degrees


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
