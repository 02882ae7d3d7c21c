"""Recorded judgements replayed: samples of outputs, judged with replacement among those of each output.

The truth is known: the mean, over a system's outputs, of their mean recorded judgement. Many secrets are
sampled at once, by the code that makes scores.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.estimators._checks import BoolArray, FloatArray, IntArray
from evaluation.estimators.coordinated import FOLDS
from evaluation.estimators.intervals import DEFAULT_LEVEL
from evaluation.experiments.generation.recorded import Recorded, SystemOutputs
from evaluation.generation.estimates import OWN_NOISE, SCALES
from evaluation.generation.estimates.fitting import Noise, Parts, estimated, fitted, noise
from evaluation.generation.estimates.scales import ends

TWICE = 0.3


@dataclass(frozen=True, slots=True, eq=False)
class Epochs:
    """Many epochs of one data set, a row each, over its units.

    Attributes
    ----------
    pi : float[U]
    sampled, twice : bool[R, U]
        What is judged, and what twice.
    first, second : int[R, U]
        Which recorded judgement each replay is.
    folds : int[R, I]
    """

    pi: FloatArray
    sampled: BoolArray
    twice: BoolArray
    first: IntArray
    second: IntArray
    folds: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Replayed:
    """One measure of one system, in many epochs.

    Attributes
    ----------
    truth : float
    parts : Parts
        Estimates and variances, float[R].
    low, high : float[R]
        Of the 95% intervals.
    counts : int[R]
        Judged outputs.
    """

    truth: float
    parts: Parts
    low: FloatArray
    high: FloatArray
    counts: IntArray

    @property
    def bias(self) -> float:
        """The mean error, in its standard errors."""
        error = self.parts.estimate - self.truth
        return float(error.mean() / (error.std(ddof=1) / np.sqrt(error.size)))

    @property
    def coverage(self) -> float:
        """How often the intervals hold the truth."""
        return float(((self.low <= self.truth) & (self.truth <= self.high)).mean())

    @property
    def variance(self) -> float:
        """Of the estimates."""
        return float(self.parts.estimate.var(ddof=1))


def draw(data: Recorded, share: float | FloatArray, secrets: int, rng: np.random.Generator) -> Epochs:
    """Draw epochs: outputs by a random number of their input, folds of inputs, and who is replayed."""
    u, inputs = len(data.texts), len(data.inputs)
    pi = np.broadcast_to(np.asarray(share, dtype=np.float64), u)
    number = rng.random((secrets, inputs))[:, data.unit_inputs]
    recorded = np.maximum(1, np.bincount(data.units, minlength=u))
    first, second = ((rng.random((secrets, u)) * recorded).astype(np.int64) for _ in range(2))
    sampled = number < pi
    return Epochs(
        pi,
        sampled,
        sampled & (rng.random((secrets, u)) < TWICE),
        first,
        second,
        rng.integers(0, FOLDS, (secrets, inputs)),
    )


class Measured:
    """One measure of many epochs: what was said of each unit, and people's noise."""

    def __init__(self, data: Recorded, epochs: Epochs, measure: str) -> None:
        self.data, self.epochs, self.measure = data, epochs, measure
        order = np.argsort(data.units, kind="stable")
        start = np.searchsorted(data.units[order], np.arange(len(data.texts)))
        values = data.values[measure][order]
        last = values.size - 1
        one, two = (values[np.minimum(start + which, last)] for which in (epochs.first, epochs.second))
        twice = epochs.twice
        self.values = np.where(twice, 0.5 * (one + two), one)
        self.within = np.where(twice, 0.5 * (one - two) ** 2, 0.0)
        has = np.bincount(data.units, minlength=len(data.texts)) > 0
        self.pooled = noise(self.within[:, has], (twice[:, has]).astype(np.int64))
        self.means = data.means(measure)

    def rows(self, system: SystemOutputs) -> IntArray:
        """Return those of a system's outputs that anybody judged, by position."""
        return np.flatnonzero(~np.isnan(self.means[system.units]))

    def noise(self, units: IntArray) -> Noise:
        """Return σ̂_a², as `Scores` takes it."""
        twice = self.epochs.twice[:, units].astype(np.int64)
        own = noise(self.within[:, units], twice)
        is_own = twice.sum(axis=1) >= OWN_NOISE
        return Noise(
            np.where(is_own, own.sigma2, self.pooled.sigma2),
            np.where(is_own, own.variance, self.pooled.variance),
        )

    def replay(self, system: SystemOutputs, candidates: Sequence[FloatArray]) -> Replayed:
        """Score a system in all epochs, with candidates for g (float[N] of its outputs)."""
        rows = self.rows(system)
        units, epochs, scale = system.units[rows], self.epochs, SCALES[self.measure]
        values, pi = self.values[:, units], epochs.pi[units]
        counts = np.where(epochs.sampled[:, units], 1 + epochs.twice[:, units], 0)
        folds = epochs.folds[:, system.inputs[rows]]
        columns = [column[rows] for column in candidates]
        foretold = fitted(values, (counts > 0) / pi, columns, folds, FOLDS, scale).values
        parts = estimated(values, foretold, np.broadcast_to(pi, values.shape), counts, self.noise(units))
        low, high = ends(parts.estimate, parts.variance, parts.degrees_of_freedom, scale, DEFAULT_LEVEL)
        truth = float(self.means[units].mean())
        return Replayed(truth, parts, low, high, (counts > 0).sum(axis=1))


def bad_metrics(n: int, good: FloatArray, rng: np.random.Generator) -> Mapping[str, FloatArray]:
    """Return metrics that are worth nothing, or do what harm they can."""
    outlier = np.full(n, 0.5)
    outlier[rng.integers(n)] = 1e6
    return {
        "constant": np.ones(n),
        "random": rng.random(n),
        "reversed": -good,
        "an outlier": outlier,
        "long-tailed": np.exp(4.0 * rng.normal(size=n)),
        "rare": (rng.random(n) < 0.02) + 1e-6 * rng.random(n),
    }
