"""The scales of measures, and intervals of means on them."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from kbpo_estimators import _checks
from kbpo_estimators._checks import FloatArray
from kbpo_estimators.intervals import DEFAULT_LEVEL, LEVELS, Interval, wilson
from kbpo_formats.generation.problems import LONGEST_OUTPUT

MOST_EDITS = float(LONGEST_OUTPUT)
"""For a word of what is left: of the longest output all but one word may be taken away."""
_MOST = 300.0


@dataclass(frozen=True, slots=True)
class Scale:
    """The values that a measure can have.

    Attributes
    ----------
    low : float
    high : float or None
        None where there is no upper end.
    """

    low: float
    high: float | None

    @property
    def span(self) -> float:
        """How far apart its ends are; 1 where there is no upper end: as far as edits usually go."""
        return 1.0 if self.high is None else self.high - self.low

    def clip(self, values: FloatArray) -> FloatArray:
        """Return values within the scale."""
        return np.clip(values, self.low, self.high)


SCALES: Mapping[str, Scale] = MappingProxyType(
    {
        "overall": Scale(-1.0, 1.0),
        "fluency": Scale(-1.0, 1.0),
        "redundancy": Scale(-1.0, 1.0),
        "edit": Scale(0.0, None),
        "edit_capped": Scale(0.0, 1.0),
        "any": Scale(0.0, 1.0),
        "average": Scale(0.0, 1.0),
    }
)


def ends(
    estimate: ArrayLike, variance: ArrayLike, degrees_of_freedom: ArrayLike, scale: Scale, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of intervals, of estimates inside the scale with a variance above 0."""
    reach = np.asarray(
        stdtrit(np.asarray(degrees_of_freedom, dtype=np.float64), (1.0 + level) / 2.0)
    ) * np.sqrt(variance)
    above = np.asarray(estimate) - scale.low
    if scale.high is None:
        factor = np.exp(np.minimum(_MOST, reach / above))
        # A sample of hardly more than one long edit says nothing of where its mean ends.
        most = np.maximum(scale.low + above, MOST_EDITS)
        return scale.low + above / factor, np.minimum(most, scale.low + above * factor)
    below = scale.high - np.asarray(estimate)
    # The logit of the share moves by reach · span/(above · below).
    factor = np.exp(np.minimum(_MOST, reach * scale.span / (above * below)))
    return (
        scale.low + scale.span * above / (above + below * factor),
        scale.low + scale.span * above / (above + below / factor),
    )


def interval(
    estimate: float,
    variance: float,
    degrees_of_freedom: float,
    n_eff: float,
    scale: Scale,
    level: float = DEFAULT_LEVEL,
) -> Interval:
    """Return a confidence interval of a mean, within the scale.

    Parameters
    ----------
    estimate, variance : float
    degrees_of_freedom : float
        At least 1, or infinite.
    n_eff : float
        The independent draws that it is worth, for where no variance is seen, or it is off the scale: the
        interval is Wilson's then, of the clipped estimate as a share of the scale.
    scale : Scale
    level : {0.80, 0.90, 0.95}

    Returns
    -------
    Interval
    """
    if level not in LEVELS:
        _checks.refuse("level", f"is {level!r}; one of {', '.join(map(str, LEVELS))} is needed")
    top = scale.high
    if variance > 0 and estimate > scale.low and (top is None or estimate < top):
        low, high = ends(estimate, variance, degrees_of_freedom, scale, level)
        return Interval(estimate, float(low), float(high))
    top = max(scale.low + 1.0, estimate) if top is None else top
    clipped = min(top, max(scale.low, estimate))
    span = top - scale.low
    found = wilson((clipped - scale.low) / span, n_eff, level)
    return Interval(clipped, scale.low + span * found.low, scale.low + span * found.high)
