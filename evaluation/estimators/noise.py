"""Labels corrected for the noise of the votes: right on average, whatever a system's precision.

A posterior probability is the best guess at one label, but a mean of posteriors is no estimate of a share:
each is drawn towards the share of true claims among *all* that were judged, so a system that is worse than
the pool gains and a better one loses. The correction undoes this. With τ a posterior, a_0 = E[τ | f = 0] and
a_1 = E[τ | f = 1], the label g = (τ − a_0)/(a_1 − a_0) has E[g | f] = f, so every estimator that is linear in
the labels stays unbiased. With τ the majority's verdict this is the estimator of Rogan and Gladen (1978).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from evaluation.estimators import _checks
from evaluation.estimators._checks import FloatArray

LEAST_CONTRAST = 1e-6
"""a_1 − a_0 below which the votes tell nothing of the truth."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """What the posteriors of false and of true claims are on average.

    Attributes
    ----------
    of_false, of_true : float
        a_0 < a_1, in [0, 1].
    """

    of_false: float
    of_true: float

    def __post_init__(self) -> None:
        if not 0 <= self.of_false <= 1:
            _checks.refuse("of_false", f"is {self.of_false!r}; a probability lies in [0, 1]")
        if not self.of_false < self.of_true <= 1:
            _checks.refuse(
                "of_true",
                f"is {self.of_true!r}; at most 1 and more than of_false, {self.of_false!r}, is needed",
            )

    def labels(self, posteriors: ArrayLike) -> FloatArray:
        """Return labels g with E[g | f] = f.

        Parameters
        ----------
        posteriors : float[n]
            In [0, 1]. One of exactly 0 or 1 is certain (an expert's) and stays; NaN stays NaN.

        Returns
        -------
        float[n]
            From −a_0/(a_1 − a_0) to (1 − a_0)/(a_1 − a_0).

        Raises
        ------
        InvalidInput
            If a posterior is out of range.
        """
        tau = _posteriors(posteriors)
        certain = (tau == 0) | (tau == 1)
        return np.where(certain, tau, (tau - self.of_false) / (self.of_true - self.of_false))


def calibrate(posteriors: ArrayLike) -> Calibration | None:
    """Estimate the calibration from posteriors alone.

    a_1 = Σ τ² / Σ τ and a_0 = Σ τ (1 − τ) / Σ (1 − τ): if τ is the probability that f = 1, E[τ f] = E[τ²].
    The posteriors must be right for the population that they come from, not for any one system: what is
    assumed is that people err alike on the true claims of all systems, and on the false claims of all.

    Parameters
    ----------
    posteriors : float[n]
        Of all labels of one kind of question in a corpus, in [0, 1]. Those of exactly 0 or 1 are certain and
        are left out, as is NaN.

    Returns
    -------
    Calibration or None
        None, not estimable, if none is left, or they do not differ.

    Raises
    ------
    InvalidInput
        If a posterior is out of range.
    """
    tau = _posteriors(posteriors)
    tau = tau[(tau > 0) & (tau < 1)]
    if not tau.size:
        return None
    of_true = float((tau**2).sum() / tau.sum())
    of_false = float((tau * (1 - tau)).sum() / (1 - tau).sum())
    return Calibration(of_false, of_true) if of_true - of_false > LEAST_CONTRAST else None


def _posteriors(posteriors: ArrayLike) -> FloatArray:
    tau = np.asarray(posteriors, dtype=np.float64)
    if tau.ndim != 1:
        _checks.refuse("posteriors", f"has {tau.ndim} dimensions; one is needed")
    wrong = (tau < 0) | (tau > 1)
    if wrong.any():
        position = int(np.argmax(wrong))
        _checks.refuse(
            "posteriors",
            f"the value {tau[position]!s} at position {position} is wrong; a probability lies in [0, 1]",
        )
    return tau
