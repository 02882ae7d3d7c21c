"""Precision of all systems of a pool at once, for pools of a thousand systems and millions of instances.

The estimates are those of `precision`, made from systems that `reduced` has reduced.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from evaluation.estimators import _checks
from evaluation.estimators._checks import FloatArray, IntArray
from evaluation.estimators.coordinated import variance_weights
from evaluation.estimators.intervals import Interval
from evaluation.estimators.precision import (
    ALIKE,
    COLLINEAR,
    CONFIDENCE_NEEDS,
    PrecisionEstimate,
    both_need,
)
from evaluation.estimators.recall import RecallEstimate
from evaluation.estimators.reduced import ModelSums, Reduced

_ROUNDING = 1e-12
_BLOCK = 4_096
"""Instances of the sample whose multipliers are in memory at a time."""


def difference_precisions(
    reduced: Reduced,
    labels: ArrayLike,
    *,
    model: str | None = None,
    confidence_needs: int = CONFIDENCE_NEEDS,
) -> list[PrecisionEstimate]:
    """Estimate the precision of every system, as `precision.difference_precision` does of one.

    Parameters
    ----------
    reduced : Reduced
    labels : float[E]
        f_i for each entry (`labels[reduced.positions]` where the label of an instance is everybody's).
    model : str, optional
        Which of `reduced.models` says how likely instances are right; without it confidences alone do.
    confidence_needs : int
        As in `difference_precision`.

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


def noise_adjusted_precisions(
    reduced: Reduced, labels: ArrayLike, *, confidence_needs: int = CONFIDENCE_NEEDS
) -> list[PrecisionEstimate]:
    """Estimate the precision of every system from labels that are unbiased, not exact.

    As `precision.noise_adjusted_precision` does of one.

    Parameters
    ----------
    reduced : Reduced
    labels : float[E]
        g for each entry.
    confidence_needs : int

    Returns
    -------
    list of PrecisionEstimate, length m

    Raises
    ------
    InvalidInput
        If there is another number of labels, or one is not finite.
    """
    g = _checks.vector("labels", labels, reduced.positions.size)
    system = np.repeat(np.arange(reduced.systems), np.diff(reduced.indptr))
    terms = reduced.p**2 / reduced.pi[reduced.positions] * g * (g - 1.0)
    noises = np.maximum(0.0, np.bincount(system, terms, minlength=reduced.systems))
    found = []
    for one, noise in zip(_estimates(reduced, g, None, confidence_needs), noises.tolist(), strict=True):
        need = 1.0 / one.n_eff + 4.0 * noise
        n_eff = 1.0 / need if need > 0 else math.inf
        found.append(replace(one, variance=one.variance + noise, n_eff=n_eff))
    return found


def _estimates(
    reduced: Reduced, f: FloatArray, model: ModelSums | None, confidence_needs: int
) -> list[PrecisionEstimate]:
    entries = f.size
    needs = _checks.whole("confidence_needs", confidence_needs, 1)
    m, k = reduced.p_of_fold.shape
    system = np.repeat(np.arange(m), np.diff(reduced.indptr))
    pi, fold = reduced.pi[reduced.positions], reduced.folds[reduced.positions]
    weights = reduced.p / pi

    predicted = np.zeros(m)
    residuals = np.empty(entries)
    for one in range(k):
        outside, inside = np.flatnonzero(fold != one), np.flatnonzero(fold == one)
        g = None if model is None else model.of_sample[:, one].take(reduced.positions)
        lines = _lines(
            system[outside],
            f[outside],
            weights[outside],
            reduced.confidence[outside],
            None if g is None else g[outside],
            m,
            needs,
        )
        residuals[inside] = f[inside] - lines.at(
            system[inside], reduced.confidence[inside], None if g is None else g[inside]
        )
        predicted += lines.total(
            reduced.p_of_fold[:, one],
            reduced.pc_of_fold[:, one],
            None if model is None else model.pg_of_fold[:, one],
        )
    estimates = predicted + np.bincount(system, weights * residuals, minlength=m)

    residuals[np.abs(residuals) < _ROUNDING] = 0.0
    contributions = np.where(pi < 1.0, reduced.p * residuals, 0.0)
    variances = np.bincount(system, variance_weights(pi) * contributions**2, minlength=m)
    found = []
    for number in range(m):
        own = slice(reduced.indptr[number], reduced.indptr[number + 1])
        need = float(reduced.need[number])
        found.append(
            PrecisionEstimate(
                estimate=float(estimates[number]),
                variance=float(variances[number]),
                n=own.stop - own.start,
                n_eff=1.0 / need if need > 0 else math.inf,
                residuals=residuals[own],
                contributions=contributions[own],
            )
        )
    return found


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
    system: IntArray,
    f: FloatArray,
    weights: FloatArray,
    c: FloatArray,
    g: FloatArray | None,
    m: int,
    needs: int,
) -> _Lines:
    """Fit each system, as `precision` does one; all is 0 where it has no entry."""

    def summed(values: FloatArray) -> FloatArray:
        return np.bincount(system, values, minlength=m).astype(np.float64)

    def over(top: FloatArray, bottom: FloatArray) -> FloatArray:
        return np.divide(top, bottom, out=np.zeros(m), where=bottom > 0)

    def varies(values: FloatArray, least: float) -> Any:
        if not system.size:
            return np.zeros(m, dtype=np.bool_)
        starts = np.flatnonzero(np.r_[True, system[1:] != system[:-1]])
        found = np.zeros(m)
        found[system[starts]] = np.maximum.reduceat(values, starts) - np.minimum.reduceat(values, starts)
        return found > least

    total, counts = summed(weights), np.bincount(system, minlength=m)
    level, centre_c = over(summed(weights * f), total), over(summed(weights * c), total)
    away_f, away_c = f - level[system], c - centre_c[system]
    cc, cf = summed(weights * away_c * away_c), summed(weights * away_c * away_f)
    with_c = (counts >= needs) & varies(c, 0.0)
    zeros = np.zeros(m)
    if g is None:
        return _Lines(
            level, np.where(with_c, over(cf, cc), 0.0), np.where(with_c, centre_c, 0.0), zeros, zeros
        )
    centre_g = over(summed(weights * g), total)
    away_g = g - centre_g[system]
    gg, gf = summed(weights * away_g * away_g), summed(weights * away_g * away_f)
    cg = summed(weights * away_c * away_g)
    with_g = (counts >= needs) & varies(g, ALIKE)
    determinant = cc * gg - cg * cg
    both = with_c & with_g & (counts >= both_need(needs)) & (determinant > COLLINEAR * cc * gg)
    of_c = np.where(both, over(gg * cf - cg * gf, determinant), np.where(with_c & ~with_g, over(cf, cc), 0.0))
    of_g = np.where(both, over(cc * gf - cg * cf, determinant), np.where(with_g, over(gf, gg), 0.0))
    return _Lines(level, of_c, np.where(of_c != 0, centre_c, 0.0), of_g, np.where(of_g != 0, centre_g, 0.0))


