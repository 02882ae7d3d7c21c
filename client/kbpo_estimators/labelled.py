"""Recall from labelled predictions, and from both them and the exhaustive documents.

R̂_J = φ̂ ν̂ κ̂: the pool's correct instances for each true relation (φ̂, from the exhaustive documents), the
system's share of those instances (ν̂, from labelled predictions), and the true relations that it finds for
each correct instance of its own (κ̂, from the documents). Where matching is one-to-one this is the product of
the pool's recall and the system's share in Chaganty et al. (2017); with several instances for one relation
theirs is .75 to .82 of the truth.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from kbpo_estimators import _checks
from kbpo_estimators._checks import BoolArray, FloatArray, IntArray
from kbpo_estimators.coordinated import variance_weights
from kbpo_estimators.recall import RecallEstimate

PLANNED_CORRECT = (0.2, 0.45, 0.7)
"""f̃: how likely an instance is correct that one, two, three or more teams have."""
PLANNED_POOL_RECALL = 0.75
PLANNED_DENSITY = 9.2
"""t̃: true relations a document, for every corpus."""


@dataclass(frozen=True, slots=True, eq=False)
class ShareOfPool:
    """A system's share of the pool's correct instances.

    Attributes
    ----------
    estimate : float
        ν̂, in [0, 1].
    variance : float or None
        None where a system has a single draw (design `iid`).
    contributions : float[S]
        h = (f_i − ν̂f)/T̂ for each instance of the pool's sample, or for each draw.
    """

    estimate: float
    variance: float | None
    contributions: FloatArray


def share_of_pool(pi: ArrayLike, correct: ArrayLike, own_correct: ArrayLike) -> ShareOfPool | None:
    """Estimate a system's share of the pool's correct instances from a coordinated sample.

    ν̂ = Σ(f_i/π) / Σ(f/π) over the pool's sample; V̂ = Σ (1 − π)/π² h².

    Parameters
    ----------
    pi : float[S]
        The inclusion probabilities π_B of the pool's sample, in (0, 1].
    correct : float[S]
        f = max_j f_j over the pool's systems, 0 or 1.
    own_correct : float[S]
        f_i, 0 or 1, at most f; 0 where the system does not predict the instance.

    Returns
    -------
    ShareOfPool or None
        None, not estimable, if nothing in the sample is correct.

    Raises
    ------
    InvalidInput
        If lengths differ, a value is out of range, or f_i exceeds f.
    """
    pi = _checks.probabilities("pi", pi)
    f = _checks.labels("correct", correct, pi.size)
    own = _checks.labels("own_correct", own_correct, pi.size)
    _refuse_more("own_correct", own, f, "correct")
    total = float((f / pi).sum())
    if total == 0:
        return None
    share = float((own / pi).sum()) / total
    h = (own - share * f) / total
    return ShareOfPool(share, float((variance_weights(pi) * h**2).sum()), h)


def weighted_labelled_recall(
    share: ShareOfPool | None,
    of_documents: RecallEstimate | None,
    pool_correct: ArrayLike,
    own_correct: ArrayLike,
) -> RecallEstimate | None:
    """Estimate recall from labelled predictions under any weighting: R̂_J = r̂ ν̂ Σa_pool/Σa.

    Under `instance` that is φ̂ν̂κ̂, with φ̂κ̂ = r̂ Σa_pool/Σa. Where labels and documents agree, ν is
    Σa/Σa_pool of the whole corpus: it corrects r̂ by how far the exhaustive documents fall short of that,
    whatever true relations weigh in r̂. z_J = ν̂ (Σa_pool/Σa) z + R̂_J (a_pool/ā_pool − a/ā).

    Parameters
    ----------
    share : ShareOfPool or None
        ν̂.
    of_documents : RecallEstimate or None
        r̂: the recall from documents alone, under the weighting.
    pool_correct, own_correct : int[n]
        a_pool,d and a_d: the instances of the pool and of the system that match a true relation in each
        exhaustive document, whatever their sampled labels.

    Returns
    -------
    RecallEstimate or None
        None, not estimable, if one of the two is not, or the system has no correct instance in any document.
    """
    if share is None or of_documents is None:
        return None
    sample = of_documents.sample
    a_pool = _checks.vector("pool_correct", pool_correct, of_documents.residuals.size)
    a = _checks.vector("own_correct", own_correct, a_pool.size)
    weights = sample.weights(a.size)
    if not weights @ a > 0:
        return None
    mean_pool, mean = weights @ a_pool / sample.population, weights @ a / sample.population
    return labelled_recall_by_ratio(
        share, of_documents, float(mean_pool / mean), a_pool / mean_pool - a / mean
    )


def labelled_recall_by_ratio(
    share: ShareOfPool | None, of_documents: RecallEstimate | None, ratio: float, spread: FloatArray
) -> RecallEstimate | None:
    """Return what `weighted_labelled_recall` does, from what it takes from the counts.

    Parameters
    ----------
    share : ShareOfPool or None
    of_documents : RecallEstimate or None
    ratio : float
        Σa_pool/Σa.
    spread : float[n]
        a_pool/ā_pool − a/ā, in the terms of the residuals of `of_documents`.
    """
    if share is None or of_documents is None:
        return None
    sample = of_documents.sample
    estimate = of_documents.estimate * share.estimate * ratio
    z = share.estimate * ratio * of_documents.residuals + estimate * spread
    slope = of_documents.estimate * ratio
    return replace(
        of_documents,
        estimate=estimate,
        variance_of_documents=sample.covariance(z, z),
        variance_of_labels=None if share.variance is None else slope**2 * share.variance,
        residuals=z,
        contributions=slope * share.contributions,
    )


def planned_alphas(
    systems: Sequence[IntArray],
    teams: Sequence[int],
    pi: ArrayLike,
    documents: int,
    population: int,
    outside: BoolArray | None = None,
) -> list[float]:
    """Return how much weight each system's recall from labelled predictions gets beside that from documents.

    α = (V_s − C_sJ)/(V_s − 2C_sJ + V_J), clipped to [0, 1], from planning values: never from the labels at
    hand, which would bias what they weigh.

    Parameters
    ----------
    systems : sequence of int[n_i], length m
        The positions in the pool of each system's instances.
    teams : sequence of int, length m
        Which team's each system is.
    pi : float[N]
        π_B, in (0, 1].
    documents, population : int
        n exhaustive documents (planned) of N.
    outside : bool[N], optional
        The instances in documents that recall is not about: they count as little as what is wrong.

    Returns
    -------
    list of float, length m
        In [0, 1]; 0 at a census of the documents, and for a system all of whose instances are outside.

    Raises
    ------
    InvalidInput
        If a system is empty, or a value is out of range.
    """
    pi = _checks.probabilities("pi", pi)
    n, population = _checks.whole("documents", documents, 1), _checks.whole("population", population, 1)
    count = np.zeros(pi.size, dtype=np.int64)
    for team in dict.fromkeys(teams):
        theirs = np.zeros(pi.size, dtype=np.bool_)
        for rows, of_team in zip(systems, teams, strict=True):
            if of_team == team:
                theirs[rows] = True
        count += theirs
    _checks.integers("teams", count, low=1)
    planned = np.array([0.0, *PLANNED_CORRECT])
    kind = np.minimum(count, len(PLANNED_CORRECT))
    if outside is not None:
        kind[_checks.flags("outside", outside, pi.size)] = 0
    uncertain = planned[kind] * (1.0 / pi - 1.0)
    # Counts, and sums of what is sorted: the order of a pool's instances cannot matter.
    total = float(np.bincount(kind, minlength=planned.size) @ planned)
    of_pool = float(np.sort(uncertain).sum())
    alphas = []
    for rows in systems:
        _checks.not_empty("systems", rows.size)
        if total == 0:
            alphas.append(0.0)
            continue
        nu = float(np.bincount(kind[rows], minlength=planned.size) @ planned) / total
        own = float(np.sort(uncertain[rows]).sum())
        spread = (own * (1.0 - nu) ** 2 + max(0.0, of_pool - own) * nu**2) / total**2
        alphas.append(_alpha(nu, spread, n, population))
    return alphas


def _alpha(nu: float, spread_of_labels: float, n: int, population: int) -> float:
    """Return α from ν̃ and Σ_pool f̃ (1/π − 1)(1[x∈X_i] − ν̃)²/T̃²."""
    if n > population:
        _checks.refuse("documents", f"is {n}; there are only {population} documents")
    theta = PLANNED_POOL_RECALL
    k = 2.0 * (1.0 - n / population) / (n * PLANNED_DENSITY)
    of_documents = k * theta * nu * (1.0 - theta * nu)
    shared = k * nu**2 * theta * (1.0 - theta)
    of_labels = shared + theta**2 * spread_of_labels
    spread = of_documents - 2.0 * shared + of_labels
    return min(1.0, max(0.0, (of_documents - shared) / spread)) if spread > 0 else 0.0


def both(
    from_documents: RecallEstimate | None, from_labels: RecallEstimate | None, alpha: float
) -> RecallEstimate | None:
    """Combine the two: R̂ = (1 − α) r̂_s + α R̂_J.

    Parameters
    ----------
    from_documents : RecallEstimate or None
        As `recall.document_recall` returns it.
    from_labels : RecallEstimate or None
        As `weighted_labelled_recall` returns it, on the same documents. If it is not estimable, α is 0.
    alpha : float
        In [0, 1], as `planned_alphas` returns it.

    Returns
    -------
    RecallEstimate or None
        None, not estimable, if recall from documents is not.

    Raises
    ------
    InvalidInput
        If α is out of range, or the two do not come from the same documents.
    """
    if not 0 <= alpha <= 1:
        _checks.refuse("alpha", f"is {alpha!r}; a number in [0, 1] is needed")
    if from_documents is None or from_labels is None or alpha == 0:
        return from_documents
    if from_labels.sample is not from_documents.sample and from_labels.sample != from_documents.sample:
        _checks.refuse("from_labels", "comes from other documents than from_documents; the same are needed")
    _checks.same_length("from_labels", from_labels.residuals.size, from_documents.residuals.size)
    z = (1.0 - alpha) * from_documents.residuals + alpha * from_labels.residuals
    return replace(
        from_labels,
        estimate=(1.0 - alpha) * from_documents.estimate + alpha * from_labels.estimate,
        variance_of_documents=from_documents.sample.covariance(z, z),
        variance_of_labels=None
        if from_labels.variance_of_labels is None
        else alpha**2 * from_labels.variance_of_labels,
        residuals=z,
        contributions=alpha * from_labels.contributions,
    )


def _refuse_more(
    argument: str, values: FloatArray | IntArray, most: FloatArray | IntArray, other: str
) -> None:
    if (values > most).any():
        position = int(np.argmax(values > most))
        _checks.refuse(
            argument,
            f"{values[position]} at position {position} exceeds {other}, {most[position]}; it must not",
        )
