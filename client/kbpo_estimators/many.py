"""Precision of all systems of a pool together, from systems that `reduced` has reduced."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kbpo_estimators import _checks
from kbpo_estimators._checks import FloatArray, IntArray
from kbpo_estimators.coordinated import variance_weights
from kbpo_estimators.precision import (
    ALIKE,
    COLLINEAR,
    CONFIDENCE_NEEDS,
    PrecisionEstimate,
    both_need,
)
from kbpo_estimators.reduced import ModelSums, Reduced

_ROUNDING = 1e-12
_ENTRIES = 1 << 15
"""Entries that are looked at together: so many that what is made of them stays in a processor's cache."""


def difference_precisions(
    reduced: Reduced,
    labels: ArrayLike,
    *,
    model: str | None = None,
    confidence_needs: int = CONFIDENCE_NEEDS,
) -> list[PrecisionEstimate]:
    """Estimate the precision of every system from a coordinated sample.

    P̂ = Σ_k { Σ_{fold k} p β̂₋ₖ·z + Σ_{sample, fold k} (p/π)(f − β̂₋ₖ·z) }, where β̂₋ₖ is the least-squares fit
    of f on z with weights p/π over the sample in the other folds. With n₋ₖ sampled instances in those, z = 1
    if n₋ₖ < `confidence_needs`, (1, ĝ₋ₖ) if n₋ₖ is less than twice that, else (1, confidence, ĝ₋ₖ); without
    what is the same for all of them, and without the confidence where it says what ĝ₋ₖ does. β̂₋ₖ = 0 if
    n₋ₖ = 0.

    Parameters
    ----------
    reduced : Reduced
    labels : float[E]
        f_i for each entry (`labels[reduced.positions]` where the label of an instance is everybody's).
    model : str, optional
        Which of `reduced.models` says how likely instances are right; without it confidences alone do.
    confidence_needs : int
        See above; at least 1.

    Returns
    -------
    list of PrecisionEstimate, length m

    Raises
    ------
    InvalidInput
        If there is another number of labels, or one is not 0 or 1.
    """
    f = _checks.labels("labels", labels, reduced.positions.size)
    return _estimates(reduced, f, None if model is None else reduced.models[model], confidence_needs)


def _estimates(
    reduced: Reduced, f: FloatArray, model: ModelSums | None, confidence_needs: int
) -> list[PrecisionEstimate]:
    needs = _checks.whole("confidence_needs", confidence_needs, 1)
    found: list[PrecisionEstimate] = []
    while (first := len(found)) < reduced.systems:
        last = int(np.searchsorted(reduced.indptr, reduced.indptr[first] + _ENTRIES, side="right")) - 1
        found += _of_some(reduced, slice(first, max(last, first + 1)), f, model, needs)
    return found


def _of_some(
    reduced: Reduced, systems: slice, f: FloatArray, model: ModelSums | None, needs: int
) -> list[PrecisionEstimate]:
    """Estimate the precision of some systems, neighbours in the pool."""
    indptr = reduced.indptr[systems.start : systems.stop + 1]
    entries, starts = slice(indptr[0], indptr[-1]), indptr - indptr[0]
    m, k = starts.size - 1, reduced.p_of_fold.shape[1]
    positions = reduced.positions[entries]
    # Fold after fold, and in each system after system: what is summed stands together.
    folds = reduced.folds.astype(np.uint8).take(positions)
    order = np.argsort(folds, kind="stable")
    system = np.repeat(np.arange(m), np.diff(starts))[order]
    cells = _Cells(np.bincount(folds[order] * np.intp(m) + system, minlength=k * m).reshape(k, m))
    positions = positions[order]
    p, pi, f = reduced.p[entries][order], reduced.pi[positions], f[entries][order]
    c, weights = reduced.confidence[entries][order], p / pi

    predicted, fitted = np.zeros(m), np.empty(f.size)
    end = 0
    for fold, size in enumerate(cells.counts.sum(axis=1).tolist()):
        own, end = slice(end, end + size), end + size
        g = None if model is None else model.of_sample[:, fold].take(positions)
        lines = _lines(cells, fold, f, weights, c, g, needs)
        fitted[own] = lines.at(system[own], c[own], None if g is None else g[own])
        predicted += lines.total(
            reduced.p_of_fold[systems, fold],
            reduced.pc_of_fold[systems, fold],
            None if model is None else model.pg_of_fold[systems, fold],
        )
    residuals = f - fitted
    estimates = predicted + cells.sums(weights * residuals).sum(axis=0)
    residuals[np.abs(residuals) < _ROUNDING] = 0.0
    contributions = np.where(pi < 1.0, p * residuals, 0.0)
    variances = cells.sums(variance_weights(pi) * contributions**2).sum(axis=0)

    of_entries = np.empty((2, f.size))
    of_entries[:, order] = residuals, contributions
    return [
        PrecisionEstimate(
            estimate=estimate,
            variance=variance,
            n=of_system.shape[1],
            n_eff=1.0 / need if need > 0 else math.inf,
            residuals=of_system[0],
            contributions=of_system[1],
        )
        for estimate, variance, need, of_system in zip(
            estimates.tolist(),
            variances.tolist(),
            reduced.need[systems].tolist(),
            np.split(of_entries, starts[1:-1], axis=1),
            strict=True,
        )
    ]


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """Entries that stand fold after fold, and in each fold system after system.

    Attributes
    ----------
    counts : int[K, m]
        How many each fold has of each system.
    """

    counts: IntArray

    def sums(self, values: FloatArray) -> FloatArray:
        """Return Σ values by fold and system, float[K, m]."""
        return self.reduced(np.add, values, 0.0)

    def reduced(self, how: np.ufunc, values: FloatArray, nothing: float) -> FloatArray:
        """Return what becomes of the values of each fold and system, float[K, m]."""
        filled = self.counts.ravel() > 0
        starts = np.cumsum(self.counts) - self.counts.ravel()
        found = np.full(filled.size, nothing)
        found[filled] = how.reduceat(values, starts[filled])
        return found.reshape(self.counts.shape)

    def spread(self, of_systems: FloatArray) -> FloatArray:
        """Return for each entry what is of its system."""
        return np.repeat(np.tile(of_systems, self.counts.shape[0]), self.counts.ravel())


