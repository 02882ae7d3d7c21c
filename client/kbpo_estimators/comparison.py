"""Comparing systems by precision, recall and F1: how the estimates of an epoch vary together.

The functions of `differences` work on what each sampled instance and each document contributes to one pair.
Here the instances are summed over once, when scores are made: what is left is small enough to be stored, and
enough for all pairs.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from kbpo_estimators import _checks
from kbpo_estimators._checks import FloatArray, IntArray
from kbpo_estimators.differences import Differences
from kbpo_estimators.document_samples import DocumentSample, SimpleRandom
from kbpo_estimators.f1 import PoolSample
from kbpo_estimators.intervals import PrecisionShare
from kbpo_estimators.judging.rows import is_full
from kbpo_estimators.recall import RecallEstimate
from kbpo_estimators.scores import Estimates
from kbpo_estimators.turnover import shared_covariance

MEASURES = ("precision", "recall", "f1")

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Comparable:
    """The estimates of one epoch's m systems under one choice, and how they vary together.

    Attributes
    ----------
    precision, recall : float[m]
        The estimates, clipped to [0, 1]; NaN for a recall that is not estimable.
    precision_covariance : float[m, m]
        Over the sampled instances; NaN where no variance can be seen.
    recall_covariance : float[m, m]
        Over the sampled instances; 0 where recall comes from documents alone.
    cross_covariance : float[m, m]
        Of the precision of a row's system with the recall of a column's, over the sampled instances.
    residuals : float[m, d]
        z of recall for each exhaustive document.
    documents : int
        Those of them with a true relation.
    """

    precision: FloatArray
    recall: FloatArray
    precision_covariance: FloatArray
    recall_covariance: FloatArray
    cross_covariance: FloatArray
    residuals: FloatArray
    documents: int

    def take(self, places: Sequence[int]) -> "Comparable":
        """Return some of the systems."""
        chosen, pairs = list(places), np.ix_(places, places)
        return Comparable(
            self.precision[chosen],
            self.recall[chosen],
            self.precision_covariance[pairs],
            self.recall_covariance[pairs],
            self.cross_covariance[pairs],
            self.residuals[chosen],
            self.documents,
        )

    def estimate(self, measure: str) -> FloatArray:
        """Return one measure of all systems (float[m]), NaN where it is not estimable."""
        if measure == "precision":
            return self.precision
        if measure == "recall":
            return self.recall
        total = self.precision + self.recall
        product = 2.0 * self.precision * self.recall
        return np.divide(product, total, out=np.where(np.isnan(total), np.nan, 0.0), where=total > 0)

    def slopes(self, measure: str) -> tuple[FloatArray, FloatArray]:
        """Return how a measure moves with precision and with recall (float[m] each)."""
        ones, zeros = np.ones(self.precision.size), np.zeros(self.precision.size)
        if measure == "precision":
            return ones, zeros
        if measure == "recall":
            return zeros, ones
        total = self.precision + self.recall
        by_precision = np.divide(self.recall, total, out=zeros.copy(), where=total > 0)
        by_recall = np.divide(self.precision, total, out=zeros.copy(), where=total > 0)
        return 2.0 * by_precision**2, 2.0 * by_recall**2


def comparables(estimates: Estimates) -> Iterator[tuple[str, str, Comparable]]:
    """Sum up what the estimates of one part share.

    Parameters
    ----------
    estimates : Estimates

    Yields
    ------
    estimator, weighting : str
        A key of `Estimates.precision`.
    Comparable
    """
    placed: dict[int, tuple[Any, FloatArray]] = {}  # estimators may share their precision
    recalls: dict[int, _Recalls] = {}  # weightings may share their recall
    none: list[RecallEstimate | None] = [None] * max(map(len, estimates.precision.values()), default=0)
    for (estimator, weighting), precision in estimates.precision.items():
        if id(precision) not in placed:
            placed[id(precision)] = _of_precision(precision, estimates.pools[estimator])
        contributions, precision_covariance = placed[id(precision)]
        recalled = estimates.recall.get((estimator, weighting), none)
        if id(recalled) not in recalls:
            recalls[id(recalled)] = _of_recall(recalled, estimates.pools[estimator])
        recall = recalls[id(recalled)]
        yield (
            estimator,
            weighting,
            Comparable(
                precision=np.array([_clipped(one.estimate) for one in precision]),
                recall=recall.estimates,
                precision_covariance=precision_covariance,
                recall_covariance=recall.covariance,
                cross_covariance=np.zeros_like(precision_covariance)
                if recall.contributions is None
                else contributions @ recall.contributions,
                residuals=recall.residuals,
                documents=recall.documents,
            ),
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Recalls:
    estimates: FloatArray
    covariance: FloatArray
    contributions: FloatArray | None  # [S, m]
    residuals: FloatArray
    documents: int


def _of_precision(precision: Sequence[PrecisionShare], pools: Sequence[PoolSample]) -> tuple[Any, FloatArray]:
    """Return the scaled contributions, [m, S], and their covariance.

    They are sparse where systems have little of the pool's sample, or are too many to be written out.
    """
    scale = np.sqrt(pools[0].weights)
    places, values = [], []
    for pool, one in zip(pools, precision, strict=True):
        position = np.asarray(pool.positions)
        places.append(position[position >= 0])
        values.append(scale[places[-1]] * one.contributions[position >= 0])
    ends = np.cumsum([0, *(place.size for place in places)])
    placed: Any = sparse.csr_array(
        (np.concatenate(values), np.concatenate(places), ends), shape=(len(pools), scale.size)
    )
    if is_full(placed):
        placed = placed.toarray()
        return placed, _hidden(placed @ placed.T, [one.variance is None for one in precision])
    return placed, _hidden((placed @ placed.T).toarray(), [one.variance is None for one in precision])


def _of_recall(recalls: Sequence[RecallEstimate | None], pools: Sequence[PoolSample]) -> _Recalls:
    m, scale = len(pools), np.sqrt(pools[0].weights)
    seen = [one for one in recalls if one is not None]
    size = seen[0].residuals.size if seen else 0
    placed = None
    covariance = np.zeros((m, m))
    if any(one.contributions.size for one in seen):
        placed = np.zeros((m, scale.size))
        for system, one in enumerate(recalls):
            if one is not None and one.contributions.size:
                placed[system] = scale * one.contributions
        unseen = [one is not None and one.variance is None for one in recalls]
        covariance = _hidden(placed @ placed.T, unseen)
    return _Recalls(
        estimates=np.array([np.nan if one is None else _clipped(one.estimate) for one in recalls]),
        covariance=covariance,
        contributions=None if placed is None else np.ascontiguousarray(placed.T),
        residuals=np.array([np.zeros(size) if one is None else one.residuals for one in recalls]).reshape(
            m, size
        ),
        documents=seen[0].documents if seen else 0,
    )


def _hidden(covariance: FloatArray, unseen: Sequence[bool]) -> FloatArray:
    """Leave out what no variance can be seen of."""
    hidden = np.array(unseen)
    covariance[hidden, :] = covariance[:, hidden] = np.nan
    return covariance


@dataclass(frozen=True, slots=True, eq=False)
class OtherDocuments:
    """The documents that the recall of a second epoch rests on, where they are not those of the first.

    Attributes
    ----------
    sample : DocumentSample
        How they were drawn.
    here, there : int[c]
        The columns, in the residuals of the first epoch and of the second, of documents that both have.
    """

    sample: DocumentSample
    here: IntArray
    there: IntArray


def differences(
    first: Comparable,
    second: Comparable,
    measure: str,
    sample: DocumentSample | None,
    other: OtherDocuments | None = None,
) -> Differences:
    """Return how much more each system has of a measure than each system of an epoch.

    Within an epoch (`second` is `first`) they are paired on the sampled instances and on the documents. The
    instances of different epochs are sampled independently; of the documents they are paired on those that
    both have.

    Parameters
    ----------
    first, second : Comparable
    measure : {"precision", "recall", "f1"}
    sample : DocumentSample or None
        How the exhaustive documents were drawn; None if there are none.
    other : OtherDocuments or None
        Those of `second`; None if they are the same.

    Returns
    -------
    Differences
        NaN, not estimable, if one of the two measures is, and for all pairs if recall of the two epochs comes
        from other documents than the sample's: those systems are about to be scored again.
    """
    if measure not in MEASURES:
        _checks.refuse("measure", f"is {measure!r}; one of {', '.join(MEASURES)} is needed")
    documents = first.documents if other is None else min(first.documents, second.documents)
    degrees = None if measure == "precision" else documents - 1
    if measure != "precision" and not _are_of(first, second, sample, other):
        own, others = np.full(first.precision.size, np.nan), np.full(second.precision.size, np.nan)
        none = np.full((own.size, others.size), np.nan)
        return Differences(none, none, own, others, degrees)
    (a1, b1), (a2, b2) = first.slopes(measure), second.slopes(measure)
    own, others = _quadratics(first, a1, b1), _quadratics(second, a2, b2)
    shared = np.zeros((own.size, others.size))
    if second is first:
        if measure != "precision":  # whose variance does not hang on recall's, which may not be seen
            shared = np.outer(b1, b1) * first.recall_covariance
        if measure != "recall":
            shared = shared + np.outer(a1, a1) * first.precision_covariance
        if measure == "f1":
            crossed = np.outer(a1, b1) * first.cross_covariance
            shared = shared + crossed + crossed.T
    variances = _of_differences(own, others, shared)
    if measure != "precision" and sample is not None:
        z1, z2 = b1[:, None] * first.residuals, b2[:, None] * second.residuals
        variances = variances + _over_documents(sample, z1, other, z2)
        own = own + z1**2 @ sample.factors(z1.shape[1])
        others = others + z2**2 @ (other.sample if other else sample).factors(z2.shape[1])
    gaps = first.estimate(measure)[:, None] - second.estimate(measure)[None, :]
    return Differences(gaps, variances, own, others, degrees)


def _of_differences(own: FloatArray, others: FloatArray, shared: FloatArray) -> FloatArray:
    """Return the variances of all differences; what only rounding tells from 0 is 0."""
    sums = own[:, None] + others[None, :]
    variances = sums - 2.0 * shared
    variances[variances < _ROUNDING * sums] = 0.0
    return variances


def _are_of(
    first: Comparable, second: Comparable, sample: DocumentSample | None, other: OtherDocuments | None
) -> bool:
    """Say whether the recall of two epochs comes from the documents that they are said to have."""
    size, size_there = first.residuals.shape[1], second.residuals.shape[1]
    if sample is None or min(size, size_there) < 2 or not sample.fits(size):
        return False
    if other is None:
        return bool(size == size_there)
    known = bool((other.here < size).all() and (other.there < size_there).all())
    return known and other.sample.fits(size_there)


def _over_documents(
    sample: DocumentSample, z1: FloatArray, other: OtherDocuments | None, z2: FloatArray
) -> FloatArray:
    """Return the variances of differences over the documents, float[k, l].

    Two simple random samples of which one came from the other by `turnover` covary through the documents that
    both have. S_ab comes by way of the correlation over those, so that no variance falls below 0. Samples in
    two phases are taken to be independent: the one was drawn from what the other left.
    """
    n1, n2 = z1.shape[1], z2.shape[1]
    factors = sample.factors(n1)
    if other is None:
        return _of_differences(z1**2 @ factors, z2**2 @ factors, (z1 * factors) @ z2.T)
    own, others = z1**2 @ factors, z2**2 @ other.sample.factors(n2)
    if not (isinstance(sample, SimpleRandom) and isinstance(other.sample, SimpleRandom)):
        return np.asarray(own[:, None] + others[None, :])
    population = max(sample.population, other.sample.population)
    spread = math.sqrt((1 / n1 - 1 / sample.population) * (1 / n2 - 1 / other.sample.population))
    share = shared_covariance(other.here.size, n1, n2, population) / (spread or 1.0)
    a, b = z1[:, other.here], z2[:, other.there]
    norms = np.sqrt(np.outer((a**2).sum(axis=1), (b**2).sum(axis=1)))
    correlation = np.divide(a @ b.T, norms, out=np.zeros(norms.shape), where=norms > 0)
    return _of_differences(own, others, min(share, 1.0) * correlation * np.sqrt(np.outer(own, others)))


def _quadratics(one: Comparable, a: FloatArray, b: FloatArray) -> FloatArray:
    """Return for each system the variance over the sampled instances of a · precision + b · recall."""

    def term(factor: FloatArray, covariance: FloatArray) -> FloatArray:
        # What does not count may be NaN.
        return np.multiply(factor, np.diagonal(covariance), out=np.zeros(factor.size), where=factor != 0)

    return (
        term(a**2, one.precision_covariance)
        + term(2.0 * a * b, one.cross_covariance)
        + term(b**2, one.recall_covariance)
    )


def _clipped(value: float) -> float:
    return min(1.0, max(0.0, value))
