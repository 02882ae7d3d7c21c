"""Precision of all systems of a pool at once, for pools of a thousand systems and millions of instances.

An estimate needs each fold's sums over all of a system's instances, and beyond that the sample alone. So a
pool is first reduced to those, and what follows costs no more than the sample is large. The estimates are
those of `precision.difference_precision`.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from evaluation.estimators import _checks
from evaluation.estimators._checks import FloatArray, IntArray
from evaluation.estimators.coordinated import FOLDS, variance_weights
from evaluation.estimators.f1 import PoolSample
from evaluation.estimators.intervals import Interval
from evaluation.estimators.precision import CONFIDENCE_NEEDS, PrecisionEstimate
from evaluation.estimators.recall import RecallEstimate

_ROUNDING = 1e-12
_BLOCK = 4_096
"""Instances of the sample whose multipliers are in memory at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Reduced:
    """The systems of a pool, reduced to the pool's sample and to sums over everything else.

    Attributes
    ----------
    pi : float[S]
        π of the sampled instances.
    folds : int[S]
    indptr : int[m + 1]
        Where each system's entries begin and end.
    positions : int[E]
        For each entry, the position of its instance in the pool's sample; ascending within a system.
    p, confidence : float[E]
    p_of_fold, pc_of_fold : float[m, K]
        Σ p and Σ p·c over all of a system's instances in each fold.
    need : float[m]
        Σ p²(1/π − 1) over all of a system's instances.
    """

    pi: FloatArray
    folds: IntArray
    indptr: IntArray
    positions: IntArray
    p: FloatArray
    confidence: FloatArray
    p_of_fold: FloatArray
    pc_of_fold: FloatArray
    need: FloatArray

    @property
    def systems(self) -> int:
        """m: the number of systems."""
        return self.need.size

    def pool(self, system: int) -> PoolSample:
        """Return where a system's sampled instances stand in the pool's sample."""
        own = slice(self.indptr[system], self.indptr[system + 1])
        return PoolSample(variance_weights(self.pi), self.positions[own])


def reduce(
    P: Any, pi: ArrayLike, sampled: ArrayLike, folds: ArrayLike, confidence: Any = None, *, k: int = FOLDS
) -> Reduced:
    """Reduce the systems of a pool to what their estimates need.

    Parameters
    ----------
    P : scipy.sparse CSR, m × N
        Row i is p_i over the instances of the pool, with sorted indices; rows sum to 1.
    pi : float[N]
        π_B, in (0, 1]; not looked at where no system has the instance.
    sampled : bool[N]
        {u < π_B}, and what is known.
    folds : int[N]
        From 0 to k − 1.
    confidence : scipy.sparse CSR, m × N, optional
        With exactly the entries of P.
    k : int

    Returns
    -------
    Reduced

    Raises
    ------
    InvalidInput
        If a row does not sum to 1, lengths differ, a value is out of range, an instance with π = 1 is not in
        the sample, or the confidences have other entries than P.
    """
    k = _checks.whole("k", k, 2)
    _refuse_other_entries(P, confidence)
    m, size = P.shape
    inclusion = np.asarray(pi, dtype=np.float64)
    _checks.same_length("pi", inclusion.size, size)
    inside = _checks.flags("sampled", sampled, size)
    fold = _checks.integers("folds", folds, length=size, below=k)
    possible = (inclusion > 0) & (inclusion <= 1)
    with np.errstate(divide="ignore"):
        spread = 1.0 / inclusion - 1.0
    place = np.cumsum(inside) - 1
    # All that is asked of an instance in one small number: a hundred million entries are looked up once.
    kind = (fold + k * (inside + 2 * ((inclusion == 1.0) & ~inside) + 4 * ~possible)).astype(np.uint8)
    sums, sums_of_c, need = np.zeros((m, 8 * k)), np.zeros((m, 8 * k)), np.zeros(m)
    positions, kept_p, kept_c, indptr = [], [], [], np.zeros(m + 1, dtype=np.int64)
    for system in range(m):
        own = slice(P.indptr[system], P.indptr[system + 1])
        rows, p = P.indices[own], P.data[own]
        _checks.not_empty(f"P[{system}]", p.size)
        kinds = kind.take(rows).astype(np.intp)
        sums[system] = np.bincount(kinds, weights=p, minlength=8 * k)
        need[system] = (p * p * spread.take(rows)).sum()
        kept = np.flatnonzero((kinds >= k) & (kinds < 2 * k))
        positions.append(place[rows[kept]])
        kept_p.append(p[kept])
        if confidence is not None:
            c = confidence.data[own]
            sums_of_c[system] = np.bincount(kinds, weights=p * c, minlength=8 * k)
            kept_c.append(c[kept].astype(np.float64))
        indptr[system + 1] = indptr[system] + kept.size
    _refuse_wrong(P, sums.reshape(m, 8, k).sum(axis=2))
    return Reduced(
        pi=inclusion[inside],
        folds=fold[inside],
        indptr=indptr,
        positions=np.concatenate(positions),
        p=np.concatenate(kept_p),
        confidence=np.concatenate(kept_c) if kept_c else np.zeros(indptr[-1]),
        p_of_fold=sums.reshape(m, 8, k).sum(axis=1),
        pc_of_fold=sums_of_c.reshape(m, 8, k).sum(axis=1),
        need=need,
    )


