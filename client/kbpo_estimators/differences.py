"""Differences between systems, paired on the labels and the documents that they share.

A sample that two systems share moves both alike, so the difference of their residuals is far tighter than two
intervals side by side. `comparison.differences` estimates them.
"""

import math
from dataclasses import dataclass

import numpy as np

from kbpo_estimators._checks import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Difference:
    """The first system's estimate less the second's.

    Attributes
    ----------
    estimate : float
    variance : float or None
        None where one of the two shows none.
    degrees_of_freedom : int or None
        Those of Student's t; None for the normal distribution.
    """

    estimate: float
    variance: float | None
    degrees_of_freedom: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Differences:
    """How much more each of k systems has of a measure than each of l.

    Attributes
    ----------
    estimates : float[k, l]
        NaN where one of the two is not estimable.
    variances : float[k, l]
        NaN where one of the two shows none.
    own, others : float[k] and float[l]
        The variances of each by itself; NaN where one shows none.
    degrees_of_freedom : int or None
        Those of Student's t; None for the normal distribution.
    """

    estimates: FloatArray
    variances: FloatArray
    own: FloatArray
    others: FloatArray
    degrees_of_freedom: int | None

    def of(self, first: int, second: int) -> Difference | None:
        """Return the difference of one pair; None where it is not estimable."""
        gap, variance = float(self.estimates[first, second]), float(self.variances[first, second])
        if math.isnan(gap):
            return None
        return Difference(gap, None if math.isnan(variance) else variance, self.degrees_of_freedom)

    def take(self, first: IntArray, second: IntArray) -> "Differences":
        """Return the differences of some systems, by position, from some."""
        chosen = np.ix_(first, second)
        return Differences(
            self.estimates[chosen],
            self.variances[chosen],
            self.own[first],
            self.others[second],
            self.degrees_of_freedom,
        )
