"""What a metric predicts that people say: a line, and by how much it overrates outputs. Pure."""

from dataclasses import dataclass

import numpy as np

from evaluation.generation.choices import EDITS
from evaluation.units import BoolArray, FloatArray

_ROUNDING = 1e-12
_NORMAL = 1.96


@dataclass(frozen=True, slots=True)
class Line:
    """What people say on average of outputs with a value of the metric.

    Attributes
    ----------
    slope, intercept : float
        By least squares.
    mean : float
        Of the judgements that it was fitted to.
    spread : float
        The standard deviation of what it misses.
    is_level : bool
        Whether its slope could be chance, at 95%.
    """

    slope: float
    intercept: float
    mean: float
    spread: float
    is_level: bool

    def at(self, value: float) -> float:
        """Return what it predicts for a value of the metric."""
        return self.intercept + self.slope * value

    def overrated(self, values: FloatArray, measure: str, judged: FloatArray) -> FloatArray:
        """Return by how many standard deviations of what it misses it predicts better than people say.

        It does not go with the metric: where the line holds, outputs with a high value are overrated no more
        often than others. A difference of z-scores would have all outputs overrated of which the metric is
        high and all underrated of which it is low, however well people agree with the line.

        Parameters
        ----------
        values : float[n]
            Of the metric.
        measure : str
        judged : float[n]
            Means of what people said.
        """
        if self.spread <= _ROUNDING:
            return np.zeros(values.size)
        return goodness(measure, self.intercept + self.slope * values - judged) / self.spread

    def is_liked(self, values: FloatArray, measure: str) -> BoolArray:
        """Say of which outputs it predicts better than the average."""
        return np.asarray(goodness(measure, self.intercept + self.slope * values - self.mean) > 0)

    def is_good(self, measure: str, judged: FloatArray) -> BoolArray:
        """Say of which outputs people said better than the average."""
        return np.asarray(goodness(measure, judged - self.mean) > 0)


def fit(values: FloatArray, judged: FloatArray) -> Line | None:
    """Fit a line to judged outputs; None where the metric is the same for all.

    Parameters
    ----------
    values, judged : float[n]
        Of the metric, and means of what people said.
    """
    if not values.size:
        return None
    centred = values - values.mean()
    spread = float(np.dot(centred, centred))
    if spread <= 0:
        return None
    slope = float(np.dot(centred, judged)) / spread
    mean = float(judged.mean())
    left = float((judged - mean - slope * centred).std())
    is_level = abs(slope) * spread**0.5 <= _NORMAL * left
    return Line(slope, mean - slope * float(values.mean()), mean, left, is_level)


def goodness(measure: str, judged: FloatArray) -> FloatArray:
    """Return what people said such that more is better: of edits, fewer are."""
    return -judged if measure in EDITS else judged
