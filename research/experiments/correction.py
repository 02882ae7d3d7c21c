"""Labels corrected for the noise of the votes: right on average, for every system alike.

A posterior probability is the best guess at one label, but a mean of posteriors is no estimate of a share:
each is drawn towards the share of true claims among *all* that were judged, so a system that is worse than
the pool gains and a better one loses. The correction undoes this. With τ a posterior, a_0 = E[τ | f = 0] and
a_1 = E[τ | f = 1], the label g = (τ − a_0)/(a_1 − a_0) has E[g | f] = f, so every estimator that is linear in
the labels stays unbiased. With τ the majority's verdict this is the estimator of Rogan and Gladen (1978).
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from annotations.aggregation import _checks
from annotations.aggregation._checks import FloatArray, IntArray
from kbpo_estimators import many
from kbpo_estimators.precision import CONFIDENCE_NEEDS, PrecisionEstimate
from kbpo_estimators.reduced import Reduced

LEAST_CONTRAST = 1e-6
"""a_1 − a_0 below which the votes tell nothing of the truth."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """What the posteriors of false and of true claims are on average, where no expert has spoken.

    Attributes
    ----------
    of_false, of_true : float
        a_0 < a_1, in [0, 1].
    """

    of_false: float
    of_true: float

    def correct(self, posteriors: ArrayLike, known: ArrayLike) -> FloatArray:
        """Return labels g with E[g | f] = f.

        Parameters
        ----------
        posteriors : float[n]
            From the votes alone, in [0, 1].
        known : int[n]
            1 or 0 as an expert says, who is believed; −1 where none has spoken.

        Returns
        -------
        float[n]
            From −a_0/(a_1 − a_0), below 0, to (1 − a_0)/(a_1 − a_0), above 1.

        Raises
        ------
        InvalidInput
            If an argument is out of its range, or lengths differ.
        """
        tau, truth = _arguments(posteriors, known)
        return np.where(truth >= 0, truth, (tau - self.of_false) / (self.of_true - self.of_false))


def calibrate(posteriors: ArrayLike, known: ArrayLike) -> Calibration | None:
    """Estimate the calibration from the posteriors themselves.

    If τ is the probability that f = 1 given the votes, then Σ τ claims are true, and the τ of those sum to
    Σ τ². Less the n_1 true claims that experts have settled, whose τ are known,

    a_1 = (Σ τ² − Σ_{expert, f=1} τ) / (Σ τ − n_1), and for the false ones
    a_0 = (Σ τ(1 − τ) − Σ_{expert, f=0} τ) / (Σ (1 − τ) − n_0),

    sums without an index over all claims. The experts' claims must be taken out in this way, since it is by
    its votes that a question comes to an expert.

    Parameters
    ----------
    posteriors : float[n]
        From the votes alone, also where an expert has spoken, of all claims of one kind in a corpus. They
        must be right for these together, not for any one system: what is assumed is that people err alike on
        the true claims of all systems, and on the false claims of all systems.
    known : int[n]
        1 or 0 as an expert says; −1 where none has spoken.

    Returns
    -------
    Calibration or None
        None, not estimable, if the votes do not tell true from false, or settle nothing that is either.

    Raises
    ------
    InvalidInput
        If an argument is out of its range, or lengths differ.
    """
    tau, truth = _arguments(posteriors, known)
    true, false = truth == 1, truth == 0
    number_true = tau.sum() - np.count_nonzero(true)
    number_false = (1 - tau).sum() - np.count_nonzero(false)
    if min(number_true, number_false) <= 0:
        return None
    of_true = min(1.0, float(((tau**2).sum() - tau[true].sum()) / number_true))
    of_false = max(0.0, float(((tau * (1 - tau)).sum() - tau[false].sum()) / number_false))
    return Calibration(of_false, of_true) if of_true - of_false > LEAST_CONTRAST else None


def noise_adjusted_precisions(reduced: Reduced, labels: FloatArray) -> list[PrecisionEstimate]:
    """Estimate the precision of every system from labels that are unbiased, not exact.

    As `tests.oracles.precision.noise_adjusted_precision` does of one system.

    Parameters
    ----------
    reduced : Reduced
    labels : float[E]
        g for each entry, as `Calibration.correct` makes them.

    Returns
    -------
    list of PrecisionEstimate, length m
    """
    system = np.repeat(np.arange(reduced.systems), np.diff(reduced.indptr))
    terms = reduced.p**2 / reduced.pi[reduced.positions] * labels * (labels - 1.0)
    noises = np.maximum(0.0, np.bincount(system, terms, minlength=reduced.systems))
    found = []
    for one, noise in zip(
        many._estimates(reduced, labels, None, CONFIDENCE_NEEDS), noises.tolist(), strict=True
    ):
        need = 1.0 / one.n_eff + 4.0 * noise
        n_eff = 1.0 / need if need > 0 else math.inf
        found.append(replace(one, variance=one.variance + noise, n_eff=n_eff))
    return found


def _arguments(posteriors: ArrayLike, known: ArrayLike) -> tuple[FloatArray, IntArray]:
    tau = _probabilities("posteriors", posteriors)
    return tau, _checks.integers("known", known, low=-1, below=2, length=tau.size)


def _probabilities(argument: str, values: ArrayLike) -> FloatArray:
    """Return numbers in [0, 1], in one dimension."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        _checks.refuse(argument, f"has {array.ndim} dimensions; 1 needed")
    wrong = ~((array >= 0) & (array <= 1))
    if wrong.any():
        first = int(np.argmax(wrong))
        _checks.refuse(
            argument, f"the value {array[first]:g} at position {first} is wrong; it lies in [0, 1]"
        )
    return array
