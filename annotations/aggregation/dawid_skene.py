"""Who is right, and how often each worker is: the model of Dawid and Skene (1979), fitted by EM.

An item has one unknown true class. Given it, votes are independent, and a worker's vote follows that worker's
own row of error rates. Neither the classes nor the error rates are known; each tells about the other.
"""

from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike

from annotations.aggregation import _checks
from annotations.aggregation._checks import FloatArray, IntArray

SMOOTHING = 20.0
"""Votes: what suits both workers who are alike and a fifth of them guessing, by simulation."""
TOLERANCE = 1e-6
MAX_ITERATIONS = 2000
MAX_CLASSES = 7
"""Classes are named by trying all orders: 5,040 of seven."""


@dataclass(frozen=True, slots=True, eq=False)
class DawidSkene:
    """A fitted model.

    Attributes
    ----------
    posteriors : float[n, K]
        T_ij, the probability that item i is of class j; rows sum to 1.
    prior : float[K]
        p_j, the share of the items in each class.
    confusion : float[W, K, K]
        π_jl of each worker: the probability of voting l where the class is j; rows sum to 1.
    iterations : int
    converged : bool
        Whether the last iteration moved no posterior by more than the tolerance.
    """

    posteriors: FloatArray
    prior: FloatArray
    confusion: FloatArray
    iterations: int
    converged: bool


def dawid_skene(
    items: ArrayLike,
    workers: ArrayLike,
    votes: ArrayLike,
    *,
    classes: int = 2,
    smoothing: float = SMOOTHING,
    tolerance: float = TOLERANCE,
    max_iterations: int = MAX_ITERATIONS,
) -> DawidSkene:
    """Estimate the items' classes and the workers' error rates from votes.

    With n_il the votes of a worker w for l on item i, each iteration sets

    - p_j = Σ_i T_ij / n, (1)
    - π_jl = (Σ_i T_ij n_il + s π̄_jl) / (Σ_l Σ_i T_ij n_il + s) for each worker, (2)
    - T_ij ∝ p_j Π_w Π_l π_jl^n_il, (3)

    from T_ij = the share of item i's votes that are for j: the soft majority, which also names the classes.
    With s = 0 these are equations (2.3) to (2.5) of the paper, and the fit is a maximum of the likelihood.
    s > 0 adds to each row of each worker s votes spread as π̄, the error rates of all workers taken together
    (to which one vote, spread evenly, is added, so that no cell is 0): a worker with few votes is thought to
    be like the others. That shrinkage is ours, the paper has none. Without it, 450 items with three votes
    each from 30 workers come out as biased as the majority; fewer votes than 20 leave more of that bias, more
    of them hide that some workers only guess.

    Where workers seem to be worse than chance the classes have changed their names, and are given those back
    under which the workers agree with them most.

    Parameters
    ----------
    items : int[V]
        For each vote, its item, from 0 to n − 1; every item has one.
    workers : int[V]
        Its worker, from 0 to W − 1.
    votes : int[V]
        What was voted, from 0 to `classes` − 1. A worker may vote on an item more than once, or not at all.
    classes : int
        K, from 2 to 7.
    smoothing : float
        s ≥ 0, in votes.
    tolerance : float
        Above 0; EM ends when no posterior has moved by more.
    max_iterations : int
        EM ends after so many, at least 1, converged or not.

    Returns
    -------
    DawidSkene

    Raises
    ------
    InvalidInput
        If an argument is out of its range, lengths differ, or an item has no vote.

    References
    ----------
    A. P. Dawid and A. M. Skene (1979), Maximum likelihood estimation of observer error-rates using the EM
    algorithm, Applied Statistics 28, 20-28.

    Examples
    --------
    Three workers agree on two items; on a third, one of them does not.

    >>> fit = dawid_skene([0, 0, 0, 1, 1, 1, 2, 2, 2], [0, 1, 2] * 3, [0, 0, 0, 1, 1, 1, 1, 1, 0])
    >>> fit.posteriors.argmax(axis=1).tolist()
    [0, 1, 1]
    """
    if not 2 <= classes <= MAX_CLASSES:
        _checks.refuse("classes", f"is {classes!r}; a whole number from 2 to {MAX_CLASSES} is needed")
    if not 0 <= smoothing < np.inf:
        _checks.refuse("smoothing", f"is {smoothing!r}; a finite number of at least 0 is needed")
    if not 0 < tolerance < 1:
        _checks.refuse("tolerance", f"is {tolerance!r}; a number between 0 and 1 is needed")
    if max_iterations < 1:
        _checks.refuse("max_iterations", f"is {max_iterations!r}; at least 1 is needed")
    item = _checks.integers("items", items)
    worker = _checks.integers("workers", workers, length=item.size)
    vote = _checks.integers("votes", votes, length=item.size, below=classes)
    if not item.size:
        _checks.refuse("items", "is empty; at least one vote is needed")
    alone = np.bincount(item) == 0
    if alone.any():
        _checks.refuse("items", f"item {int(np.argmax(alone))} has no vote; one is needed")
    return _fit(item, worker, vote, classes, smoothing, tolerance, max_iterations)