@dataclass(frozen=True, slots=True, eq=False)
class _Lines:
    """The least-squares fit of each system, in centred form; float[m] each."""

    level: FloatArray
    of_c: FloatArray
    centre_c: FloatArray
    of_g: FloatArray
    centre_g: FloatArray

    def at(self, system: IntArray, c: FloatArray, g: FloatArray | None) -> FloatArray:
        found = self.level[system] + self.of_c[system] * (c - self.centre_c[system])
        return found if g is None else found + self.of_g[system] * (g - self.centre_g[system])

    def total(self, p: FloatArray, pc: FloatArray, pg: FloatArray | None) -> FloatArray:
        found = self.level * p + self.of_c * (pc - self.centre_c * p)
        return found if pg is None else found + self.of_g * (pg - self.centre_g * p)


def _lines(
    cells: _Cells,
    fold: int,
    f: FloatArray,
    weights: FloatArray,
    c: FloatArray,
    g: FloatArray | None,
    needs: int,
) -> _Lines:
    """Fit each system outside a fold, as `precision` does one; all is 0 where it has no entry there."""
    folds, m = cells.counts.shape
    outside = np.arange(folds) != fold

    def summed(values: FloatArray) -> FloatArray:
        return np.asarray(cells.sums(values)[outside].sum(axis=0))

    def over(top: FloatArray, bottom: FloatArray) -> FloatArray:
        return np.divide(top, bottom, out=np.zeros(m), where=bottom > 0)

    def varies(values: FloatArray, least: float) -> Any:
        most = cells.reduced(np.maximum, values, -np.inf)[outside].max(axis=0)
        return most - cells.reduced(np.minimum, values, np.inf)[outside].min(axis=0) > least

    total, counts = summed(weights), cells.counts[outside].sum(axis=0)
    level, centre_c = over(summed(weights * f), total), over(summed(weights * c), total)
    away_f, away_c = f - cells.spread(level), c - cells.spread(centre_c)
    weighed_c = weights * away_c
    cc, cf = summed(weighed_c * away_c), summed(weighed_c * away_f)
    with_c = (counts >= needs) & varies(c, 0.0)
    zeros = np.zeros(m)
    if g is None:
        return _Lines(
            level, np.where(with_c, over(cf, cc), 0.0), np.where(with_c, centre_c, 0.0), zeros, zeros
        )
    centre_g = over(summed(weights * g), total)
    away_g = g - cells.spread(centre_g)
    weighed_g = weights * away_g
    gg, gf, cg = summed(weighed_g * away_g), summed(weighed_g * away_f), summed(weighed_c * away_g)
    with_g = (counts >= needs) & varies(g, ALIKE)
    determinant = cc * gg - cg * cg
    both = with_c & with_g & (counts >= both_need(needs)) & (determinant > COLLINEAR * cc * gg)
    of_c = np.where(both, over(gg * cf - cg * gf, determinant), np.where(with_c & ~with_g, over(cf, cc), 0.0))
    of_g = np.where(both, over(cc * gf - cg * cf, determinant), np.where(with_g, over(gf, gg), 0.0))
    return _Lines(level, of_c, np.where(of_c != 0, centre_c, 0.0), of_g, np.where(of_g != 0, centre_g, 0.0))
