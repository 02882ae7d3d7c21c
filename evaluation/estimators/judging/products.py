"""What systems' predictions need to be right, as products of labels, and how errors move those."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from evaluation.estimators import _checks
from evaluation.estimators._checks import BoolArray, FloatArray, IntArray
from evaluation.estimators.judging.audited import Audit


@dataclass(frozen=True, eq=False)
class JudgedEntries:
    """The sampled instances of each system, one system after the other, and the labels that they need.

    Attributes
    ----------
    indptr : int[m + 1]
        Where each system's entries begin and end.
    positions : int[E]
        For each entry, the position of its instance in the pool's sample.
    kinds : sequence of str, length F
        The kind of question of each factor of f.
    units : int[F, E]
        For each factor, the position of the instance's label among those of its kind; −1 where the prediction
        needs none. f_i is the product: of one label for the part `relation`, of three for `all`.
    """

    indptr: IntArray
    positions: IntArray
    kinds: Sequence[str]
    units: IntArray

    @classmethod
    def of(cls, systems: Sequence[tuple[IntArray, IntArray]], kinds: Sequence[str]) -> "JudgedEntries":
        """Put systems one after the other, each its positions, int[n], and units, int[F, n]."""
        positions, units = zip(*systems, strict=True)
        indptr = np.cumsum([0, *(own.size for own in positions)])
        return cls(indptr, np.concatenate(positions), kinds, np.concatenate(units, axis=1))

    @property
    def systems(self) -> int:
        """M."""
        return self.indptr.size - 1

    @property
    def of_system(self) -> IntArray:
        """Which system each entry is of, int[E]."""
        return np.repeat(np.arange(self.systems), np.diff(self.indptr))

    def take(self, chosen: BoolArray) -> "JudgedEntries":
        """Return some of the entries, of the same systems."""
        counts = np.bincount(self.of_system[chosen], minlength=self.systems)
        return JudgedEntries(
            np.cumsum([0, *counts]), self.positions[chosen], self.kinds, self.units[:, chosen]
        )


@dataclass(frozen=True, eq=False)
class Products:
    """f of some entries, as products of labels.

    Attributes
    ----------
    f, corrected : float[E]
        By the crowd, and with each label corrected by the error rates of its kind.
    told : float
        1 − FP − FN, multiplied over the factors.
    audited : float[E]
        (f* − f)/ρ where audited, else 0.
    by_rates : dict of str to float[2, E]
        By kind: how `corrected` moves with FP and FN.
    flips : float[F, E]
        What f gains if that label turns out wrong.
    """

    audit: Audit
    entries: JudgedEntries
    f: FloatArray
    corrected: FloatArray
    told: float
    audited: FloatArray
    by_rates: dict[str, FloatArray]
    flips: FloatArray

    @classmethod
    def of(cls, audit: Audit, entries: JudgedEntries) -> "Products":
        """Multiply labels.

        Raises
        ------
        InvalidInput
            If lengths differ or a position is out of range.
        """
        n = entries.positions.size
        _checks.integers("positions", entries.positions, below=audit.size)
        for kind, units in zip(entries.kinds, entries.units, strict=True):
            _checks.integers(kind, units, length=n, low=-1, below=audit.rates[kind].labels.size)
        needed = entries.units >= 0
        labels, corrected, audits = (np.ones(entries.units.shape) for _ in range(3))
        for row, (kind, units) in enumerate(zip(entries.kinds, entries.units, strict=True)):
            rates, own = audit.rates[kind], units[needed[row]]
            labels[row, needed[row]] = rates.labels[own]
            corrected[row, needed[row]] = rates.corrected[own]
            audits[row, needed[row]] = np.nan_to_num(rates.audits[own])
        by_rates = {kind: np.zeros((2, n)) for kind in audit.labels}
        flips = np.zeros(entries.units.shape)
        for row, kind in enumerate(entries.kinds):
            others = np.delete(corrected, row, axis=0).prod(axis=0) * needed[row] / audit.rates[kind].told
            by_rates[kind] += others * np.stack([corrected[row] - 1.0, corrected[row]])
            flips[row] = np.delete(labels, row, axis=0).prod(axis=0) * needed[row] * (1.0 - 2.0 * labels[row])
        f = labels.prod(axis=0)
        seen, rho = audit.audited[entries.positions], audit.rho[entries.positions]
        told = float(np.prod([audit.rates[kind].told for kind in entries.kinds]))
        audited = np.where(seen, (audits.prod(axis=0) - f) / rho, 0.0)
        return cls(audit, entries, f, corrected.prod(axis=0), told, audited, by_rates, flips)

    def take(self, chosen: BoolArray) -> "Products":
        """Return those of some of the entries."""
        return replace(
            self,
            entries=self.entries.take(chosen),
            f=self.f[chosen],
            corrected=self.corrected[chosen],
            audited=self.audited[chosen],
            by_rates={kind: rows[:, chosen] for kind, rows in self.by_rates.items()},
            flips=self.flips[:, chosen],
        )

    def of_pool(self) -> "Products":
        """Return those of the pool as if it were one system.

        At each instance it needs what the first system needs that is right there by the crowd's labels, so
        that f of the pool is max f_i; where nobody is, what the first needs that has the instance.
        """
        entries = self.entries
        order = np.lexsort((np.arange(self.f.size), -self.f, entries.positions))
        found, first = np.unique(entries.positions[order], return_index=True)
        chosen = order[first]
        pool = JudgedEntries(np.array([0, found.size]), found, entries.kinds, entries.units[:, chosen])
        return Products.of(self.audit, pool)
