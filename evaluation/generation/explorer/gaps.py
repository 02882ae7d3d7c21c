"""How far a metric and people differ on outputs: in standard deviations of each. Pure."""

import numpy as np

from evaluation.generation.choices import EDITS
from evaluation.generation.metrics.registry import METRICS
from evaluation.units import FloatArray


def direction(metric: str, values: FloatArray, judged: FloatArray) -> int:
    """Return 1 where more of a metric is meant to be better, and -1 where less is.

    Of a metric of which nobody says, it is as people have it.

    Parameters
    ----------
    metric : str
    values, judged : float[n]
        Of the metric, and of what people said (more is better).
    """
    known = METRICS[metric].higher_is_better if metric in METRICS else None
    if known is not None:
        return 1 if known else -1
    return -1 if float(np.dot(values - values.mean(), judged - judged.mean())) < 0 else 1


def goodness(measure: str, judged: FloatArray) -> FloatArray:
    """Return what people said such that more is better: of edits, fewer are."""
    return -judged if measure in EDITS else judged


def gaps(metric: str, values: FloatArray, measure: str, judged: FloatArray) -> FloatArray:
    """Return by how many standard deviations more a metric likes each output than people do.

    Parameters
    ----------
    metric : str
    values : float[n]
        Of the metric, of the judged outputs alone.
    measure : str
    judged : float[n]
        Means of what people said of them.
    """
    if not values.size:
        return np.zeros(0)
    good = goodness(measure, judged)
    return direction(metric, values, good) * _standard(values) - _standard(good)


def _standard(values: FloatArray) -> FloatArray:
    spread = float(values.std())
    return (values - values.mean()) / spread if spread > 0 else np.zeros(values.size)
