"""What systems' predictions need to be right, as products of labels, and how errors move those."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.estimators import _checks
from evaluation.estimators._checks import FloatArray, IntArray
from evaluation.estimators.judging.audited import Audit


@dataclass(frozen=True, eq=False)
class JudgedSystem:
    """A system's sampled instances, and the labels that its predictions there need.

    Attributes
    ----------
    positions : int[n]
        In the pool's sample.
    p : float[n]
    kinds : sequence of str, length F
        The kind of question of each factor; the same for all systems of a pool.
    units : int[F, n]
        For each factor, the position of the instance's label among those of its kind; −1 where the prediction
        needs none. f_i is the product: of one label for the part `relation`, of three for `all`.
    """

    positions: IntArray
    p: FloatArray
    kinds: Sequence[str]
    units: IntArray


@dataclass(frozen=True, eq=False)
class Products:
    """f of some instances, as products of labels.

    Attributes
    ----------
    f, corrected : float[n]
        By the crowd, and with each label corrected by the error rates of its kind.
    told : float
        1 − FP − FN, multiplied over the factors.
    audited : float[n]
        (f* − f)/ρ where audited, else 0.
    by_rates : dict of str to float[2, n]
        By kind: how `corrected` moves with FP and FN.
    flips : float[F, n]
        What f gains if that label turns out wrong.
    """

    audit: Audit
    system: JudgedSystem
    f: FloatArray
    corrected: FloatArray
    told: float
    audited: FloatArray
    by_rates: dict[str, FloatArray]
    flips: FloatArray

    @classmethod
    def of(cls, audit: Audit, system: JudgedSystem) -> "Products":
        """Multiply a system's labels.

        Raises
        ------
        InvalidInput
            If lengths differ or a position is out of range.
        """
        n = system.positions.size
        _checks.integers("positions", system.positions, below=audit.size)
        for kind, units in zip(system.kinds, system.units, strict=True):
            _checks.integers(kind, units, length=n, low=-1, below=audit.rates[kind].labels.size)
        needed = system.units >= 0
        labels, corrected, audits = (np.ones(system.units.shape) for _ in range(3))
        for row, (kind, units) in enumerate(zip(system.kinds, system.units, strict=True)):
            rates, own = audit.rates[kind], units[needed[row]]
            labels[row, needed[row]] = rates.labels[own]
            corrected[row, needed[row]] = rates.corrected[own]
            audits[row, needed[row]] = np.nan_to_num(rates.audits[own])
        by_rates = {kind: np.zeros((2, n)) for kind in audit.labels}
        flips = np.zeros(system.units.shape)
        for row, kind in enumerate(system.kinds):
            others = np.delete(corrected, row, axis=0).prod(axis=0) * needed[row] / audit.rates[kind].told
            by_rates[kind] += others * np.stack([corrected[row] - 1.0, corrected[row]])
            flips[row] = np.delete(labels, row, axis=0).prod(axis=0) * needed[row] * (1.0 - 2.0 * labels[row])
        f = labels.prod(axis=0)
        seen, rho = audit.audited[system.positions], audit.rho[system.positions]
        told = float(np.prod([audit.rates[kind].told for kind in system.kinds]))
        audited = np.where(seen, (audits.prod(axis=0) - f) / rho, 0.0)
        return cls(audit, system, f, corrected.prod(axis=0), told, audited, by_rates, flips)

    def by_label(self, weights: FloatArray) -> dict[str, FloatArray]:
        """Return, by kind, what Σ w f gains if each label turns out wrong, float[U]."""
        found = {kind: np.zeros(rates.labels.size) for kind, rates in self.audit.rates.items()}
        for kind, units, flip in zip(self.system.kinds, self.system.units, self.flips, strict=True):
            own = units >= 0
            found[kind] += np.bincount(units[own], (weights * flip)[own], minlength=found[kind].size)
        return found


def pool_of(audit: Audit, systems: Sequence[JudgedSystem]) -> JudgedSystem:
    """Return the pool as if it were a system: at each instance, what the first that is right there needs.

    Where nobody is right by the crowd's labels, what the first system needs that has the instance. So f of
    the pool is max f_i.
    """
    positions = np.concatenate([system.positions for system in systems])
    f = np.concatenate([Products.of(audit, system).f for system in systems])
    units = np.concatenate([system.units for system in systems], axis=1)
    order = np.lexsort((np.arange(f.size), -f, positions))
    found, first = np.unique(positions[order], return_index=True)
    chosen = order[first]
    return JudgedSystem(found, np.ones(found.size), systems[0].kinds, units[:, chosen])
