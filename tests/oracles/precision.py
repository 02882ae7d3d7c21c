"""Precision of one system under the coordinated design, fold by fold as its formula says.

`kbpo_estimators.many.difference_precisions` computes the same of all systems of a pool together.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from kbpo_estimators import _checks
from kbpo_estimators._checks import BoolArray, FloatArray
from kbpo_estimators.coordinated import FOLDS, variance_weights
from kbpo_estimators.precision import CONFIDENCE_NEEDS, PrecisionEstimate, _regressors

_ROUNDING = 1e-12


def difference_precision(
    p: ArrayLike,
    pi: ArrayLike,
    sampled: ArrayLike,
    labels: ArrayLike,
    folds: ArrayLike,
    confidence: ArrayLike | None = None,
    *,
    model: ArrayLike | None = None,
    k: int = FOLDS,
    confidence_needs: int = CONFIDENCE_NEEDS,
) -> PrecisionEstimate:
    """Estimate one system's precision from a coordinated sample.

    P̂ = Σ_k { Σ_{fold k} p β̂₋ₖ·z + Σ_{sample, fold k} (p/π)(f − β̂₋ₖ·z) }, where β̂₋ₖ is the least-squares fit
    of f on z with weights p/π over the sample in the other folds. With n₋ₖ sampled instances in those, z = 1
    if n₋ₖ < `confidence_needs`, (1, ĝ₋ₖ) if n₋ₖ is less than twice that, else (1, confidence, ĝ₋ₖ); without
    what is the same for all of them, and without the confidence where it says what ĝ₋ₖ does. β̂₋ₖ = 0 if
    n₋ₖ = 0.

    Parameters
    ----------
    p : float[n]
        The weights of the system's instances; above 0, summing to 1.
    pi : float[n]
        Their inclusion probabilities π_B after the last fully labelled batch, in (0, 1]; 1 for an instance
        that is known.
    sampled : bool[n]
        Whether the instance is in the sample {u < π_B}, or known.
    labels : float[n]
        f_i, 0 or 1, on the sample; whatever stands elsewhere (NaN, say) is not looked at.
    folds : int[n]
        From 0 to k − 1, as `coordinated.folds` makes them.
    confidence : float[n], optional
        The predictions' confidences. They may be anything that was fixed before the labels.
    model : float[n, k], optional
        ĝ₋ₖ of each instance for every k (`pooled.learn`): anything that knows no label, and no random number,
        of fold k.
    k : int
        The number of folds, at least 2.
    confidence_needs : int
        See above; at least 1.

    Returns
    -------
    PrecisionEstimate

    Raises
    ------
    InvalidInput
        If the system is empty, lengths differ, a probability, label, fold or confidence is out of range, p
        does not sum to 1, or an instance with π = 1 is not in the sample.
    """
    return _estimate(p, pi, sampled, labels, folds, confidence, model, k, confidence_needs, exact=True)


def noise_adjusted_precision(
    p: ArrayLike,
    pi: ArrayLike,
    sampled: ArrayLike,
    labels: ArrayLike,
    folds: ArrayLike,
    confidence: ArrayLike | None = None,
    *,
    k: int = FOLDS,
    confidence_needs: int = CONFIDENCE_NEEDS,
) -> PrecisionEstimate:
    """Estimate one system's precision from a coordinated sample whose labels are unbiased, not exact.

    The estimate of `difference_precision` is linear in the labels, so with labels g for which E[g | f] = f it
    stays unbiased. Votes add variance to that of the sample: V̂ = Σ_sample (1 − π)/π² p² e² + max(0,
    Σ_sample p²/π g(g − 1)), since E[g(g − 1) | f] is the variance of g given f. It takes the noise of
    different instances as independent, and does not know how far the calibration itself is off.

    Parameters
    ----------
    labels : float[n]
        g on the sample, as `research.experiments.correction` makes them (their product, where f is one),
        0 or 1 where the label is certain; may lie outside [0, 1]. What stands elsewhere is not looked at.
    p, pi, sampled, folds, confidence, k, confidence_needs
        As in `difference_precision`.

    Returns
    -------
    PrecisionEstimate
        Its variance and n_eff hold the noise of the votes; its contributions do not, so a difference between
        two systems or F1 with recall from labelled predictions must not be built on them.

    Raises
    ------
    InvalidInput
        As `difference_precision`, or if a label on the sample is not finite.
    """
    found = _estimate(p, pi, sampled, labels, folds, confidence, None, k, confidence_needs, exact=False)
    inside = np.asarray(sampled)
    g = np.asarray(labels, dtype=np.float64)[inside]
    weights = np.asarray(p, dtype=np.float64)[inside] ** 2 / np.asarray(pi, dtype=np.float64)[inside]
    noise = max(0.0, float((weights * g * (g - 1.0)).sum()))
    need = 1.0 / found.n_eff + 4.0 * noise
    return replace(found, variance=found.variance + noise, n_eff=1.0 / need if need > 0 else math.inf)


def _estimate(
    p: ArrayLike,
    pi: ArrayLike,
    sampled: ArrayLike,
    labels: ArrayLike,
    folds: ArrayLike,
    confidence: ArrayLike | None,
    model: ArrayLike | None,
    k: int,
    confidence_needs: int,
    *,
    exact: bool,
) -> PrecisionEstimate:
    p = _checks.distribution("p", p)
    n = p.size
    pi = _checks.probabilities("pi", pi, length=n)
    sampled = _checks.flags("sampled", sampled, n)
    fold = _checks.integers("folds", folds, length=n, below=_checks.whole("k", k, 2))
    c = np.zeros(n) if confidence is None else _checks.vector("confidence", confidence, n)
    g = np.zeros((n, k)) if model is None else np.asarray(model, dtype=np.float64)
    if g.shape != (n, k) or not np.isfinite(g).all():
        _checks.refuse("model", f"has the shape {g.shape} or holds no numbers; {(n, k)} numbers are needed")
    needs = _checks.whole("confidence_needs", confidence_needs, 1)
    _refuse_unsampled_certainties(pi, sampled)
    f = _labels_of_sample(labels, sampled, exact)

    p_of_fold = np.bincount(fold, weights=p, minlength=k)
    pc_of_fold = np.bincount(fold, weights=p * c, minlength=k)
    pg_of_fold = np.bincount(fold, weights=p * g[np.arange(n), fold], minlength=k)
    need = float((p * p * (1.0 / pi - 1.0)).sum())

    p, pi, fold, c, g = p[sampled], pi[sampled], fold[sampled], c[sampled], g[sampled]
    weights = p / pi
    residuals = np.empty(f.size)
    predicted = 0.0
    for one in range(k):
        inside = fold == one
        line = _fit(f[~inside], weights[~inside], c[~inside], g[~inside, one], needs)
        residuals[inside] = f[inside] - line.at(c[inside], g[inside, one])
        predicted += line.total(float(p_of_fold[one]), float(pc_of_fold[one]), float(pg_of_fold[one]))
    estimate = predicted + float((weights * residuals).sum())

    # Where the line is perfect only rounding is left, and an interval must not be built on that.
    residuals[np.abs(residuals) < _ROUNDING] = 0.0
    contributions = np.where(pi < 1.0, p * residuals, 0.0)
    return PrecisionEstimate(
        estimate=estimate,
        variance=float((variance_weights(pi) * contributions**2).sum()),
        n=f.size,
        n_eff=1.0 / need if need > 0 else math.inf,
        residuals=residuals,
        contributions=contributions,
    )


@dataclass(frozen=True, slots=True)
class _Line:
    """A least-squares fit in centred form: exactly constant where the labels are, whatever the regressors."""

    level: float = 0.0
    of_c: float = 0.0
    centre_c: float = 0.0
    of_g: float = 0.0
    centre_g: float = 0.0

    def at(self, confidence: FloatArray, model: FloatArray) -> FloatArray:
        return self.level + self.of_c * (confidence - self.centre_c) + self.of_g * (model - self.centre_g)

    def total(self, p: float, pc: float, pg: float) -> float:
        return self.level * p + self.of_c * (pc - self.centre_c * p) + self.of_g * (pg - self.centre_g * p)


def _fit(f: FloatArray, weights: FloatArray, c: FloatArray, g: FloatArray, needs: int) -> _Line:
    if f.size == 0:
        return _Line()
    total = weights.sum()
    level = float((weights * f).sum() / total)
    if f.size < needs:
        return _Line(level)
    chosen = _regressors(weights, c, g, needs)
    centre_c, centre_g = float((weights * c).sum() / total), float((weights * g).sum() / total)
    away_c, away_g, away_f = c - centre_c, g - centre_g, f - level
    cc, gg = float((weights * away_c * away_c).sum()), float((weights * away_g * away_g).sum())
    cf, gf = float((weights * away_c * away_f).sum()), float((weights * away_g * away_f).sum())
    if chosen == [0, 1]:
        cg = float((weights * away_c * away_g).sum())
        determinant = cc * gg - cg * cg
        of_c, of_g = (gg * cf - cg * gf) / determinant, (cc * gf - cg * cf) / determinant
        return _Line(level, of_c, centre_c, of_g, centre_g)
    if chosen == [1]:
        return _Line(level, of_g=gf / gg, centre_g=centre_g)
    return _Line(level, cf / cc, centre_c) if chosen else _Line(level)


def _refuse_unsampled_certainties(pi: FloatArray, sampled: BoolArray) -> None:
    missing = (pi == 1.0) & ~sampled
    if missing.any():
        position = int(np.argmax(missing))
        _checks.refuse("sampled", f"position {position} is not sampled although its π is 1; it must be")


def _labels_of_sample(labels: ArrayLike, sampled: BoolArray, exact: bool) -> FloatArray:
    array = np.asarray(labels, dtype=np.float64)
    if array.shape != sampled.shape:
        _checks.refuse("labels", f"has the shape {array.shape}; one for each of {sampled.size} is needed")
    wrong = sampled & ((array != 0) & (array != 1) if exact else ~np.isfinite(array))
    if wrong.any():
        position = int(np.argmax(wrong))
        rule = "it is 0 or 1" if exact else "a finite number is needed"
        _checks.refuse("labels", f"the value {array[position]!s} at position {position} is wrong; {rule}")
    return array[sampled]