@dataclass(frozen=True, slots=True, eq=False)
class Replicates:
    """Bootstrap replicates of every system's scores; systems share them, so differences may be taken.

    Attributes
    ----------
    precision, recall, f1 : float32[m, B]
        Recall and F1 are NaN for a system whose recall is not estimable.
    """

    precision: Any
    recall: Any
    f1: Any

    def intervals(self, scores: Any, estimates: Sequence[float], level: float) -> Iterator[Interval]:
        """Return percentile intervals of one of the three, in [0, 1] and about the estimates."""
        low, high = np.nanquantile(scores, [(1 - level) / 2, (1 + level) / 2], axis=1).clip(0.0, 1.0)
        for estimate, one, other in zip(estimates, low, high, strict=True):
            yield Interval(estimate, min(estimate, float(one)), max(estimate, float(other)))


def bootstrap(
    reduced: Reduced,
    precisions: Sequence[PrecisionEstimate],
    recalls: Sequence[RecallEstimate | None],
    replicates: int,
    rng: np.random.Generator,
) -> Replicates:
    """Draw replicates of all systems' scores together.

    Each sampled instance and each exhaustive document has one random sign in each replicate. It multiplies
    what it contributes to each system's precision and recall, so that replicates vary, and systems vary
    together, exactly as the estimated variances and covariances say. F1 follows from both, unlinearised.

    Parameters
    ----------
    reduced : Reduced
    precisions : sequence of PrecisionEstimate, length m
    recalls : sequence of RecallEstimate or None, length m
        From documents alone, drawn by simple random sampling.
    replicates : int
        B, at least 2.
    rng : numpy.random.Generator

    Returns
    -------
    Replicates
    """
    _checks.same_length("precisions", len(precisions), reduced.systems)
    _checks.same_length("recalls", len(recalls), reduced.systems)
    draws = _checks.whole("replicates", replicates, 2)
    spread = np.concatenate([one.contributions for one in precisions])
    spread *= np.sqrt(variance_weights(reduced.pi))[reduced.positions]
    shape = (reduced.systems, reduced.pi.size)
    by_instance = sparse.csc_array(
        sparse.csr_array((spread.astype(np.float32), reduced.positions, reduced.indptr), shape=shape)
    )
    precision = _repeated([one.estimate for one in precisions], draws)
    for start in range(0, reduced.pi.size, _BLOCK):
        block = by_instance[:, start : start + _BLOCK].toarray()
        precision += block @ _signs(rng, block.shape[1], draws)
    recall = np.full_like(precision, np.nan)
    known = [number for number, one in enumerate(recalls) if one is not None]
    some = [one for one in recalls if one is not None]
    if some:
        Z = np.array([_scaled(one) for one in some], dtype=np.float32)
        recall[known] = _repeated([one.estimate for one in some], draws) + Z @ _signs(rng, Z.shape[1], draws)
    clipped, found = precision.clip(0, 1), recall.clip(0, 1)
    total = clipped + found
    f1 = np.divide(2 * clipped * found, total, out=np.where(np.isnan(total), total, 0), where=total > 0)
    return Replicates(precision, recall, f1)


def _repeated(estimates: Sequence[float], times: int) -> Any:
    return np.repeat(np.array(estimates, dtype=np.float32)[:, None], times, axis=1)


def _scaled(recall: RecallEstimate) -> FloatArray:
    """Return residuals whose squares sum to the variance of recall."""
    squares = float((recall.residuals**2).sum())
    scale = math.sqrt(recall.variance_of_documents / squares) if squares > 0 else 0.0
    return recall.residuals * scale


def _signs(rng: np.random.Generator, rows: int, columns: int) -> Any:
    """Return −1 and 1, each as likely, float32[rows, columns]."""
    count = rows * columns
    bits = np.unpackbits(np.frombuffer(rng.bytes((count + 7) // 8), dtype=np.uint8), count=count)
    return bits.reshape(rows, columns).astype(np.float32) * np.float32(2.0) - np.float32(1.0)
