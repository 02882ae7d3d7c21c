"""Recorded judgements replayed: samples of outputs, judged with replacement among those of each output.

The truth is known: the mean, over a system's outputs, of their mean recorded judgement. Many secrets are
sampled at once, by the code that makes scores.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.generation.metrics.ngrams import repeated
from evaluation.generation.metrics.words import words
from kbpo_estimators._checks import BoolArray, FloatArray, IntArray
from kbpo_estimators.control import standard
from kbpo_estimators.coordinated import FOLDS
from kbpo_estimators.generation import SCALES, Given, Judgements, Scores
from kbpo_estimators.generation.fitting import Noise, Parts, estimated, fitted, noise, of_system
from kbpo_estimators.generation.scales import ends
from kbpo_estimators.intervals import DEFAULT_LEVEL
from tests.oracles.control import plug_in
from tests.readers.nlg import Recorded, SystemOutputs

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


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A system's outputs in many epochs: float[R, N] but for inputs, units and π."""

    inputs: IntArray
    units: IntArray
    values: FloatArray
    foretold: FloatArray
    pi: FloatArray
    counts: IntArray

    @property
    def moved(self) -> FloatArray:
        """What each output adds to the estimate, times N."""
        residual = np.where(self.counts > 0, self.values - self.foretold, 0.0)
        return np.asarray(self.foretold + residual / self.pi)


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
        """Return σ̂_a² of a system, as `Scores` takes it."""
        twice = self.epochs.twice[:, units].astype(np.int64)
        return of_system(noise(self.within[:, units], twice), self.pooled, twice.sum(axis=1))

    def fit(self, system: SystemOutputs, candidates: Sequence[FloatArray]) -> Fit:
        """Foretell a system's outputs in all epochs, with candidates for g (float[N] of its outputs)."""
        rows = self.rows(system)
        units, epochs = system.units[rows], self.epochs
        values, pi = self.values[:, units], epochs.pi[units]
        counts = np.where(epochs.sampled[:, units], 1 + epochs.twice[:, units], 0)
        folds = epochs.folds[:, system.inputs[rows]]
        columns = [column[rows] for column in candidates]
        foretold = fitted(values, (counts > 0) / pi, columns, folds, FOLDS, SCALES[self.measure]).values
        return Fit(system.inputs[rows], units, values, foretold, pi, counts)

    def replay(self, system: SystemOutputs, candidates: Sequence[FloatArray]) -> Replayed:
        """Score a system in all epochs."""
        fit, scale = self.fit(system, candidates), SCALES[self.measure]
        pi = np.broadcast_to(fit.pi, fit.values.shape)
        parts = estimated(fit.values, fit.foretold, pi, fit.counts, self.noise(fit.units))
        low, high = ends(parts.estimate, parts.variance, parts.degrees_of_freedom, scale, DEFAULT_LEVEL)
        truth = float(self.means[fit.units].mean())
        return Replayed(truth, parts, low, high, (fit.counts > 0).sum(axis=1))

    def differences(
        self, first: SystemOutputs, second: SystemOutputs, candidates: Sequence[Sequence[FloatArray]]
    ) -> FloatArray:
        """Return the estimated difference of two systems in all epochs, float[R]."""
        a, b = (self.fit(one, of) for one, of in zip((first, second), candidates, strict=True))
        common, of_a, of_b = np.intersect1d(a.inputs, b.inputs, return_indices=True)
        apart = a.units[of_a] != b.units[of_b]
        moved = a.moved[:, of_a[apart]].sum(axis=1) - b.moved[:, of_b[apart]].sum(axis=1)
        return np.asarray(moved / common.size)


def halves(data: Recorded, measure: str, splits: int, rng: np.random.Generator) -> dict[str, float]:
    """Split the people in halves again and again, and score all systems by each half's judgements.

    Returns
    -------
    dict of str to float
        By system: how often the difference of the two halves lies within their combined intervals for
        another crowd.
    """
    people = int(data.workers.max()) + 1
    held = dict.fromkeys((one.name for one in data.systems), 0)
    for _ in range(splits):
        is_first = rng.permutation(people) < people // 2
        folds = rng.integers(0, FOLDS, len(data.inputs))
        found = [_by_some(data, measure, is_first[data.workers] == half, folds) for half in (True, False)]
        for number, one in enumerate(data.systems):
            scores = [each.score(number, measure) for each in found]
            ends_of = [one.another_crowd.interval() for one in scores if one and one.another_crowd]
            if len(ends_of) == 2:
                a, b = sorted(ends_of, key=lambda one: one.estimate)
                reach = math.hypot(a.high - a.estimate, b.estimate - b.low)
                held[one.name] += b.estimate - a.estimate <= reach
    return {name: count / splits for name, count in held.items()}