def _fit(
    item: IntArray,
    worker: IntArray,
    vote: IntArray,
    classes: int,
    smoothing: float,
    tolerance: float,
    max_iterations: int,
) -> DawidSkene:
    n, number = int(item.max()) + 1, int(worker.max()) + 1
    cell = worker * classes + vote

    def maximise(posteriors: FloatArray) -> tuple[FloatArray, FloatArray]:
        counts = np.empty((number, classes, classes))
        for true in range(classes):
            weights = posteriors[item, true]
            counts[:, true] = np.bincount(cell, weights, number * classes).reshape(number, classes)
        return posteriors.mean(axis=0), _rates(counts, smoothing)

    def expect(prior: FloatArray, confusion: FloatArray) -> FloatArray:
        score: FloatArray
        with np.errstate(divide="ignore"):
            score = np.repeat(np.log(prior)[None], n, axis=0)
            of_vote = np.log(confusion)[worker, :, vote]
        for true in range(classes):
            score[:, true] += np.bincount(item, of_vote[:, true], n)
        score = np.exp(score - score.max(axis=1, keepdims=True))
        score /= score.sum(axis=1, keepdims=True)
        return score

    posteriors = np.bincount(item * classes + vote, minlength=n * classes).reshape(n, classes).astype(float)
    posteriors /= posteriors.sum(axis=1, keepdims=True)
    converged = False
    iterations = 0
    while not converged and iterations < max_iterations:
        iterations += 1
        updated = expect(*maximise(posteriors))
        converged = bool(np.abs(updated - posteriors).max() <= tolerance)
        posteriors = updated
    posteriors = posteriors[:, _names(posteriors, item, vote)]
    prior, confusion = maximise(posteriors)
    return DawidSkene(posteriors, prior, confusion, iterations, converged)


def _rates(counts: FloatArray, smoothing: float) -> FloatArray:
    """Turn votes, workers x true x voted, into rates; a row without votes says what all workers say."""
    classes = counts.shape[1]
    together = counts.sum(axis=0) + 1.0 / classes
    together /= together.sum(axis=1, keepdims=True)
    smoothed = counts + smoothing * together
    totals = smoothed.sum(axis=2, keepdims=True)
    rates: FloatArray = np.where(totals > 0, smoothed / np.where(totals > 0, totals, 1.0), together)
    return rates


def _names(posteriors: FloatArray, item: IntArray, vote: IntArray) -> list[int]:
    """Return the order of the classes in which the pooled rates of right votes sum to most."""
    classes = posteriors.shape[1]
    counts = np.array([np.bincount(vote, posteriors[item, true], classes) for true in range(classes)])
    totals = counts.sum(axis=1, keepdims=True)
    rates = counts / np.where(totals > 0, totals, 1.0)
    # Ties keep the names that there are: the first permutation is the identity.
    best = max(permutations(range(classes)), key=lambda order: round(rates[list(order)].trace(), 9))
    return list(best)