def difference_precisions(
    reduced: Reduced, labels: ArrayLike, *, confidence_needs: int = CONFIDENCE_NEEDS
) -> list[PrecisionEstimate]:
    """Estimate the precision of every system, as `precision.difference_precision` does of one.

    Parameters
    ----------
    reduced : Reduced
    labels : float[S] or float[E]
        f for each instance of the pool's sample, or f_i for each entry where it depends on the system.
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
    f = np.asarray(labels, dtype=np.float64)
    entries = reduced.positions.size
    if f.shape != (entries,):
        f = _checks.labels("labels", f, reduced.pi.size)[reduced.positions]
    f = _checks.labels("labels", f, entries)
    needs = _checks.whole("confidence_needs", confidence_needs, 1)
    m, k = reduced.p_of_fold.shape
    system = np.repeat(np.arange(m), np.diff(reduced.indptr))
    pi, fold = reduced.pi[reduced.positions], reduced.folds[reduced.positions]
    weights = reduced.p / pi

    predicted = np.zeros(m)
    residuals = np.empty(entries)
    for one in range(k):
        outside, inside = np.flatnonzero(fold != one), np.flatnonzero(fold == one)
        level, slope, centre = _lines(
            system[outside], f[outside], weights[outside], reduced.confidence[outside], m, needs
        )
        at = system[inside]
        residuals[inside] = f[inside] - (level[at] + slope[at] * (reduced.confidence[inside] - centre[at]))
        p = reduced.p_of_fold[:, one]
        predicted += level * p + slope * (reduced.pc_of_fold[:, one] - centre * p)
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


def _lines(
    system: IntArray, f: FloatArray, weights: FloatArray, c: FloatArray, m: int, needs: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return level, slope and centre of the least-squares line of each system; 0 where it has no entry."""

    def summed(values: FloatArray) -> FloatArray:
        return np.bincount(system, values, minlength=m).astype(np.float64)

    def over(top: FloatArray, bottom: FloatArray) -> FloatArray:
        return np.divide(top, bottom, out=np.zeros(m), where=bottom > 0)

    total = summed(weights)
    level, centre = over(summed(weights * f), total), over(summed(weights * c), total)
    away = c - centre[system]
    deviations = weights * away
    lowest, highest = np.full(m, np.inf), np.full(m, -np.inf)
    if system.size:
        starts = np.flatnonzero(np.r_[True, system[1:] != system[:-1]])
        lowest[system[starts]] = np.minimum.reduceat(c, starts)
        highest[system[starts]] = np.maximum.reduceat(c, starts)
    fitted = (np.bincount(system, minlength=m) >= needs) & (lowest < highest)
    slope = over(summed(deviations * (f - level[system])), summed(deviations * away))
    return level, np.where(fitted, slope, 0.0), np.where(fitted, centre, 0.0)


def _refuse_wrong(P: Any, sums: FloatArray) -> None:
    """Refuse weights and probabilities that cannot be; `sums` is Σ p by what is wrong, [m, 8]."""
    if not P.data.min() > 0:
        _checks.refuse("P", f"has the entry {P.data.min()!r}; a probability lies in (0, 1]")
    totals = sums.sum(axis=1)
    if not (np.abs(totals - 1.0) <= _checks.SUM_TOLERANCE).all():
        system = int(np.argmax(~(np.abs(totals - 1.0) <= _checks.SUM_TOLERANCE)))
        _checks.refuse(f"P[{system}]", f"sums to {totals[system]!r}; the weights of a system sum to 1")
    impossible, missing = sums[:, 4:].any(axis=1), sums[:, [2, 3]].any(axis=1)
    if impossible.any():
        system = int(np.argmax(impossible))
        _checks.refuse("pi", f"does not lie in (0, 1] at some instance of system {system}; it must")
    if missing.any():
        system = int(np.argmax(missing))
        _checks.refuse("sampled", f"leaves out some instance of system {system} whose π is 1; it must not")


def _refuse_other_entries(P: Any, confidence: Any) -> None:
    if not _is_csr(P):
        _checks.refuse("P", "is not a sparse CSR matrix; one row a system, one column an instance are needed")
    if P.shape[0] == 0:
        _checks.refuse("P", "has no rows; at least one system is needed")
    if confidence is None:
        return
    if not (
        _is_csr(confidence)
        and confidence.shape == P.shape
        and np.array_equal(confidence.indptr, P.indptr)
        and np.array_equal(confidence.indices, P.indices)
    ):
        _checks.refuse("confidence", "has other entries than P; one for each entry of P is needed")


def _is_csr(matrix: Any) -> bool:
    return bool(sparse.issparse(matrix)) and matrix.ndim == 2 and matrix.format == "csr"


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
