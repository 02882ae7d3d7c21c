"""What judges' errors do to the estimates of a pool's systems, and how those effects vary together."""

import math
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from evaluation.estimators._checks import BoolArray, FloatArray, IntArray
from evaluation.estimators.judging.audited import Audit
from evaluation.estimators.judging.products import Products
from evaluation.estimators.judging.rows import Rows


@dataclass(frozen=True, eq=False)
class Effects:
    """What errors do to one estimate of each system.

    Attributes
    ----------
    audit : Audit
    pooled, own : float[m]
        As in `corrected.Correction`.
    of_pooled, of_own : Rows [m, U]
        What one more error counted at each label, or correcting each that is wrong at ρ = 1, adds to them.
        Labels of all kinds stand one after another.
    told : float
    directions : Rows [m, S]
        Along which systems' effects differ: the weights of their instances.
    """

    audit: Audit
    pooled: FloatArray
    own: FloatArray
    of_pooled: Rows
    of_own: Rows
    told: float
    directions: Rows


def of_precisions(products: Products, p: FloatArray, estimates: FloatArray) -> Effects:
    """Return what errors do to precisions; parameters as in `corrected.corrected`."""
    audit, entries = products.audit, products.entries
    m, system = entries.systems, entries.of_system
    w = p / audit.pi[entries.positions]
    right = products.f == 1

    # The share of right entries is known better than the sample's own.
    shares = np.zeros(w.size)
    for flags, share in ((right, estimates), (~right, 1.0 - estimates)):
        total = _summed(system, w * flags, m)
        shares[flags] = (share / np.where(total > 0, total, 1.0))[system[flags]] * w[flags]

    def mean(row: FloatArray) -> FloatArray:
        return _summed(system, shares * row, m)

    slopes = _by_group(
        audit, {kind: np.stack([mean(row) for row in products.by_rates[kind]]) for kind in audit.rates}
    )
    groups = _groups(audit)
    return Effects(
        audit=audit,
        pooled=mean(products.corrected) - estimates,
        own=_summed(system, w * products.audited, m),
        of_pooled=Rows(_empty(m, groups.shape[1]), slopes, groups),
        of_own=Rows(_by_label(products, w), np.zeros_like(slopes), groups),
        told=products.told,
        directions=Rows(
            _gathered(system, entries.positions, w, (m, audit.size)),
            np.zeros((m, 0)),
            np.zeros((0, audit.size)),
        ),
    )


def of_shares(products: Products, estimates: FloatArray) -> Effects | None:
    """Return what errors do to shares of the pool's correct instances; None where nothing is right in it."""
    audit, entries = products.audit, products.entries
    m, system = entries.systems, entries.of_system
    pool = products.of_pool()
    everywhere = 1.0 / audit.pi[pool.entries.positions]
    total, right = float(everywhere @ pool.f), float(everywhere @ pool.corrected)
    if right <= 0 or total <= 0:
        return None
    w = 1.0 / audit.pi[entries.positions]

    def summed(row: FloatArray) -> FloatArray:
        return _summed(system, w * row, m)

    nu = summed(products.corrected) / right
    of_pool = {kind: rows @ everywhere for kind, rows in pool.by_rates.items()}
    slopes = _by_group(
        audit,
        {
            kind: np.stack(
                [(summed(row) - nu * whole) / right for row, whole in zip(rows, of_pool[kind], strict=True)]
            )
            for kind, rows in products.by_rates.items()
        },
    )
    groups = _groups(audit)
    labels = _by_label(pool, everywhere / total).toarray()
    dense, nothing = np.vstack([groups, labels]), np.zeros((m, 1))
    direction = np.zeros((1, audit.size))
    direction[0, pool.entries.positions] = everywhere
    return Effects(
        audit=audit,
        pooled=nu - estimates,
        own=(summed(products.audited) - estimates * (everywhere @ pool.audited)) / total,
        of_pooled=Rows(_empty(m, dense.shape[1]), np.hstack([slopes, nothing]), dense),
        of_own=Rows(
            _by_label(products, w / total), np.hstack([np.zeros_like(slopes), -estimates[:, None]]), dense
        ),
        told=products.told,
        directions=Rows(
            _gathered(system, entries.positions, w, (m, audit.size)), -estimates[:, None], direction
        ),
    )


