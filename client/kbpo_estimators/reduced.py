"""A pool's systems, reduced to what their estimates need: the sample, and sums over everything else.

An estimate needs each fold's sums over all of a system's instances, and beyond that the sample alone. So a
pool is first reduced to those, in one pass over each system; what follows costs no more than the sample is.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kbpo_estimators import _checks
from kbpo_estimators._checks import BoolArray, FloatArray, IntArray
from kbpo_estimators.coordinated import FOLDS, variance_weights
from kbpo_estimators.f1 import PoolSample
from kbpo_estimators.pooled import Predicted


@dataclass(frozen=True, slots=True, eq=False)
class ModelSums:
    """What a model predicts, as far as estimates need it.

    Attributes
    ----------
    of_sample : float[S, K]
        ĝ₋ₖ of each sampled instance, for every k.
    pg_of_fold : float[m, K]
        Σ p·ĝ₋ₖ over all of a system's instances in each fold.
    """

    of_sample: FloatArray
    pg_of_fold: FloatArray


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
        For each entry, the position of its instance in the pool's sample.
    own : int[E]
        And its position among the system's instances.
    p, confidence : float[E]
    p_of_fold, pc_of_fold : float[m, K]
        Σ p and Σ p·c over all of a system's instances in each fold.
    need : float[m]
        Σ p²(1/π − 1) over all of a system's instances.
    models : mapping of str to ModelSums
        By name, what models predict; empty where there are none.
    """

    pi: FloatArray
    folds: IntArray
    indptr: IntArray
    positions: IntArray
    own: IntArray
    p: FloatArray
    confidence: FloatArray
    p_of_fold: FloatArray
    pc_of_fold: FloatArray
    need: FloatArray
    models: Mapping[str, ModelSums] = field(default_factory=dict)

    @property
    def systems(self) -> int:
        """m: the number of systems."""
        return self.need.size

    def pool(self, system: int) -> PoolSample:
        """Return where a system's sampled instances stand in the pool's sample."""
        own = slice(self.indptr[system], self.indptr[system + 1])
        return PoolSample(variance_weights(self.pi), self.positions[own])


Weighted = tuple[IntArray, Mapping[str, FloatArray], FloatArray]
"""A system's instances (positions in the pool), its p there by name, and its confidences."""


def reduce_systems(
    systems: Iterable[Weighted],
    m: int,
    pi: ArrayLike,
    sampled: ArrayLike,
    folds: ArrayLike,
    *,
    models: Mapping[str, Predicted] | None = None,
    k: int = FOLDS,
) -> dict[str, Reduced]:
    """Reduce systems that weigh their instances in several ways, one system at a time.

    Parameters
    ----------
    systems : iterable of (int[n_i], mapping of str to float[n_i], float[n_i])
        For each, its instances' positions in the pool, its p there by the name of the weighting (the same
        names for all), and its confidences. What is summed over a system is summed in the order given.
    m : int
        How many systems there are.
    pi : float[N]
        π_B, in (0, 1]; not looked at where no system has the instance.
    sampled : bool[N]
        {u < π_B}, and what is known.
    folds : int[N]
        From 0 to k − 1.
    models : mapping of str to Predicted, optional
        The result of `pooled.learn`.
    k : int

    Returns
    -------
    dict of str to Reduced
        By the name of the weighting; what does not depend on it is shared.

    Raises
    ------
    InvalidInput
        If a system's weights do not sum to 1, lengths differ, a value is out of range, or an instance with
        π = 1 is not in the sample.
    """
    pool = _Pool.of(pi, sampled, folds, k)
    models = _checked(models or {}, pool)
    # One look into memory for all that is known of an instance: most of the time is spent on those.
    by_instance = np.column_stack([pool.spread, *(one.of_pool for one in models.values())])
    indptr = np.zeros(m + 1, dtype=np.int64)
    positions: list[IntArray] = []
    own: list[IntArray] = []
    kept_c: list[FloatArray] = []
    kept_p: dict[str, list[FloatArray]] = {}
    sums: dict[str, list[FloatArray]] = {}
    sums_of_c: dict[str, list[FloatArray]] = {}
    sums_of_g: dict[tuple[str, str], list[FloatArray]] = {}
    need: dict[str, list[float]] = {}
    for system, (rows, weights, confidence) in enumerate(systems):
        rows = np.asarray(rows, dtype=np.intp)
        kinds, known = pool.kind.take(rows), by_instance.take(rows, axis=0)
        kept = np.flatnonzero(pool.in_sample(kinds))
        kinds = kinds.astype(np.intp)  # once, not in each sum
        positions.append(pool.place[rows[kept]])
        own.append(kept)
        kept_c.append(confidence[kept].astype(np.float64))
        indptr[system + 1] = indptr[system] + kept.size
        for name, p in weights.items():
            _checks.not_empty(f"{name}[{system}]", p.size)
            if not p.min() > 0:
                _checks.refuse(name, f"has the entry {p.min()!r}; a probability lies in (0, 1]")
            kept_p.setdefault(name, []).append(p[kept])
            sums.setdefault(name, []).append(_summed(kinds, p, 8 * k))
            sums_of_c.setdefault(name, []).append(_summed(kinds, p * confidence, 8 * k))
            for column, model in enumerate(models, start=1):
                summed = _summed(kinds, p * known[:, column], 8 * k)
                sums_of_g.setdefault((name, model), []).append(summed)
            need.setdefault(name, []).append(float((p * p * known[:, 0]).sum()))
    shared = _gathered(positions), _gathered(own)
    confidences = _gathered(kept_c, np.float64)
    reduced = {}
    for name, of_systems in sums.items():
        by_kind = np.array(of_systems).reshape(m, 8, k)
        _refuse_wrong(name, by_kind.sum(axis=2))
        reduced[name] = Reduced(
            pool.pi[pool.inside],
            pool.folds[pool.inside],
            indptr,
            *shared,
            np.concatenate(kept_p[name]),
            confidences,
            p_of_fold=by_kind.sum(axis=1),
            pc_of_fold=np.array(sums_of_c[name]).reshape(m, 8, k).sum(axis=1),
            need=np.array(need[name]),
            models={
                model: ModelSums(one.of_sample, np.array(sums_of_g[name, model]).reshape(m, 8, k).sum(axis=1))
                for model, one in models.items()
            },
        )
    return reduced


