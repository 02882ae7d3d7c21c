"""How uncertain each label is expected to be, before any is asked for: s² of the quadratic sum.

Learnt from units whose truth is known without a sample (for KBP, claims in documents annotated in full), so
that no random number of the epoch has any part in it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from kbpo_estimators import _checks, logistic
from kbpo_estimators._checks import FloatArray, IntArray
from kbpo_estimators.coordinated import LABEL_VARIANCE

VERSION = "claims 1"
"""What `features` makes of claims, how they are fitted, and what s² follows: a stored name."""
FOLDS = 5
LEAST_VARIANCE = 0.04
LEAST_KNOWN = 100
"""Known units below which nothing is learnt from them."""
RIDGE = 1.0
DECIMALS = 6
"""To which s² is rounded, so that machines whose exponentials differ in the last digit agree."""

_MANY = 3  # teams with a unit, beyond which more say little
_ALIKE = 1e-9  # a spread below this is rounding
_FAR = 3.0  # standard deviations, beyond which a confidence says no more


@dataclass(frozen=True, slots=True, eq=False)
class Claimant:
    """What one system claims among n units.

    Attributes
    ----------
    team : int
        Which team's it is: any number that systems of one team share.
    rows : int[k]
        Which of the units it claims, each once.
    confidence : float[k]
    """

    team: int
    rows: IntArray
    confidence: FloatArray


@dataclass(frozen=True, slots=True)
class Scale:
    """What a team's confidences are measured by.

    Attributes
    ----------
    mean, spread : float
        Of all confidences that its systems give, and their standard deviation; 0 where they are all alike.
    """

    mean: float
    spread: float

    @classmethod
    def of(cls, values: FloatArray, counts: IntArray) -> "Scale":
        """Return the scale of a team whose systems give these values, each so often; a value may come again.

        Sums are exact and in the order of the values, so no order of claims or systems matters.

        Examples
        --------
        >>> Scale.of(np.array([0.25, 0.75, 0.25]), np.array([1, 2, 1]))
        Scale(mean=0.5, spread=0.25)
        """
        distinct, place = np.unique(values, return_inverse=True)
        _checks.not_empty("values", distinct.size)
        often = np.bincount(place, counts)
        total = float(often.sum())
        mean = math.fsum((often * distinct).tolist()) / total
        away = distinct - mean
        spread = math.sqrt(math.fsum((often * (away * away)).tolist()) / total)
        return cls(mean, spread if spread > _ALIKE * max(1.0, abs(mean)) else 0.0)

    def standardised(self, confidence: FloatArray) -> FloatArray:
        """Return confidences in standard deviations from the mean, at most 3; 0 where all are alike."""
        if self.spread == 0:
            return np.zeros(confidence.size)
        return np.asarray(np.clip((confidence - self.mean) / self.spread, -_FAR, _FAR))


@dataclass(frozen=True, slots=True, eq=False)
class VarianceModel:
    """What was learnt.

    Attributes
    ----------
    coefficients : float[K, 1 + d]
        Row k: the intercept and the coefficients fitted on known units of all folds but k.
    error_ratio : float
        At least 1: how much larger the squared errors out of fold are than the variances planned.
    """

    coefficients: FloatArray
    error_ratio: float

    def variances(self, features: Any, folds: IntArray) -> FloatArray:
        """Return s² of units: max(ĝ(1 − ĝ), .04) times the error ratio, rounded, at most ¼.

        Parameters
        ----------
        features : scipy.sparse, n × d
            As `features` makes them.
        folds : int[n]
            Of the documents that they stand in.

        Returns
        -------
        float[n]
        """
        planned = self.error_ratio * _planned(_probabilities(self.coefficients, features, folds))
        return np.asarray(np.minimum(LABEL_VARIANCE, np.round(planned, DECIMALS)))


def features(
    n: int,
    claimants: Sequence[Claimant],
    scales: Mapping[int, Scale],
    categories: Sequence[tuple[IntArray, int]],
) -> sparse.csr_array:
    """Return what is known of units beforehand, as numbers.

    Parameters
    ----------
    n : int
    claimants : sequence of Claimant
        All systems so far, in the order of arrival, those that claim none of the units too.
    scales : mapping of int to Scale
        Of each team.
    categories : sequence of (int[n], int)
        What else a unit has one of (its predicate): a code, below the number of codes; −1 for none.

    Returns
    -------
    scipy.sparse CSR, n × d
        For each team, in the order of arrival: whether it has the unit, and its largest confidence,
        standardised, so that copies of a system count once; of several systems of it, which have the unit.
        Whether at least two, and at least three teams have it; the mean of theirs; an indicator for each
        code.
    """
    of_team: dict[int, list[Claimant]] = {}
    for one in claimants:
        of_team.setdefault(one.team, []).append(one)
    count, total = np.zeros(n), np.zeros(n)
    blocks = []
    for team, systems in of_team.items():
        best = np.full(n, -np.inf)
        has = np.zeros((n, len(systems)))
        for place, one in enumerate(systems):
            own = scales[team].standardised(one.confidence)
            best[one.rows] = np.maximum(best[one.rows], own)
            has[one.rows, place] = 1.0
        theirs = best > -np.inf
        confidence = np.where(theirs, best, 0.0)
        count += theirs
        total += confidence
        columns = [theirs, confidence, *(has.T if len(systems) > 1 else ())]
        blocks.append(sparse.csc_array(np.stack(columns, axis=1)))
    together = [count >= least for least in range(2, _MANY + 1)]
    mean = np.divide(total, count, out=np.zeros(n), where=count > 0)
    blocks.append(sparse.csc_array(np.stack([*together, mean], axis=1)))
    for codes, size in categories:
        there = np.flatnonzero(codes >= 0)
        blocks.append(sparse.csc_array((np.ones(there.size), (there, codes[there])), shape=(n, size)))
    return sparse.csr_array(sparse.hstack(blocks))


def fit(features: Any, labels: Sequence[ArrayLike], folds: ArrayLike) -> VarianceModel | None:
    """Learn from units whose truth is known.

    Parameters
    ----------
    features : scipy.sparse, n × d
    labels : sequence of float[n]
        The first is learnt: 0 or 1. The error ratio is the largest over all of them.
    folds : int[n]
        From 0 to K − 1: a document's units are all in one.

    Returns
    -------
    VarianceModel or None
        None where too little is known: fewer than `LEAST_KNOWN` units, one label alone, or an empty fold.
    """
    f = [_checks.labels("labels", one, features.shape[0]) for one in labels]
    fold = _checks.integers("folds", folds, length=features.shape[0], below=FOLDS)
    if f[0].size < LEAST_KNOWN or np.ptp(f[0]) == 0 or np.bincount(fold, minlength=FOLDS).min() == 0:
        return None
    coefficients = np.empty((FOLDS, 1 + features.shape[1]))
    for one in range(FOLDS):
        others = fold != one
        fitted = logistic.fit(features[others], f[0][others], ridge=RIDGE)
        coefficients[one] = fitted.intercept, *fitted.coefficients
    g = _probabilities(coefficients, features, fold)
    # π goes with s, so what a unit adds to the variance of an estimate is e²/s where s was planned.
    s = np.sqrt(_planned(g))
    planned = math.fsum(s.tolist())
    ratio = max(math.fsum(((one - g) ** 2 / s).tolist()) / planned for one in f)
    return VarianceModel(coefficients, max(1.0, round(ratio, DECIMALS)))


def _probabilities(coefficients: FloatArray, features: Any, folds: IntArray) -> FloatArray:
    g = np.empty(features.shape[0])
    for one, (intercept, *slopes) in enumerate(coefficients):
        inside = np.flatnonzero(folds == one)
        g[inside] = logistic.LogisticFit(intercept, np.array(slopes), 0, True).probability(features[inside])
    return g


def _planned(g: FloatArray) -> FloatArray:
    return np.maximum(g * (1.0 - g), LEAST_VARIANCE)
