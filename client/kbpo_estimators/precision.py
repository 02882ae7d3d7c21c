"""Precision under the coordinated design: the cross-fitted difference estimator.

A line is fitted to the labels of the other folds, its mean over all of the system's instances is known
exactly, and the sample of the fold itself only corrects what the line misses. Because no instance helps to
predict itself, the estimate is exactly unbiased; the plain ratio (Hájek) is not.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kbpo_estimators import _checks
from kbpo_estimators._checks import FloatArray
from kbpo_estimators.coordinated import FOLDS

CONFIDENCE_NEEDS = 20
"""Fewer sampled instances than this in the other folds, and the line is level."""
ALIKE = 1e-9
"""What a model predicts must differ by more than this."""
COLLINEAR = 1e-6
"""Of the share of the one regressor that the other leaves, less than this is none."""


@dataclass(frozen=True, slots=True, eq=False)
class PrecisionEstimate:
    """An estimated precision, and what other scores need of it.

    Attributes
    ----------
    estimate : float
        Unbiased, so not confined to [0, 1].
    variance : float
        V̂ = Σ_sample (1 − π)/π² · p² e².
    n : int
        The instances of the system in the sample.
    n_eff : float
        1/Σp²(1/π − 1) over the system's instances: the number of independent draws with the same
        worst-case variance. Infinite where every π is 1.
    residuals : float[n]
        e = f − β̂·z for the sampled instances, in the order of the arguments.
    contributions : float[n]
        p·e, and 0 where π = 1: what F1 and differences between systems combine before squaring.
    """

    estimate: float
    variance: float
    n: int
    n_eff: float
    residuals: FloatArray
    contributions: FloatArray

    @property
    def degrees_of_freedom(self) -> None:
        """None: intervals are normal."""
        return None


def both_need(needs: int) -> int:
    """Return how many sampled instances the other folds need for a line in confidence and model both."""
    return 2 * needs


def label_weights(
    p: ArrayLike,
    pi: ArrayLike,
    sampled: ArrayLike,
    folds: ArrayLike,
    confidence: ArrayLike | None = None,
    *,
    model: ArrayLike | None = None,
) -> FloatArray:
    """Return by how much each label counts in the estimate of a system's precision: Σ weight · label.

    Least squares are linear in the labels, so the estimate is (`many.difference_precisions`). The weights sum
    to 1 where the sample is in more than one fold; some may be negative.

    Parameters
    ----------
    p : float[n]
        The weights of the system's instances; above 0, summing to 1.
    pi : float[n]
        Their inclusion probabilities π_B after the last fully labelled batch, in (0, 1]; 1 for an instance
        that is known.
    sampled : bool[n]
        Whether the instance is in the sample {u < π_B}, or known.
    folds : int[n]
        From 0 to `FOLDS` − 1, as `coordinated.folds` makes them.
    confidence : float[n], optional
        The predictions' confidences.
    model : float[n, FOLDS], optional
        ĝ₋ₖ of each instance for every fold k (`pooled.learn`).

    Returns
    -------
    float[n]
        0 where an instance is not sampled.
    """
    p = _checks.distribution("p", p)
    n = p.size
    pi = _checks.probabilities("pi", pi, length=n)
    inside = _checks.flags("sampled", sampled, n)
    fold = _checks.integers("folds", folds, length=n, below=FOLDS)
    c = np.zeros(n) if confidence is None else _checks.vector("confidence", confidence, n)
    g = np.zeros((n, FOLDS)) if model is None else np.asarray(model, dtype=np.float64)
    expanded = np.where(inside, p / pi, 0.0)
    found = expanded.copy()
    for one in range(FOLDS):
        own, other = fold == one, inside & (fold != one)
        weights = expanded[other]
        if not weights.size:
            continue
        missed = np.where(own, p - expanded, 0.0)  # how much a line counts at each instance of its fold
        share = weights / weights.sum()
        found[other] += share * missed.sum()
        columns = []
        if weights.size >= CONFIDENCE_NEEDS:
            columns = _regressors(weights, c[other], g[other, one], CONFIDENCE_NEEDS)
        if columns:
            z = np.stack([(c, g[:, one])[column] for column in columns])
            away = z - (z[:, other] @ share)[:, np.newaxis]
            gram = (away[:, other] * weights) @ away[:, other].T
            found[other] += weights * (np.linalg.solve(gram, away @ missed) @ away[:, other])
    return found


def _regressors(weights: FloatArray, c: FloatArray, g: FloatArray, needs: int) -> list[int]:
    """Return what `_fit` takes: 0, the confidence; 1, the model."""
    total = weights.sum()
    away_c, away_g = c - (weights * c).sum() / total, g - (weights * g).sum() / total
    cc, gg = float((weights * away_c * away_c).sum()), float((weights * away_g * away_g).sum())
    cg = float((weights * away_c * away_g).sum())
    with_c, with_g = c.max() > c.min() and cc > 0, g.max() - g.min() > ALIKE and gg > 0
    if with_c and with_g and c.size >= both_need(needs) and cc * gg - cg * cg > COLLINEAR * cc * gg:
        return [0, 1]
    return [1] if with_g else [0] if with_c else []
