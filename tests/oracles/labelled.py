"""Recall of one system from labelled predictions, and its planned weight.

`kbpo_estimators.labelled` computes both under any weighting and for all systems of a pool.
"""

import numpy as np
from numpy.typing import ArrayLike

from kbpo_estimators import _checks
from kbpo_estimators.document_samples import DocumentSample
from kbpo_estimators.labelled import (
    PLANNED_CORRECT,
    ShareOfPool,
    _alpha,
    _refuse_more,
    weighted_labelled_recall,
)
from kbpo_estimators.recall import RecallEstimate, document_recall


def labelled_recall(
    share: ShareOfPool | None,
    true: ArrayLike,
    pool_correct: ArrayLike,
    own_correct: ArrayLike,
    found: ArrayLike,
    sample: DocumentSample,
) -> RecallEstimate | None:
    """Estimate recall from labelled predictions: R̂_J = φ̂ ν̂ κ̂, φ̂ = Σa_pool/Σt, κ̂ = Σg/Σa.

    z_J = ν̂κ̂(a_pool − φ̂t)/t̄ + ν̂φ̂(g − κ̂a)/ā, V̂ = C(z_J, z_J) + (φ̂κ̂)² V̂(ν̂).

    Parameters
    ----------
    share : ShareOfPool or None
        ν̂. The pool is the same for it and for `pool_correct`.
    true : int[n]
        t_d: the true relations of each exhaustive document.
    pool_correct, own_correct : int[n]
        a_pool,d and a_d: the instances of the pool and of the system that match a true relation there,
        whatever their sampled labels.
    found : int[n]
        g_d: the true relations that the system finds.
    sample : DocumentSample
        How the documents were drawn.

    Returns
    -------
    RecallEstimate or None
        None, not estimable, if the share is not, no document has a true relation, or the system has no
        correct instance in any.

    Raises
    ------
    InvalidInput
        If lengths differ, a count is not a whole number, the system has more correct instances than the
        pool, or it finds more than is true, or something without a correct instance.
    """
    t = _checks.integers("true", true)
    a_pool = _checks.integers("pool_correct", pool_correct, length=t.size)
    a = _checks.integers("own_correct", own_correct, length=t.size)
    g = _checks.integers("found", found, length=t.size)
    _refuse_more("own_correct", a, a_pool, "pool_correct")
    _refuse_more("found", g, t, "true")
    _refuse_more("found", np.minimum(g, 1), a, "own_correct")
    return weighted_labelled_recall(share, document_recall(t, g, sample), a_pool, a)


def planned_alpha(teams: ArrayLike, own: ArrayLike, pi: ArrayLike, documents: int, population: int) -> float:
    """Return how much weight recall from labelled predictions gets beside that from documents alone.

    α = (V_s − C_sJ)/(V_s − 2C_sJ + V_J), clipped to [0, 1], from planning values: never from the labels at
    hand, which would bias what they weigh.

    Parameters
    ----------
    teams : int[N]
        For each instance of the pool, how many teams have it; at least 1.
    own : bool[N]
        Whether the system predicts it.
    pi : float[N]
        π_B, in (0, 1].
    documents, population : int
        n exhaustive documents (planned) of N.

    Returns
    -------
    float
        In [0, 1]; 0 at a census of the documents.

    Raises
    ------
    InvalidInput
        If the pool or the system is empty, lengths differ, or a value is out of range.
    """
    pi = _checks.probabilities("pi", pi)
    _checks.not_empty("pi", pi.size)
    mine = _checks.flags("own", own, pi.size)
    if not mine.any():
        _checks.refuse("own", "is all false; a system with at least one instance is needed")
    count = _checks.integers("teams", teams, length=pi.size, low=1)
    n, population = _checks.whole("documents", documents, 1), _checks.whole("population", population, 1)
    f = np.array(PLANNED_CORRECT)[np.minimum(count, len(PLANNED_CORRECT)) - 1]
    total = f.sum()
    nu = float(f[mine].sum() / total)
    spread = float((f * (1.0 / pi - 1.0) * (mine - nu) ** 2).sum() / total**2)
    return _alpha(nu, spread, n, population)
