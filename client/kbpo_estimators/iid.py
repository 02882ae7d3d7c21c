"""The iid design of Chaganty et al. (2017): draws with replacement, independently for each system.

`simple_estimates` scores each system by its own draws; `joint_estimates` lets systems with common instances
use each other's. Both are unbiased, and with reweighted draws also of the precision under another weighting
than these come from. They are right for draws with replacement only: drawn without, and scored as if with,
they are biased.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from kbpo_estimators import _checks
from kbpo_estimators._checks import FloatArray, IntArray
from kbpo_estimators.coordinated import LABEL_VARIANCE
from kbpo_estimators.labelled import ShareOfPool

Sample = tuple[ArrayLike, ArrayLike]

MOST_SINGLE = 0.1
"""How much of a joint estimate may be left to systems with a single draw if its variance is to be reported.

Of one draw nothing can be seen by itself, but what it is expected to be follows from the draws of others.
"""


@dataclass(frozen=True, slots=True, eq=False)
class DrawnPrecision:
    """One system's precision, estimated from draws.

    Attributes
    ----------
    estimate : float
    variance : float or None
        None where more than `MOST_SINGLE` of it is left to systems that have a single draw.
    n : int
        The system's own draws.
    n_eff : float
        The number of independent draws from p_i with the same worst-case variance.
    contributions : float[D]
        One for each draw that was used, in order (of systems, then of draws); their squares sum to the
        variance. F1 and differences between systems combine these before squaring.
    """

    estimate: float
    variance: float | None
    n: int
    n_eff: float
    contributions: FloatArray

    @property
    def degrees_of_freedom(self) -> None:
        """None: intervals are normal."""
        return None


def draws_needed(target_variance: float) -> int:
    """Return the least n at which n draws of a system alone meet the target: ⌈s²/V*⌉, with s² = ¼.

    Parameters
    ----------
    target_variance : float
        V*, above 0.

    Returns
    -------
    int

    Examples
    --------
    >>> draws_needed(0.25 / 500)
    500
    """
    target = _checks.positive("target_variance", target_variance)
    n = max(1, math.ceil(LABEL_VARIANCE / target))
    # The quotient may round past a whole number, either way.
    while LABEL_VARIANCE / n > target:
        n += 1
    while n > 1 and LABEL_VARIANCE / (n - 1) <= target:
        n -= 1
    return n


def draws_for_new_system(P: Any, counts: ArrayLike, target_variance: float) -> int:
    """Return the least n_m at which the joint estimator of a new system meets the target.

    The conservative variance is s² Σ_j (w_mj²/n_j) Σ_x p_j(x) (p_m(x)/q_m(x))², with s² = ¼; no label enters
    it. It is not monotone in n_m: a few more draws may make it worse. So every n_m is tried, from 1 on.

    Parameters
    ----------
    P : scipy.sparse CSR, m × N
        Row i is p_i over the instances of the pool; the last row is the new system's.
    counts : int[m − 1]
        The draws of the systems before it, at least 1 each.
    target_variance : float
        V*, above 0.

    Returns
    -------
    int
        At least 1, so that the new system's draws can reach whatever it predicts.

    Raises
    ------
    InvalidInput
        If a row of P does not sum to 1, a count is missing or below 1, or the target is not positive.
    """
    P = _checked_systems(P)
    new = P.shape[0] - 1
    before = _checks.integers("counts", counts, length=new, low=1)
    needed = LABEL_VARIANCE / _checks.positive("target_variance", target_variance)
    p, local = _own_instances(P, P.tocsc(), new)
    overlap = np.asarray(local @ p)
    for n in itertools.count(1):
        of_all = np.append(before, n)
        weights = of_all * overlap
        # A relative 1e-12 of rounding must not cost a draw.
        if _effective_draws(weights / weights.sum(), of_all, p, local) >= needed * (1 - 1e-12):
            return n
    raise AssertionError("unreachable: the variance falls to 0 as the draws grow")


def systems_matrix(systems: Sequence[tuple[IntArray, FloatArray]], size: int) -> Any:
    """Return P, scipy.sparse CSR m × N, from the instances of each system and its p there.

    Parameters
    ----------
    systems : sequence of (int[n_i], float[n_i]), length m
        At least one; positions in the pool, each once.
    size : int
        N, the instances of the pool.
    """
    ends = np.cumsum([p.size for _, p in systems])
    return sparse.csr_array(
        (
            np.concatenate([p for _, p in systems]),
            np.concatenate([rows for rows, _ in systems]),
            np.concatenate([[0], ends]),
        ),
        shape=(len(systems), size),
    )


def draw(p: ArrayLike, n: int, rng: np.random.Generator) -> IntArray:
    """Draw n instances from p, with replacement.

    Parameters
    ----------
    p : float[N]
        The system's weights, at least 0, summing to 1.
    n : int
        At least 1.
    rng : numpy.random.Generator

    Returns
    -------
    int[n]
        Positions in p, in the order of the draws; one may occur again.
    """
    weights = _checks.distribution("p", p, zero=True)
    n = _checks.whole("n", n, 1)
    return rng.choice(weights.size, size=n, replace=True, p=weights / weights.sum()).astype(np.int64)


def mixture_weights(P: Any, counts: ArrayLike, targets: Any = None) -> FloatArray:
    """Return how much system i's estimate leans on system j's draws: w_ij ∝ n_j Σ_x p_i(x) p_j(x).

    Parameters
    ----------
    P : scipy.sparse CSR, m × N
        Row i is p_i over the N instances of the pool.
    counts : int[m]
        n_j: the number of draws of each system, at least 1.
    targets : scipy.sparse CSR, m × N, optional
        As in `joint_estimates`: stands for p_i, while the draws come from p_j.

    Returns
    -------
    float[m, m]
        Rows sum to 1; 0 where two systems have nothing in common.

    Raises
    ------
    InvalidInput
        If a row of P does not sum to 1, or a count is missing or below 1.
    """
    P = _checked_systems(P)
    n = _checks.integers("counts", counts, length=P.shape[0], low=1)
    shared = ((P if targets is None else _checked_targets(P, targets)) @ P.T).toarray() * n
    return np.asarray(shared / shared.sum(axis=1, keepdims=True), dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Ratio:
    """How a system's draws from p are reweighted to another weighting p′.

    Attributes
    ----------
    at_draws : float[n]
        p′/p at each draw.
    second_moment : float
        Σ p′²/p, at least 1: so many draws from p are worth one from p′, at worst.
    """

    at_draws: FloatArray
    second_moment: float

    @classmethod
    def of(cls, p: FloatArray, target: FloatArray, drawn: IntArray) -> "Ratio":
        """Return the ratio of two weightings of one system's instances (float[n] each) at its draws.

        Raises
        ------
        InvalidInput
            If p is 0 where the target is not: no draw would ever come there.
        """
        own = _checks.distribution("p", p, zero=True)
        wanted = _checks.distribution("target", target, zero=True)
        _checks.same_length("target", wanted.size, own.size)
        _refuse_out_of_reach(wanted[own == 0])
        ratio = np.divide(wanted, own, out=np.zeros(own.size), where=own > 0)
        return cls(ratio[drawn], float(wanted @ ratio))


def simple_estimates(
    samples: Sequence[Sample], ratios: Sequence[Ratio] | None = None
) -> list[DrawnPrecision]:
    """Estimate each system's precision as the mean label of its own draws, with variances s²/n.

    Parameters
    ----------
    samples : sequence of (int[n], float[n]), length m
        For each system the instances drawn and their labels f_i, 0 or 1.
    ratios : sequence of Ratio, length m, optional
        For the precision under another weighting than the draws come from: the mean of f_i p′_i/p_i.

    Returns
    -------
    list of DrawnPrecision, length m

    Raises
    ------
    InvalidInput
        If a system has no draws, lengths differ, a label is not 0 or 1, or a ratio is missing.
    """
    if ratios is not None:
        _checks.same_length("ratios", len(ratios), len(samples))
    found = []
    for system, (indices, labels) in enumerate(samples):
        drawn = _checks.integers(f"samples[{system}]", indices)
        _refuse_no_draws(system, drawn)
        values = _checks.labels(f"samples[{system}]", labels, drawn.size)
        n_eff = float(drawn.size)
        if ratios is not None:
            _checks.same_length(f"ratios[{system}]", ratios[system].at_draws.size, drawn.size)
            values, n_eff = values * ratios[system].at_draws, n_eff / ratios[system].second_moment
        contributions = _contributions(values[None, :])[0]
        variance = float(contributions @ contributions) if values.size > 1 else None
        found.append(DrawnPrecision(float(values.mean()), variance, values.size, n_eff, contributions))
    return found


def joint_estimates(P: Any, samples: Sequence[Sample], targets: Any = None) -> list[DrawnPrecision]:
    """Estimate each system's precision from the draws of all systems.

    P̂_i = Σ_j (w_ij/n_j) Σ_{x in X̂_j} p_i(x) f_i(x)/q_i(x), with q_i = Σ_j w_ij p_j and the weights of
    `mixture_weights`. Unbiased. Its variance is Σ_j w_ij² s_ij²/n_j, where s_ij² is that of p_i f_i/q_i among
    the draws of system j.

    Parameters
    ----------
    P : scipy.sparse CSR, m × N
        Row i is p_i over the N instances of the pool.
    samples : sequence of (int[n_j], float[n_j] or float[m, n_j]), length m
        For each system the instances drawn, and their labels, 0 or 1. Where a label depends on the system
        that is scored (part `all`), row i holds f_i; it is not looked at where p_i is 0.
    targets : scipy.sparse CSR, m × N, optional
        For the precision under another weighting than the draws come from: row i is p′_i, which stands for
        p_i in the numerator and in w_ij, while q_i still mixes the p_j. Unbiased where p_i is above 0
        wherever p′_i is.

    Returns
    -------
    list of DrawnPrecision, length m

    Raises
    ------
    InvalidInput
        If a row of P does not sum to 1, a system has no draws or drew what it does not predict, lengths
        differ, a label is not 0 or 1, or p′_i is above 0 where p_i is not.
    """
    P = _checked_systems(P)
    drawn = _checked_draws(P, samples)
    counts = np.array([indices.size for indices in drawn])
    T = P if targets is None else _checked_targets(P, targets)
    weights = mixture_weights(P, counts, targets)
    columns, target_columns = P.tocsc(), T.tocsc()

    estimates = np.zeros(P.shape[0])
    contributions = []
    single = np.flatnonzero(counts == 1)
    expected = np.zeros((single.size, P.shape[0]))  # what each of them is expected to draw, by all draws
    for j, indices in enumerate(drawn):
        p = columns[:, indices].toarray()
        labels = _checked_labels(f"samples[{j}]", p, samples[j][1])
        target = p if T is P else target_columns[:, indices].toarray()
        q = weights @ p
        values = weights[:, [j]] * np.divide(target * labels, q, out=np.zeros_like(p), where=p > 0)
        estimates += values.mean(axis=1)
        contributions.append(_contributions(values) if counts[j] > 1 else values)
        for place, one in enumerate(single):
            shifted = np.divide(values * p[one], q, out=np.zeros_like(p), where=q > 0)
            expected[place] += weights[:, one] * shifted.mean(axis=1)
    for one, of_one in zip(single, expected, strict=True):
        contributions[one] = contributions[one] - of_one[:, None]
    of_draws = np.hstack(contributions)
    unseen = [_of_single(weights[i], single, *_own_instances(T, columns, i)) for i in range(P.shape[0])]
    return [
        DrawnPrecision(
            estimate=float(estimates[i]),
            variance=None if unseen[i] > MOST_SINGLE else float(of_draws[i] @ of_draws[i]),
            n=int(counts[i]),
            n_eff=_effective_draws(weights[i], counts, *_own_instances(T, columns, i)),
            contributions=of_draws[i],
        )
        for i in range(P.shape[0])
    ]


def shares_of_pool(P: Any, samples: Sequence[Sample]) -> list[ShareOfPool] | None:
    """Estimate each system's share of the pool's correct instances from the draws of all systems.

    ν̂_i = Σ_draws (f_i/q) / Σ_draws (f/q), self-normalised, with q = Σ_j n_j p_j / Σ_j n_j. This mixture
    covers the whole pool: with w_ij in its place, systems without overlap would drop out of the denominator.
    `labelled.weighted_labelled_recall` makes the joint recall of it. Parameters and errors are those of
    `joint_estimates`.

    Returns
    -------
    list of ShareOfPool, length m, or None
        None, not estimable, if no draw is correct. A share's contributions follow the draws, as those of
        `joint_estimates` do; their squares sum to its variance.
    """
    P = _checked_systems(P)
    drawn = _checked_draws(P, samples)
    counts = np.array([indices.size for indices in drawn])
    columns = P.tocsc()

    single = np.flatnonzero(counts == 1)
    own_terms, pool_terms, ratios = [], [], []
    for j, indices in enumerate(drawn):
        p = columns[:, indices].toarray()
        own = np.where(p > 0, _checked_labels(f"samples[{j}]", p, samples[j][1]), 0.0)
        q = counts @ p / counts.sum()
        own_terms.append(own / q)
        pool_terms.append(own.max(axis=0) / q)
        ratios.append(p[single] / q)
    total = sum(float(terms.sum()) for terms in pool_terms)
    if total == 0:
        return None
    shares = sum(terms.sum(axis=1) for terms in own_terms) / total
    residuals = [
        (own - np.outer(shares, pool)) / total for own, pool in zip(own_terms, pool_terms, strict=True)
    ]
    contributions = [h.shape[1] * _contributions(h) for h in residuals]
    for place, one in enumerate(single):
        expected = sum((h * ratio[place]).sum(axis=1) for h, ratio in zip(residuals, ratios, strict=True))
        contributions[one] = residuals[one] - expected[:, None] / counts.sum()
    of_draws = np.hstack(contributions)
    density = P.T @ counts
    reached = density > 0
    unseen = float((P[single].sum(axis=0)[reached] / density[reached]).mean())
    return [
        ShareOfPool(float(share), None if unseen > MOST_SINGLE else float(h @ h), h)
        for share, h in zip(shares, of_draws, strict=True)
    ]


def _contributions(values: FloatArray) -> FloatArray:
    """Return for each row of n draws what sums in squares to the variance of its mean; 0 for one draw."""
    n = values.shape[1]
    centred: FloatArray = values - values.mean(axis=1, keepdims=True)
    return np.asarray(centred / math.sqrt(n * (n - 1))) if n > 1 else centred


def _effective_draws(weights: FloatArray, counts: IntArray, p: FloatArray, local: Any) -> float:
    """Return 1/Σ_j (w_j²/n_j) Σ_x p_j (p/q)²: the independent draws with the same worst-case variance.

    `p` is [n], the system's weights; `local` is sparse [m, n], every system's weights on its instances.
    """
    second_moments = local @ (p / (local.T @ weights)) ** 2
    return float(1.0 / (weights**2 / counts * second_moments).sum())


def _of_single(weights: FloatArray, single: IntArray, p: FloatArray, local: Any) -> float:
    """Return how much of a system, by weight, is expected to be seen by the systems with a single draw.

    `p` and `local` are as in `_effective_draws`.
    """
    if not single.size:
        return 0.0
    return float(p @ ((local[single].T @ weights[single]) / (local.T @ weights)))


def _own_instances(P: Any, columns: Any, i: int) -> tuple[FloatArray, Any]:
    own = slice(P.indptr[i], P.indptr[i + 1])
    return P.data[own], columns[:, P.indices[own]]


def _checked_systems(P: Any) -> Any:
    is_sparse: bool = sparse.issparse(P)
    if not is_sparse or P.ndim != 2:
        _checks.refuse("P", "is not a sparse matrix; one row a system and one column an instance are needed")
    matrix: Any = sparse.csr_array(P.astype(np.float64), copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    if matrix.shape[0] == 0:
        _checks.refuse("P", "has no rows; at least one system is needed")
    for system in range(matrix.shape[0]):
        _checks.distribution(f"P[{system}]", matrix.data[matrix.indptr[system] : matrix.indptr[system + 1]])
    return matrix


def _checked_targets(P: Any, targets: Any) -> Any:
    T = _checked_systems(targets)
    if T.shape != P.shape:
        _checks.refuse("targets", f"has the shape {T.shape}; that of P, {P.shape}, is needed")
    # What P shares with it is all of it.
    _refuse_out_of_reach((T - T.multiply(P > 0)).data)
    return T


def _refuse_out_of_reach(weights: FloatArray) -> None:
    if (weights > 0).any():
        _checks.refuse(
            "targets", "are above 0 at an instance that its system never draws; p above 0 is needed there"
        )


def _checked_draws(P: Any, samples: Sequence[Sample]) -> list[IntArray]:
    _checks.same_length("samples", len(samples), P.shape[0])
    drawn = []
    for system, (indices, _) in enumerate(samples):
        found = _checks.integers(f"samples[{system}]", indices, below=P.shape[1])
        _refuse_no_draws(system, found)
        foreign = ~np.isin(found, P.indices[P.indptr[system] : P.indptr[system + 1]])
        if foreign.any():
            one = int(found[np.argmax(foreign)])
            _checks.refuse(
                f"samples[{system}]", f"instance {one} was drawn; only instances with P[{system}] > 0 can be"
            )
        drawn.append(found)
    return drawn


def _refuse_no_draws(system: int, drawn: IntArray) -> None:
    if drawn.size == 0:
        _checks.refuse(f"samples[{system}]", "is empty; at least one draw for each system is needed")


def _checked_labels(name: str, p: FloatArray, labels: ArrayLike) -> FloatArray:
    """Return the labels of n draws as [m, n] or [1, n], 0 where the scored system has not the instance.

    `p` is [m, n]: the weight that each system gives to each draw.
    """
    array = np.asarray(labels, dtype=np.float64)
    if array.ndim == 1:
        return _checks.labels(name, array, p.shape[1])[None, :]
    if array.shape != p.shape:
        _checks.refuse(
            name,
            f"labels have the shape {array.shape}; {p.shape[1]}, or {p.shape[0]} rows of them, are needed",
        )
    _checks.labels(name, array[p > 0])
    return np.where(p > 0, array, 0.0)