def _by_some(data: Recorded, measure: str, some: BoolArray, folds: IntArray) -> Scores:
    """Score by some of the judgements, as if the units that they judge had been drawn."""
    units = data.units[some]
    sampled = np.bincount(units, minlength=len(data.texts)) > 0
    said = Judgements(units, data.workers[some], {measure: data.values[measure][some]})
    systems = [Given(one.inputs, one.units, {}) for one in data.systems]
    return Scores(systems, said, np.full(sampled.size, sampled.mean()), sampled, folds)


def plugged_in(
    data: Recorded,
    system: SystemOutputs,
    measure: str,
    metric: FloatArray,
    n: int,
    runs: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Estimate by the paper's Algorithm 1 from n draws of outputs with replacement, float[runs]."""
    rows = np.flatnonzero(~np.isnan(data.means(measure)[system.units]))
    order = np.argsort(data.units, kind="stable")
    start = np.searchsorted(data.units[order], system.units[rows])
    recorded = np.bincount(data.units, minlength=len(data.texts))[system.units[rows]]
    values, g = data.values[measure][order], metric[rows]
    found = np.empty(runs)
    for run in range(runs):
        drawn = rng.integers(rows.size, size=n)
        said = values[start[drawn] + (rng.random(n) * recorded[drawn]).astype(np.int64)]
        found[run] = plug_in(said, g[drawn], g).estimate
    return found


def resampled(
    data: Recorded,
    system: SystemOutputs,
    measure: str,
    metrics: Mapping[str, FloatArray],
    n: int,
    runs: int,
    rng: np.random.Generator,
) -> dict[str, FloatArray]:
    """Estimate from the same n draws of outputs with replacement by the mean (""), and with each metric.

    With a metric that is the paper's Algorithm 1, as in `plugged_in`.

    Returns
    -------
    dict of str to float[runs]
    """
    means = data.means(measure)[system.units]
    rows = np.flatnonzero(np.isfinite([means, *metrics.values()]).all(axis=0))
    order = np.argsort(data.units, kind="stable")
    start = np.searchsorted(data.units[order], system.units[rows])
    recorded = np.bincount(data.units, minlength=len(data.texts))[system.units[rows]]
    drawn = rng.integers(rows.size, size=(runs, n))
    said = data.values[measure][order][start[drawn] + (rng.random((runs, n)) * recorded[drawn]).astype(int)]
    found = {"": said.mean(axis=1)}
    for name, metric in metrics.items():
        centre, spread = standard(metric[rows])
        g = ((metric[rows] - centre) / spread)[drawn]
        slope = ((said - found[""][:, None]) * g).mean(axis=1)
        found[name] = found[""] - slope * g.mean(axis=1)
    return found


def bias_of_plug_in(data: Recorded, system: SystemOutputs, measure: str, metric: FloatArray, n: int) -> float:
    """Return −((n − 1)/n²) E[(f − μ) g²]."""
    f = data.means(measure)[system.units]
    has = ~np.isnan(f)
    f, g = f[has], metric[has]
    centre, spread = standard(g)
    return float(-((n - 1) / n**2) * ((f - f.mean()) * ((g - centre) / spread) ** 2).mean())


def adversarial(truth: FloatArray) -> FloatArray:
    """Return the metric of an adversary who knows how all outputs are judged.

    It does not go with that at all, and is largest where outputs are judged unlike others.
    """
    away = np.nan_to_num(truth - np.nanmean(truth))
    far = np.abs(away)
    return np.asarray(far - (far @ away) / max(1e-12, float(away @ away)) * away)


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


def bigrams(data: Recorded) -> FloatArray:
    """Return the share of repeated bigrams of each unit."""
    return np.array([repeated(words(text), 2) for text in data.texts])