def reduce_groups(
    systems: Iterable[tuple[IntArray, FloatArray, FloatArray, IntArray]],
    m: int,
    groups: int,
    pi: ArrayLike,
    sampled: ArrayLike,
    folds: ArrayLike,
    *,
    models: Mapping[str, Predicted] | None = None,
) -> Reduced:
    """Reduce each system's instances group by group, with p restricted to the group and renormalised.

    Parameters
    ----------
    systems : iterable of (int[n_i], float[n_i], float[n_i], int[n_i])
        For each, positions, p, confidences, and the group of each instance, −1 for none.
    m, groups : int
        How many systems there are, and groups.
    pi, sampled, folds, models
        As in `reduce_systems`.

    Returns
    -------
    Reduced
        Of m · `groups` rows: group g of system i is row i · `groups` + g. A group of which a system has no
        instance has no entries, no sums, and infinite `need`.
    """
    pool = _Pool.of(pi, sampled, folds, FOLDS)
    models = _checked(models or {}, pool)
    indptr = np.zeros(m * groups + 1, dtype=np.int64)
    positions, own = [], []
    kept_p: list[FloatArray] = []
    kept_c: list[FloatArray] = []
    sums: list[FloatArray] = []
    sums_of_c: list[FloatArray] = []
    sums_of_g: dict[str, list[FloatArray]] = {model: [] for model in models}
    need: list[FloatArray] = []
    for system, (rows, p, confidence, group) in enumerate(systems):
        if (group < 0).any():
            chosen = np.flatnonzero(group >= 0)
            rows, p, confidence, group = rows[chosen], p[chosen], confidence[chosen], group[chosen]
        else:
            chosen = np.arange(rows.size)
        kinds = pool.kind.take(rows)
        if (kinds >= 2 * FOLDS).any():
            _checks.refuse(
                "sampled", f"leaves out some instance of system {system} whose π is 1, or has none"
            )
        kept = np.flatnonzero(pool.in_sample(kinds))
        kept = kept[np.argsort(group[kept], kind="stable")]
        fold = group * FOLDS + pool.folds.take(rows)
        of_fold = np.bincount(fold, weights=p, minlength=groups * FOLDS).reshape(groups, FOLDS)
        total = of_fold.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = 1.0 / total
            need.append(
                np.where(
                    total > 0,
                    np.bincount(group, weights=p * p * pool.spread.take(rows), minlength=groups) / total**2,
                    np.inf,
                )
            )
        scale[total == 0] = 0.0
        positions.append(pool.place[rows[kept]])
        own.append(chosen[kept])
        kept_p.append(p[kept] / total[group[kept]])
        kept_c.append(confidence[kept].astype(np.float64))
        sums.append(of_fold * scale[:, None])
        of_c = np.bincount(fold, weights=p * confidence, minlength=groups * FOLDS).reshape(groups, FOLDS)
        sums_of_c.append(of_c * scale[:, None])
        for model, one in models.items():
            weights = p * one.of_pool.take(rows)
            of_g = np.bincount(fold, weights=weights, minlength=groups * FOLDS).reshape(groups, FOLDS)
            sums_of_g[model].append(of_g * scale[:, None])
        counts = np.bincount(group[kept], minlength=groups)
        indptr[system * groups + 1 : (system + 1) * groups + 1] = indptr[system * groups] + np.cumsum(counts)
    return Reduced(
        pool.pi[pool.inside],
        pool.folds[pool.inside],
        indptr,
        _gathered(positions),
        _gathered(own),
        _gathered(kept_p, np.float64),
        _gathered(kept_c, np.float64),
        p_of_fold=np.concatenate(sums),
        pc_of_fold=np.concatenate(sums_of_c),
        need=np.concatenate(need),
        models={
            model: ModelSums(one.of_sample, np.concatenate(sums_of_g[model])) for model, one in models.items()
        },
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Pool:
    """A pool's instances, with all that is asked of each in one small number.

    A hundred million of them are looked up once: kind = fold + k · (1 in the sample, 2 missing from it though
    certain, 4 with an impossible π).
    """

    pi: FloatArray
    folds: IntArray
    inside: BoolArray
    place: IntArray
    spread: FloatArray
    kind: Any
    k: int

    @classmethod
    def of(cls, pi: ArrayLike, sampled: ArrayLike, folds: ArrayLike, k: int) -> "_Pool":
        k = _checks.whole("k", k, 2)
        inclusion = np.asarray(pi, dtype=np.float64)
        inside = _checks.flags("sampled", sampled, inclusion.size)
        fold = _checks.integers("folds", folds, length=inclusion.size, below=k)
        possible = (inclusion > 0) & (inclusion <= 1)
        with np.errstate(divide="ignore"):
            spread = 1.0 / inclusion - 1.0
        kind = (fold + k * (inside + 2 * ((inclusion == 1.0) & ~inside) + 4 * ~possible)).astype(np.uint8)
        return cls(inclusion, fold, inside, np.cumsum(inside) - 1, spread, kind, k)

    def in_sample(self, kinds: Any) -> BoolArray:
        return np.asarray((kinds >= self.k) & (kinds < 2 * self.k))


def _checked(models: Mapping[str, Predicted], pool: _Pool) -> Mapping[str, Predicted]:
    shape = (int(pool.inside.sum()), pool.k)
    for name, one in models.items():
        _checks.vector(f"models[{name!r}].of_pool", one.of_pool, pool.pi.size)
        if one.of_sample.shape != shape:
            where = f"models[{name!r}].of_sample"
            _checks.refuse(where, f"has the shape {one.of_sample.shape}; {shape} is needed")
    return models


def _summed(codes: IntArray, values: FloatArray, size: int) -> FloatArray:
    return np.bincount(codes, weights=values, minlength=size).astype(np.float64)


def _gathered(arrays: Sequence[Any], kind: Any = np.int64) -> Any:
    return np.concatenate(arrays) if arrays else np.empty(0, dtype=kind)


def _refuse_wrong(P: str, sums: FloatArray) -> None:
    """Refuse weights and probabilities that cannot be; `sums` is Σ p by what is wrong, [m, 8]."""
    totals = sums.sum(axis=1)
    if not (np.abs(totals - 1.0) <= _checks.SUM_TOLERANCE).all():
        system = int(np.argmax(~(np.abs(totals - 1.0) <= _checks.SUM_TOLERANCE)))
        _checks.refuse(f"{P}[{system}]", f"sums to {totals[system]!r}; the weights of a system sum to 1")
    impossible, missing = sums[:, 4:].any(axis=1), sums[:, [2, 3]].any(axis=1)
    if impossible.any():
        system = int(np.argmax(impossible))
        _checks.refuse("pi", f"does not lie in (0, 1] at some instance of system {system}; it must")
    if missing.any():
        system = int(np.argmax(missing))
        _checks.refuse("sampled", f"leaves out some instance of system {system} whose π is 1; it must not")
