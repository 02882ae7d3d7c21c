"""What systems' predictions need to be right: products of labels, taken as one label.

A claim counts as whole if its relation holds and both canonical mentions are right. Judges' errors are
counted among such products, not kind by kind: nearly all canonical mentions are right, so how often wrong
ones are let pass is told by a handful of them, but products that should be 0 are as many as wrong claims.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from kbpo_estimators import _checks
from kbpo_estimators._checks import BoolArray, FloatArray, IntArray
from kbpo_estimators.judging.audited import (
    LEAST_TOLD,
    UNKNOWN,
    Audit,
    ErrorRates,
    chances,
    error_rates,
    estimated_errors,
    foretold,
)
from kbpo_estimators.judging.rows import Layout


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
    """The products of labels that entries need; entries that need the same labels share one.

    Attributes
    ----------
    audit : Audit
    entries : JudgedEntries
    units : int[E]
        Which product each entry needs.
    instances : int[U]
        Where in the pool's sample each product is.
    labels, audits : float[U]
        By the crowd, and by the audit; `audits` is `labels` where not audited.
    expected, chances : float[U]
        How likely each is wrong by what audits of other questions found, and of all.
    errors : float[U]
        Whether it is wrong, right on average (`audited.estimated_errors`).
    rates : ErrorRates
        Of all products; unknown where they tell too little of the truth.
    is_told : bool
        Whether they tell enough.
    """

    audit: Audit
    entries: JudgedEntries
    units: IntArray
    instances: IntArray
    labels: FloatArray
    audits: FloatArray
    expected: FloatArray
    chances: FloatArray
    errors: FloatArray
    rates: ErrorRates
    is_told: bool

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
        sizes = [np.asarray(audit.labels[kind].labels).size for kind in entries.kinds]
        for kind, units, size in zip(entries.kinds, entries.units, sizes, strict=True):
            _checks.integers(kind, units, length=n, low=-1, below=size)
        units, first = _distinct(entries, sizes)
        instances = entries.positions[first]
        seen = audit.audited[instances]
        f, true, likely = (np.ones(first.size) for _ in range(3))
        for kind, own in zip(entries.kinds, entries.units[:, first], strict=True):
            one, needed = audit.labels[kind], own >= 0
            label = np.asarray(one.labels)[own[needed]]
            f[needed] *= label
            true[needed] *= np.asarray(one.audits)[own[needed]]
            likely[needed] *= np.abs(label - np.asarray(one.doubts)[own[needed]])
        true = np.where(seen, true, f)
        wrong, rho = true != f, audit.rho[instances]
        doubts = np.where(f == 1, 1.0 - likely, likely)
        expected = foretold(doubts, seen, wrong, audit.questions[instances])
        errors = estimated_errors(expected, seen, wrong, rho)
        rates = error_rates(f, errors)
        is_told = rates.told >= LEAST_TOLD
        return cls(
            audit,
            entries,
            units,
            instances,
            f,
            true,
            expected,
            chances(doubts, seen, wrong),
            errors,
            rates if is_told else UNKNOWN,
            is_told,
        )

    @property
    def wrong(self) -> BoolArray:
        """Say which products an audit found wrong, bool[U]."""
        return np.asarray(self.audits != self.labels)

    @property
    def likely_wrong(self) -> FloatArray:
        """How likely each product is wrong by all that is known: 0 or 1 where an audit said, float[U]."""
        return np.where(self.audit.audited[self.instances], self.wrong, self.chances)

    @property
    def f(self) -> FloatArray:
        """By the crowd, float[E]."""
        return self.labels[self.units]

    @property
    def gained(self) -> FloatArray:
        """What f gains by the audit, right on average, float[E]."""
        return np.asarray(((1.0 - 2.0 * self.labels) * self.errors)[self.units])

    @property
    def flips(self) -> FloatArray:
        """What f gains if its product turns out wrong, float[E]."""
        return np.asarray(1.0 - 2.0 * self.f)

    @cached_property
    def by_unit(self) -> Layout:
        """Where each entry stands among systems and products, [m, U]."""
        return Layout.of(self.entries.indptr, self.units, self.labels.size)

    @cached_property
    def by_position(self) -> Layout:
        """Where each entry stands among systems and sampled instances, [m, S]."""
        return Layout.of(self.entries.indptr, self.entries.positions, self.audit.size)

    def take(self, chosen: BoolArray) -> "Products":
        """Return those of some of the entries."""
        return replace(self, entries=self.entries.take(chosen), units=self.units[chosen])

    def of_pool(self) -> "Products":
        """Return those of the pool as if it were one system.

        At each instance it needs what the first system needs that is right there by the crowd's labels, so
        that f of the pool is max f_i; where nobody is, what the first needs that has the instance.
        """
        entries = self.entries
        order = np.lexsort((np.arange(self.units.size), -self.f, entries.positions))
        found, first = np.unique(entries.positions[order], return_index=True)
        chosen = order[first]
        pool = JudgedEntries(np.array([0, found.size]), found, entries.kinds, entries.units[:, chosen])
        return replace(self, entries=pool, units=self.units[chosen])


def _distinct(entries: JudgedEntries, sizes: Sequence[int]) -> tuple[IntArray, IntArray]:
    """Return which product each entry needs, int[E], and an entry that needs it, int[U]."""
    # A label is of one instance, so where the first is needed it says which.
    code = np.where(entries.units[0] >= 0, entries.units[0], sizes[0] + entries.positions)
    for units, size in zip(entries.units[1:], sizes[1:], strict=True):
        _, code = np.unique(code * (size + 1) + units + 1, return_inverse=True)
    first = np.full(int(code.max(initial=-1)) + 1, -1)
    first[code[::-1]] = np.arange(code.size)[::-1]
    is_needed = first >= 0
    return (np.cumsum(is_needed) - 1)[code], first[is_needed]