@dataclass(frozen=True, eq=False)
class Spread:
    """How the corrections of a pool's systems vary together.

    Four terms, each independent of the others: the chance of each label to be wrong, times what the audit's
    draw makes of it; the errors that audits did find, by question (each of the two counts for half: the
    first is steady with few errors, the second right whatever was thought of them); errors that are a
    system's luck in the sample, about which a pooled rate says nothing; and τ̂², along each system's
    direction.

    Attributes
    ----------
    believed : float[m]
        How much of what a system's own audits say beyond the pooled rates is believed, from 0 to 1.
    between : float
        τ̂².
    """

    believed: FloatArray
    between: float
    _labels: "_Labels"
    _by_audit: Rows
    _found: FloatArray
    _luck: Rows
    _directions: Rows

    @classmethod
    def of(cls, effects: Effects, *, alone: bool = False) -> "Spread":
        """Measure how much systems differ, and with it what is believed.

        Parameters
        ----------
        effects : Effects
        alone : bool
            Whether a system's own audits are believed alone.
        """
        labels = _Labels.of(effects.audit)
        own, pooled = effects.of_own, effects.of_pooled
        rest = Rows(own.sparse, own.coefficients - pooled.coefficients, own.dense)
        luck = Rows(own.sparse, own.coefficients - effects.told * pooled.coefficients, own.dense).scaled(
            np.full(own.coefficients.shape[0], 1.0 / effects.told)
        )
        of_audit = rest.sums(rest, labels.by_audit)
        together = pooled.sums(rest, labels.by_audit)
        of_luck = luck.sums(luck, labels.chances)
        gaps = effects.own - effects.pooled
        between = max(0.0, float((gaps**2 - of_audit - of_luck).mean()))
        prior = between + of_luck
        whole = of_audit + prior
        believed = np.divide(prior - together, whole, out=np.zeros(gaps.size), where=whole > 0).clip(0, 1)
        if alone:
            believed = np.ones(gaps.size)
        by_audit = Rows(
            own.scaled(believed).sparse,
            (1.0 - believed)[:, None] * pooled.coefficients + believed[:, None] * own.coefficients,
            own.dense,
        )
        norms = np.sqrt(
            np.maximum(effects.directions.sums(effects.directions, np.ones(effects.audit.size)), 0.0)
        )
        unit = np.divide(1.0, norms, out=np.zeros(norms.size), where=norms > 0)
        return cls(
            believed,
            between,
            labels,
            by_audit,
            labels.by_question(by_audit),
            luck.scaled(1.0 - believed),
            effects.directions.scaled((1.0 - believed) * math.sqrt(between) * unit),
        )

    def covariance(self, other: "Spread") -> FloatArray:
        """Return the covariances of these corrections with others of the same audit, float[m, m′]."""
        labels = self._labels
        found = self._by_audit.products(other._by_audit, 0.5 * labels.by_audit)
        found += (self._found * (0.5 * labels.of_question)) @ other._found.T
        found += self._luck.products(other._luck, labels.chances)
        if self.between > 0 and other.between > 0:
            found += self._directions.products(other._directions, np.ones(labels.sampled))
        return found

    def variances(self) -> FloatArray:
        """Return the diagonal of their covariance, float[m]."""
        labels = self._labels
        found = self._by_audit.sums(self._by_audit, 0.5 * labels.by_audit)
        found = found + (self._found**2) @ (0.5 * labels.of_question)
        found = found + self._luck.sums(self._luck, labels.chances)
        return np.asarray(found + self._directions.sums(self._directions, np.ones(labels.sampled)))


@dataclass(frozen=True, eq=False)
class _Labels:
    """The labels of all kinds, one after another.

    Attributes
    ----------
    chances : float[U]
        How likely each is wrong.
    by_audit : float[U]
        That times (1 − ρ)/ρ.
    wrong : int[W]
        Those that an audit found wrong.
    question : int[W]
        Which of the Q questions with such labels each is of.
    of_question : float[Q]
        (1 − ρ)/ρ².
    sampled : int
    """

    chances: FloatArray
    by_audit: FloatArray
    wrong: IntArray
    question: IntArray
    of_question: FloatArray
    sampled: int

    @classmethod
    def of(cls, audit: Audit) -> "_Labels":
        rates = list(audit.rates.values())
        instances = np.concatenate([one.instances for one in rates])
        chances = np.concatenate([one.chances for one in rates])
        wrong = np.flatnonzero(np.concatenate([one.wrong for one in rates]))
        rho = audit.rho[instances]
        _, first, question = np.unique(
            audit.questions[instances[wrong]], return_index=True, return_inverse=True
        )
        of_wrong = rho[wrong][first]
        return cls(
            chances, chances * (1.0 - rho) / rho, wrong, question, (1.0 - of_wrong) / of_wrong**2, audit.size
        )

    def by_question(self, rows: Rows) -> FloatArray:
        """Return what the errors found add by question, float[m, Q]."""
        found = rows.columns(self.wrong)
        summed = np.zeros((found.shape[0], self.of_question.size))
        np.add.at(summed.T, self.question, found.T)
        return summed


def _summed(system: IntArray, values: FloatArray, m: int) -> FloatArray:
    return np.bincount(system, values, minlength=m).astype(np.float64)


def _by_label(products: Products, weights: FloatArray) -> sparse.csr_array:
    """Return what Σ weight · f of each system gains if each label turns out wrong, [m, U]."""
    entries, rates = products.entries, products.audit.rates
    starts = dict(zip(rates, np.cumsum([0, *(one.labels.size for one in rates.values())]), strict=False))
    system = entries.of_system
    rows, columns, values = [], [], []
    for kind, units, flips in zip(entries.kinds, entries.units, products.flips, strict=True):
        matters = (units >= 0) & (flips != 0)
        rows.append(system[matters])
        columns.append(starts[kind] + units[matters])
        values.append((weights * flips)[matters])
    size = sum(one.labels.size for one in rates.values())
    return _gathered(
        np.concatenate(rows), np.concatenate(columns), np.concatenate(values), (entries.systems, size)
    )


def _gathered(
    rows: IntArray, columns: IntArray, values: FloatArray, shape: tuple[int, int]
) -> sparse.csr_array:
    return sparse.csr_array((values, (rows, columns)), shape=shape)


def _empty(rows: int, columns: int) -> sparse.csr_array:
    return sparse.csr_array((rows, columns))


def _by_group(audit: Audit, by_rates: dict[str, FloatArray]) -> FloatArray:
    """Return what one more error counted does, from what FP and FN do (float[2, m]): at labels 1 and 0."""
    found = [by_rates[kind].T @ rates.by_count for kind, rates in audit.rates.items()]
    return np.hstack(found)


def _groups(audit: Audit) -> FloatArray:
    """Return which labels are 1, and which 0, of each kind, float[2 · kinds, U]."""
    rates = list(audit.rates.values())
    size = sum(one.labels.size for one in rates)
    found, start = np.zeros((2 * len(rates), size)), 0
    for number, one in enumerate(rates):
        own: BoolArray = one.labels == 1
        found[2 * number, start : start + own.size] = own
        found[2 * number + 1, start : start + own.size] = ~own
        start += own.size
    return found
