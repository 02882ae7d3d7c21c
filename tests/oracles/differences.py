"""Differences between two systems, paired on the labels and the documents that they share.

`kbpo_estimators.comparison.differences` computes those of all pairs of a pool together. Here all
contributions are over one pool's sample (`f1.PoolSample`).
"""

import numpy as np
from numpy.typing import ArrayLike

from kbpo_estimators import _checks
from kbpo_estimators.differences import Difference
from kbpo_estimators.f1 import Estimated, F1Estimate, PoolSample, SampledPrecision
from kbpo_estimators.recall import RecallEstimate


def precision_difference(
    first: SampledPrecision, first_pool: PoolSample, second: SampledPrecision, second_pool: PoolSample
) -> Difference:
    """Return P̂_1 − P̂_2 with V̂ = Σ_sample (1 − π)/π² (p_1 e_1 − p_2 e_2)².

    Parameters
    ----------
    first, second : PrecisionEstimate or DrawnPrecision
        Of one epoch. (Precisions of different epochs are independent: their variances add.)
    first_pool, second_pool : PoolSample
        Where each system's sample stands in the same pool's sample.

    Returns
    -------
    Difference

    Raises
    ------
    InvalidInput
        If the two pools' samples differ.
    """
    _refuse_other_pool(first_pool, second_pool)
    placed = first_pool.placed(first.contributions) - second_pool.placed(second.contributions)
    return _difference(first, second, first_pool.variance(placed), None)


def recall_difference(
    first: RecallEstimate, second: RecallEstimate, weights: ArrayLike | None = None
) -> Difference:
    """Return R̂_1 − R̂_2, paired on the documents, and on the labels where both use them.

    Parameters
    ----------
    first, second : RecallEstimate
        From the same documents, in the same order.
    weights : float[S], optional
        Those of `PoolSample`; needed where labelled predictions are used.

    Returns
    -------
    Difference

    Raises
    ------
    InvalidInput
        If the two come from other documents, or the weights are missing or of another length.
    """
    _refuse_other_documents(first, second)
    z = first.residuals - second.residuals
    variance = first.sample.covariance(z, z)
    if first.contributions.size or second.contributions.size:
        if weights is None:
            _checks.refuse("weights", "are missing; recall from labelled predictions needs the pool's")
        w = _checks.vector("weights", weights)
        placed = np.zeros(w.size)
        for sign, one in ((1.0, first), (-1.0, second)):
            if one.contributions.size:
                _checks.same_length("weights", w.size, one.contributions.size)
                placed += sign * one.contributions
        variance += float((w * placed**2).sum())
    return _difference(first, second, variance, first.degrees_of_freedom)


def f1_difference(first: F1Estimate, second: F1Estimate) -> Difference:
    """Return F̂_1 − F̂_2, paired on instances and documents.

    Parameters
    ----------
    first, second : F1Estimate
        Each made with its `PoolSample`, from the same pool's sample and the same documents.

    Returns
    -------
    Difference

    Raises
    ------
    InvalidInput
        If one was made without its pool's sample, or they come from other samples or documents.
    """
    _refuse_other_documents(first.recall, second.recall)
    if first.pool is None or second.pool is None:
        _checks.refuse("pool", "is missing from an F1; it must be made with its pool's sample to be compared")
    _refuse_other_pool(first.pool, second.pool)
    z = first.residuals - second.residuals
    variance = first.pool.variance(first.contributions - second.contributions)
    variance += first.recall.sample.covariance(z, z)
    return _difference(first, second, variance, first.degrees_of_freedom)


def _difference(
    first: Estimated, second: Estimated, variance: float, degrees_of_freedom: int | None
) -> Difference:
    seen = first.variance is not None and second.variance is not None
    return Difference(first.estimate - second.estimate, variance if seen else None, degrees_of_freedom)


def _refuse_other_pool(first: PoolSample, second: PoolSample) -> None:
    if not np.array_equal(first.weights, second.weights):
        _checks.refuse("second", "comes from another pool's sample than the first; one for both is needed")


def _refuse_other_documents(first: RecallEstimate, second: RecallEstimate) -> None:
    same = first.sample is second.sample or first.sample == second.sample
    if not same or first.residuals.size != second.residuals.size:
        _checks.refuse("second", "comes from other documents than the first; the same are needed")
