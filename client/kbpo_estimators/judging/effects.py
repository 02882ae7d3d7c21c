"""What judges' errors do to the estimates of a pool's systems, and how those effects vary together."""

import math
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from kbpo_estimators._checks import FloatArray, IntArray
from kbpo_estimators.judging.products import Products
from kbpo_estimators.judging.rows import Rows


@dataclass(frozen=True, eq=False)
class Effects:
    """What errors do to one estimate of each system.

    Attributes
    ----------
    products : Products
    pooled, own : float[m]
        As in `corrected.Correction`.
    of_pooled, of_own : Rows [m, U]
        What one more error counted at each product, or correcting each that is wrong at ρ = 1, adds to them.
    directions : Rows [m, S]
        Along which systems' effects differ: the weights of their instances.
    """

    products: Products
    pooled: FloatArray
    own: FloatArray
    of_pooled: Rows
    of_own: Rows
    directions: Rows


def of_precisions(products: Products, p: FloatArray, estimates: FloatArray) -> Effects:
    """Return what errors do to precisions; parameters as in `corrected.corrected`."""
    audit, entries, rates = products.audit, products.entries, products.rates
    m, system = entries.systems, entries.of_system
    w = p / audit.pi[entries.positions]
    corrected = rates.corrected(estimates)
    slopes = np.column_stack([corrected - 1.0, corrected]) / rates.told @ rates.by_count
    groups = _groups(products)
    return Effects(
        products=products,
        pooled=corrected - estimates,
        own=_summed(system, w * products.gained, m),
        of_pooled=Rows(_empty(m, groups.shape[1]), slopes, groups),
        of_own=Rows(_by_product(products, w), np.zeros_like(slopes), groups),
        directions=Rows(
            products.by_position.filled(w),
            np.zeros((m, 0)),
            np.zeros((0, audit.size)),
        ),
    )


