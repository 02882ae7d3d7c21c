"""Precision, and shares of the pool, corrected for the judges' errors by an audit.

Two steps. The error rates that are pooled over all systems (`audited.error_rates`) correct everybody alike;
what a system's own audits say beyond that, unbiased but wide, is shrunk by how much systems differ. What
both add to the variance is written as more contributions, to a larger sample (`CorrectedPrecisions.pools`).
So F1, differences and intervals are made from corrected estimates as from any others, and what two systems
share cancels.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from evaluation.estimators import _checks
from evaluation.estimators._checks import BoolArray, FloatArray, IntArray
from evaluation.estimators.coordinated import variance_weights
from evaluation.estimators.f1 import PoolSample
from evaluation.estimators.judging.audited import Audit, ErrorRates
from evaluation.estimators.judging.products import JudgedSystem, Products, pool_of
from evaluation.estimators.labelled import ShareOfPool
from evaluation.estimators.precision import PrecisionEstimate

LEAST_TOLD = 0.2
"""With 1 − FP − FN below this for some kind, labels tell so little of the truth that nothing is corrected."""


@dataclass(frozen=True, eq=False)
class Correction:
    """What the judges' errors do to the systems of a pool, and what is made of that.

    Attributes
    ----------
    pooled : float[m]
        What the pooled error rates alone add to each estimate.
    own : float[m]
        D̂_i: what each system's own audits add, unbiased.
    believed : float[m]
        How much of the difference between the two is believed, from 0 to 1.
    between : float
        τ̂²: the variance of the judges' effect between systems, beyond what is pooled.
    """

    pooled: FloatArray
    own: FloatArray
    believed: FloatArray
    between: float

    @property
    def added(self) -> FloatArray:
        """What is added to each estimate, float[m]."""
        return np.asarray(self.pooled + self.believed * (self.own - self.pooled))


@dataclass(frozen=True, eq=False)
class CorrectedPrecisions:
    """The corrected precision of every system, and where its contributions stand in the larger sample."""

    estimates: list[PrecisionEstimate]
    pools: list[PoolSample]
    correction: Correction


@dataclass(frozen=True, eq=False)
class CorrectedShares:
    """The corrected share of every system; contributions are over the larger sample of the precisions."""

    estimates: list[ShareOfPool]
    correction: Correction


def corrected_precisions(
    audit: Audit, systems: Sequence[JudgedSystem], precisions: Sequence[PrecisionEstimate]
) -> CorrectedPrecisions | None:
    """Correct the precision of every system of a pool.

    For the part `relation` the pooled step is P̃ = (P̂ − FP)/(1 − FP − FN). Where f is a product of labels,
    each factor is (label − FP)/(1 − FP − FN) by the rates of its kind; the means of the product over what
    the crowd calls right, and over the rest, are weighed by P̂ and 1 − P̂.

    Parameters
    ----------
    audit : Audit
    systems : sequence of JudgedSystem, length m
        With all of each system's sampled instances, in the order of its contributions.
    precisions : sequence of PrecisionEstimate, length m
        From the crowd's labels.

    Returns
    -------
    CorrectedPrecisions or None
        None where the labels tell too little of the truth (`LEAST_TOLD`).

    Raises
    ------
    InvalidInput
        If lengths differ or a position is out of range.
    """
    _checks.same_length("precisions", len(precisions), len(systems))
    if _tells_too_little(audit):
        return None
    effects = []
    for system, precision in zip(systems, precisions, strict=True):
        products = Products.of(audit, system)
        w = system.p / audit.pi[system.positions]
        mean = _Mean(w, products.f == 1, precision.estimate)
        direction = np.zeros(audit.size)
        direction[system.positions] = w
        effects.append(
            _Effect(
                pooled=float(mean.of(products.corrected)) - precision.estimate,
                by_rates={kind: mean.of(rows) for kind, rows in products.by_rates.items()},
                own=float(w @ products.audited),
                by_label=products.by_label(w),
                told=products.told,
                direction=direction,
            )
        )
    spread = _Spread.of(audit, effects)
    estimates, pools = [], []
    for number, (system, before) in enumerate(zip(systems, precisions, strict=True)):
        more = spread.contributions(number)
        variance = before.variance + float((spread.weights * more**2).sum())
        need = 1.0 / before.n_eff + 4.0 * (variance - before.variance)
        estimates.append(
            replace(
                before,
                estimate=before.estimate + float(spread.correction.added[number]),
                variance=variance,
                n_eff=1.0 / need if need > 0 else math.inf,
                contributions=np.concatenate([before.contributions, more]),
            )
        )
        at = np.concatenate([system.positions, audit.size + np.arange(more.size)])
        pools.append(PoolSample(spread.all_weights, at))
    return CorrectedPrecisions(estimates, pools, spread.correction)


def corrected_shares(
    audit: Audit, systems: Sequence[JudgedSystem], shares: Sequence[ShareOfPool | None]
) -> CorrectedShares | None:
    """Correct the share of the pool's correct instances of every system: ν̂ of recall from labels.

    The pooled step is ν̃ = Σ(g_i/π)/Σ(g/π) with corrected labels g (for the part `relation`, FN cancels).

    Parameters
    ----------
    audit : Audit
    systems : sequence of JudgedSystem, length m
        The whole pool.
    shares : sequence of ShareOfPool or None, length m
        From the crowd's labels, as `labelled.share_of_pool` returns them: all None where nothing is right.

    Returns
    -------
    CorrectedShares or None
        None as in `corrected_precisions`, and where the shares are.

    Raises
    ------
    InvalidInput
        As `corrected_precisions`.
    """
    _checks.same_length("shares", len(shares), len(systems))
    known = [one for one in shares if one is not None]
    if _tells_too_little(audit) or len(known) < len(systems):
        return None
    of_pool = Products.of(audit, pool_of(audit, systems))
    everywhere = 1.0 / audit.pi[of_pool.system.positions]
    total, right = float(everywhere @ of_pool.f), float(everywhere @ of_pool.corrected)
    if right <= 0:
        return None
    pool_rates = {kind: rows @ everywhere for kind, rows in of_pool.by_rates.items()}
    pool_labels = of_pool.by_label(everywhere)
    effects = []
    for system, share in zip(systems, known, strict=True):
        products = Products.of(audit, system)
        w = 1.0 / audit.pi[system.positions]
        nu = float(w @ products.corrected) / right
        labels = products.by_label(w)
        direction = -share.estimate / audit.pi
        direction[system.positions] += w
        effects.append(
            _Effect(
                pooled=nu - share.estimate,
                by_rates={
                    kind: (rows @ w - nu * pool_rates[kind]) / right
                    for kind, rows in products.by_rates.items()
                },
                own=float(w @ products.audited - share.estimate * (everywhere @ of_pool.audited)) / total,
                by_label={
                    kind: (labels[kind] - share.estimate * pool_labels[kind]) / total for kind in labels
                },
                told=products.told,
                direction=direction,
            )
        )
    spread = _Spread.of(audit, effects)
    estimates = []
    for number, before in enumerate(known):
        more = spread.contributions(number)
        added = float((spread.weights * more**2).sum())
        estimates.append(
            ShareOfPool(
                before.estimate + float(spread.correction.added[number]),
                None if before.variance is None else before.variance + added,
                np.concatenate([before.contributions, more]),
            )
        )
    return CorrectedShares(estimates, spread.correction)


@dataclass(frozen=True, eq=False)
class _Mean:
    """A mean over a system's instances whose share of right ones is known better than the sample's own."""

    w: FloatArray
    right: BoolArray
    share: float

    def of(self, rows: FloatArray) -> FloatArray:
        """Return the mean over the last axis."""
        found = np.zeros(rows.shape[:-1])
        for flags, share in ((self.right, self.share), (~self.right, 1.0 - self.share)):
            w = self.w[flags]
            if w.size:
                found = found + share * (rows[..., flags] @ w) / w.sum()
        return found


@dataclass(frozen=True, eq=False)
class _Effect:
    """What errors do to one estimate.

    Attributes
    ----------
    pooled, own : float
        As in `Correction`.
    by_rates : dict of str to float[2]
        By kind, how the pooled step moves with FP and FN.
    by_label : dict of str to float[U]
        By kind, what correcting each label, if it is wrong, adds to `own` at ρ = 1.
    told : float
    direction : float[S]
        Along which systems' effects differ: the weights of its instances.
    """

    pooled: float
    by_rates: dict[str, FloatArray]
    own: float
    by_label: dict[str, FloatArray]
    told: float
    direction: FloatArray


@dataclass(frozen=True, eq=False)
class _Spread:
    """The variance that the corrections of a pool's systems add, as contributions to a larger sample.

    Four blocks, each independent of the others: the chance of each label to be wrong, times what the audit's
    draw makes of it; the errors that audits did find, by question (each of the two counts for half: the
    first is steady with few errors, the second right whatever was thought of them); errors that are a
    system's luck in the sample, about which a pooled rate says nothing; and τ̂², along each system's
    direction.
    """

    correction: Correction
    weights: FloatArray
    all_weights: FloatArray
    _pooled: FloatArray
    _own: FloatArray
    _luck: FloatArray
    _directions: FloatArray
    _of_question: IntArray
    _found: FloatArray

    @classmethod
    def of(cls, audit: Audit, effects: Sequence[_Effect]) -> "_Spread":
        kinds = list(audit.rates)
        rates = [audit.rates[kind] for kind in kinds]
        # Labels of all kinds one after another.
        instances = np.concatenate([one.instances for one in rates])
        chances = np.concatenate([one.chances for one in rates])
        found = np.concatenate([one.wrong for one in rates]).astype(np.float64)
        rho = audit.rho[instances]
        pooled = np.array(
            [
                np.concatenate(
                    [_by_label(one, effect.by_rates[kind]) for kind, one in zip(kinds, rates, strict=True)]
                )
                for effect in effects
            ]
        )
        own = np.array([np.concatenate([effect.by_label[kind] for kind in kinds]) for effect in effects])
        luck = own / np.array([[effect.told] for effect in effects]) - pooled

        by_audit = chances * (1.0 - rho) / rho
        rest = own - pooled
        of_audit = (rest**2) @ by_audit
        together = (pooled * rest) @ by_audit
        of_luck = (luck**2) @ chances
        gaps = np.array([effect.own - effect.pooled for effect in effects])
        between = max(0.0, float((gaps**2 - of_audit - of_luck).mean()))
        prior = between + of_luck
        whole = of_audit + prior
        believed = np.divide(prior - together, whole, out=np.zeros(gaps.size), where=whole > 0).clip(0, 1)
        correction = Correction(
            pooled=np.array([effect.pooled for effect in effects]),
            own=np.array([effect.own for effect in effects]),
            believed=believed,
            between=between,
        )
        questions, first = np.unique(audit.questions, return_index=True)
        of_question = np.where(audit.audited, (1.0 - audit.rho) / audit.rho**2, 0.0)[first]
        weights = np.concatenate(
            [0.5 * by_audit, 0.5 * of_question, chances, np.ones(audit.size)],
        )
        directions = np.array([effect.direction for effect in effects])
        norms = np.linalg.norm(directions, axis=1, keepdims=True)
        return cls(
            correction,
            weights,
            np.concatenate([variance_weights(audit.pi), weights]),
            pooled,
            own,
            luck,
            np.divide(directions, norms, out=np.zeros_like(directions), where=norms > 0),
            np.searchsorted(questions, audit.questions)[instances],
            found,
        )

    def contributions(self, number: int) -> FloatArray:
        """Return what the correction of one system contributes, over `weights`."""
        believed = self.correction.believed[number]
        by_label = self._pooled[number] + believed * (self._own[number] - self._pooled[number])
        questions = self.weights.size - 2 * by_label.size - self._directions.shape[1]
        by_question = np.bincount(self._of_question, by_label * self._found, minlength=questions)
        return np.concatenate(
            [
                by_label,
                by_question,
                (1.0 - believed) * self._luck[number],
                (1.0 - believed) * math.sqrt(self.correction.between) * self._directions[number],
            ]
        )


def _by_label(rates: ErrorRates, by_rates: FloatArray) -> FloatArray:
    """Return what one more error counted at each label does, from what FP and FN do."""
    false_positive, false_negative = by_rates @ rates.by_count
    return np.asarray(np.where(rates.labels == 1, false_positive, false_negative))


def _tells_too_little(audit: Audit) -> bool:
    return any(rates.told < LEAST_TOLD for rates in audit.rates.values())
