"""Precision, and shares of the pool, corrected for the judges' errors by an audit.

Two steps. The error rates that are pooled over all systems (`audited.error_rates`) correct everybody alike;
what a system's own audits say beyond that, unbiased but wide, is shrunk by how much systems differ. What
both add to the variance is written as more contributions, to a larger sample (`Corrected.pools`). So F1,
differences and intervals are made from corrected estimates as from any others, and what two systems share
cancels.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kbpo_estimators import _checks
from kbpo_estimators._checks import BoolArray, FloatArray
from kbpo_estimators.coordinated import variance_weights
from kbpo_estimators.f1 import PoolSample
from kbpo_estimators.judging.audited import Audit
from kbpo_estimators.judging.effects import Effects, Spread, of_precisions, of_shares
from kbpo_estimators.judging.products import JudgedEntries, Products
from kbpo_estimators.judging.rows import beside, root
from kbpo_estimators.labelled import ShareOfPool
from kbpo_estimators.precision import PrecisionEstimate


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

    @classmethod
    def of(cls, effects: Effects, spread: Spread) -> "Correction":
        """Return what was made of effects."""
        return cls(effects.pooled, effects.own, spread.believed, spread.between)

    @property
    def added(self) -> FloatArray:
        """What is added to each estimate, float[m]."""
        return np.asarray(self.pooled + self.believed * (self.own - self.pooled))


@dataclass(frozen=True, eq=False)
class Corrected:
    """The corrected estimates of a pool's systems, and where their contributions stand in a larger sample.

    Attributes
    ----------
    precisions : mapping of str to list of PrecisionEstimate
        By weighting, one for each system.
    shares : list of ShareOfPool or None
        One for each system; None where not estimable.
    pools : list of PoolSample
        For each system where its contributions stand, those of its precisions and of its share.
    of_precisions : mapping of str to Correction
    of_shares : Correction or None
    """

    precisions: Mapping[str, list[PrecisionEstimate]]
    shares: list[ShareOfPool | None]
    pools: list[PoolSample]
    of_precisions: Mapping[str, Correction]
    of_shares: Correction | None


def corrected(
    audit: Audit,
    entries: JudgedEntries,
    p: Mapping[str, FloatArray],
    precisions: Mapping[str, Sequence[PrecisionEstimate]],
    shares: Sequence[ShareOfPool | None] | None = None,
    inside: BoolArray | None = None,
) -> Corrected:
    """Correct the precision, and the share of the pool's correct instances, of every system of a pool.

    The pooled step of a precision is P̃ = (P̂ − FP)/(1 − FP − FN); that of a share is ν̃ = Σ(g_i/π)/Σ(g/π)
    with corrected labels g, in which FN cancels. Where f is a product of labels, rates are those of the
    product. Where labels tell too little of the truth (`audited.LEAST_TOLD`), as where nearly all are 1 and
    one is wrongly so, each system is left to its own audits: unbiased, and wider.

    Parameters
    ----------
    audit : Audit
    entries : JudgedEntries
        All sampled instances of the m systems, in the order of their contributions.
    p : mapping of str to float[E]
        By weighting, of each entry.
    precisions : mapping of str to sequence of PrecisionEstimate, length m
        By weighting, from the crowd's labels.
    shares : sequence of ShareOfPool or None, length m, optional
        From the crowd's labels, as `labelled.share_of_pool` returns them: all None where nothing is right.
    inside : bool[E], optional
        Which entries shares are about; all where left out.

    Returns
    -------
    Corrected

    Raises
    ------
    InvalidInput
        If lengths differ or a position is out of range.
    """
    m = entries.systems
    for name, found in precisions.items():
        _checks.same_length(f"precisions[{name!r}]", len(found), m)
    if shares is not None:
        _checks.same_length("shares", len(shares), m)
    products = Products.of(audit, entries)
    own_shares, share_spread, of_share = _corrected_shares(products, shares, inside)
    shared = root(np.zeros((m, 0)) if share_spread is None else share_spread.covariance(share_spread))

    spreads, rests, corrections, variances, sampling = {}, {}, {}, {}, {}
    for name, found in precisions.items():
        sampling[name] = _by_truth(products, p[name], found)
        effects = of_precisions(products, p[name], np.array([one.estimate for one in found]))
        spread = Spread.of(effects)
        covariance = spread.covariance(spread)
        first = np.zeros((m, shared.shape[1]))
        if share_spread is not None:
            first = beside(shared, spread.covariance(share_spread))
        spreads[name], rests[name] = first, root(covariance - first @ first.T)
        corrections[name], variances[name] = Correction.of(effects, spread), np.diagonal(covariance)
    width = max((one.shape[1] for one in rests.values()), default=0)
    more = {
        name: np.hstack([spreads[name], rests[name], np.zeros((m, width - rests[name].shape[1]))])
        for name in precisions
    }
    size = audit.size + shared.shape[1] + width
    weights = np.concatenate([variance_weights(audit.pi), np.ones(size - audit.size)])
    behind = np.arange(audit.size, size)
    own_weights = np.split(weights[entries.positions], entries.indptr[1:-1])
    return Corrected(
        precisions={
            name: [
                _wider(before, float(added), own, float(variance), contributions, weighed)
                for before, added, own, variance, contributions, weighed in zip(
                    *(found, corrections[name].added, sampling[name], variances[name], more[name]),
                    own_weights,
                    strict=True,
                )
            ]
            for name, found in precisions.items()
        },
        shares=[
            None
            if one is None
            else replace(one, contributions=np.concatenate([one.contributions, row, np.zeros(width)]))
            for one, row in zip(own_shares, shared, strict=True)
        ],
        pools=[
            PoolSample(weights, np.concatenate([own, behind]))
            for own in np.split(entries.positions, entries.indptr[1:-1])
        ],
        of_precisions=corrections,
        of_shares=of_share,
    )


def _by_truth(products: Products, p: FloatArray, precisions: Sequence[PrecisionEstimate]) -> list[FloatArray]:
    """Return contributions to precisions as the true labels would make them, on average over judges' errors.

    Squared residuals of the crowd's labels hold the judges' errors too, and what these do to an estimate
    stands in the correction's own variance: it would be counted twice.
    """
    contributions = np.concatenate([one.contributions for one in precisions])
    likely = products.likely_wrong[products.units]
    square = (1.0 - likely) * contributions**2 + likely * (contributions + p * products.flips) ** 2
    of_truth = np.copysign(np.sqrt(square), contributions)
    return np.split(of_truth, products.entries.indptr[1:-1])


def _wider(
    before: PrecisionEstimate,
    added: float,
    sampling: FloatArray,
    variance: float,
    contributions: FloatArray,
    weights: FloatArray,
) -> PrecisionEstimate:
    more = max(0.0, variance)
    need = 1.0 / before.n_eff + 4.0 * more
    return replace(
        before,
        estimate=before.estimate + added,
        variance=float(weights @ sampling**2) + more,
        n_eff=1.0 / need if need > 0 else math.inf,
        contributions=np.concatenate([sampling, contributions]),
    )


def _corrected_shares(
    products: Products,
    shares: Sequence[ShareOfPool | None] | None,
    inside: BoolArray | None,
) -> tuple[list[ShareOfPool | None], Spread | None, Correction | None]:
    none: list[ShareOfPool | None] = [None] * products.entries.systems
    known = [one for one in shares or () if one is not None]
    if len(known) < len(none):
        return none, None, None
    effects = of_shares(
        products if inside is None else products.take(inside), np.array([one.estimate for one in known])
    )
    if effects is None:
        return none, None, None
    spread = Spread.of(effects)
    correction = Correction.of(effects, spread)
    return (
        [
            replace(
                one,
                estimate=one.estimate + float(added),
                variance=None if one.variance is None else one.variance + max(0.0, float(variance)),
            )
            for one, added, variance in zip(known, correction.added, spread.variances(), strict=True)
        ],
        spread,
        correction,
    )