def of_shares(products: Products, estimates: FloatArray) -> Effects | None:
    """Return what errors do to shares of the pool's correct instances; None where nothing is right in it."""
    audit, entries, rates = products.audit, products.entries, products.rates
    m, system = entries.systems, entries.of_system
    pool = products.of_pool()
    everywhere = 1.0 / audit.pi[pool.entries.positions]
    of_pool = rates.corrected(pool.f)
    total, right = float(everywhere @ pool.f), float(everywhere @ of_pool)
    if right <= 0 or total <= 0:
        return None
    w = 1.0 / audit.pi[entries.positions]
    nu = _summed(system, w * rates.corrected(products.f), m) / right
    # False negatives cancel.
    by_false_positives = (nu * everywhere.sum() - _summed(system, w, m)) / (rates.told * right)
    slopes = np.outer(by_false_positives, rates.by_count[0])
    labels = _by_product(pool, everywhere / total).toarray()
    dense, nothing = np.vstack([_groups(products), labels]), np.zeros((m, 1))
    direction = np.zeros((1, audit.size))
    direction[0, pool.entries.positions] = everywhere
    return Effects(
        products=products,
        pooled=nu - estimates,
        own=(_summed(system, w * products.gained, m) - estimates * (everywhere @ pool.gained)) / total,
        of_pooled=Rows(_empty(m, dense.shape[1]), np.hstack([slopes, nothing]), dense),
        of_own=Rows(
            _by_product(products, w / total), np.hstack([np.zeros_like(slopes), -estimates[:, None]]), dense
        ),
        directions=Rows(products.by_position.filled(w), -estimates[:, None], direction),
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
        τ̂², and one standard error of it: of few systems, the one of which judges err most is seldom seen.
    """

    believed: FloatArray
    between: float
    _labels: "_Labels"
    _by_audit: Rows
    _found: FloatArray
    _luck: Rows
    _directions: Rows

    @classmethod
    def of(cls, effects: Effects) -> "Spread":
        """Measure how much systems differ, and with it what is believed."""
        products = effects.products
        labels, told = _Labels.of(products), products.rates.told
        own, pooled = effects.of_own, effects.of_pooled
        rest = Rows(own.sparse, own.coefficients - pooled.coefficients, own.dense)
        luck = Rows(own.sparse, own.coefficients - told * pooled.coefficients, own.dense).scaled(
            np.full(own.coefficients.shape[0], 1.0 / told)
        )
        found_rest, found_pooled = labels.by_question(rest), labels.by_question(pooled)
        of_audit = rest.sums(rest, labels.steady) + found_rest**2 @ (0.5 * labels.of_question)
        together = pooled.sums(rest, labels.steady) + found_pooled * found_rest @ (0.5 * labels.of_question)
        of_luck = luck.sums(luck, labels.chances)
        gaps = effects.own - effects.pooled
        # An error found at a small ρ makes a gap and this variance large alike, and shows no difference.
        by_found = rest.sums(rest, labels.of_others) + found_rest**2 @ labels.of_question
        beyond = gaps**2 - by_found - of_luck
        unsure = float(beyond.std(ddof=1)) / math.sqrt(beyond.size) if beyond.size > 1 else 0.0
        between = max(0.0, float(beyond.mean()) + unsure)
        prior = between + of_luck
        whole = of_audit + prior
        believed = np.divide(prior - together, whole, out=np.zeros(gaps.size), where=whole > 0).clip(0, 1)
        if not products.is_told:
            believed = np.ones(gaps.size)
        by_audit = Rows(
            own.scaled(believed).sparse,
            (1.0 - believed)[:, None] * pooled.coefficients + believed[:, None] * own.coefficients,
            own.dense,
        )
        norms = np.sqrt(
            np.maximum(effects.directions.sums(effects.directions, np.ones(products.audit.size)), 0.0)
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
        found = self._by_audit.products(other._by_audit, labels.steady)
        found += (self._found * (0.5 * labels.of_question)) @ other._found.T
        found += self._luck.products(other._luck, labels.chances)
        if self.between > 0 and other.between > 0:
            found += self._directions.products(other._directions, np.ones(labels.sampled))
        return found

    def variances(self) -> FloatArray:
        """Return the diagonal of their covariance, float[m]."""
        labels = self._labels
        found = self._by_audit.sums(self._by_audit, labels.steady)
        found = found + (self._found**2) @ (0.5 * labels.of_question)
        found = found + self._luck.sums(self._luck, labels.chances)
        return np.asarray(found + self._directions.sums(self._directions, np.ones(labels.sampled)))


@dataclass(frozen=True, eq=False)
class _Labels:
    """The products of labels, and what is found wrong in them.

    Attributes
    ----------
    chances : float[U]
        How likely each is wrong.
    of_others, steady : float[U]
        The variance of its estimated error over audits is c(1 − δ)² + (1 − c)δ², times (1 − ρ)/ρ: the second
        term, and the second with half of the first. For the rest those found wrong stand.
    wrong : int[W]
        Those that an audit found wrong.
    surprise : float[W]
        1 − δ of these.
    question : int[W]
        Which of the Q questions with such labels each is of.
    of_question : float[Q]
        (1 − ρ)/ρ².
    sampled : int
    """

    chances: FloatArray
    of_others: FloatArray
    steady: FloatArray
    wrong: IntArray
    surprise: FloatArray
    question: IntArray
    of_question: FloatArray
    sampled: int

    @classmethod
    def of(cls, products: Products) -> "_Labels":
        audit, likely, expected = products.audit, products.chances, products.expected
        wrong = np.flatnonzero(products.wrong)
        rho = audit.rho[products.instances]
        _, first, question = np.unique(
            audit.questions[products.instances[wrong]], return_index=True, return_inverse=True
        )
        of_wrong = rho[wrong][first]
        unsure = (1.0 - rho) / rho
        of_errors, of_others = likely * (1.0 - expected) ** 2, (1.0 - likely) * expected**2
        return cls(
            likely,
            of_others * unsure,
            (0.5 * of_errors + of_others) * unsure,
            wrong,
            1.0 - expected[wrong],
            question,
            (1.0 - of_wrong) / of_wrong**2,
            audit.size,
        )

    def by_question(self, rows: Rows) -> FloatArray:
        """Return what the errors found add by question, float[m, Q]."""
        found = rows.columns(self.wrong) * self.surprise
        summed = np.zeros((found.shape[0], self.of_question.size))
        np.add.at(summed.T, self.question, found.T)
        return summed


def _summed(system: IntArray, values: FloatArray, m: int) -> FloatArray:
    return np.bincount(system, values, minlength=m).astype(np.float64)


def _by_product(products: Products, weights: FloatArray) -> sparse.csr_array:
    """Return what Σ weight · f of each system gains if each product turns out wrong, [m, U]."""
    return products.by_unit.filled(weights * products.flips)


def _empty(rows: int, columns: int) -> sparse.csr_array:
    return sparse.csr_array((rows, columns))


def _groups(products: Products) -> FloatArray:
    """Return which products are 1, and which 0, float[2, U]."""
    right = products.labels == 1
    return np.stack([right, ~right]).astype(np.float64)
