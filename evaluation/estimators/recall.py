"""Recall from documents whose true relations are all known.

Relations of one document stand and fall together, so documents are the units that were sampled, and the
variance is that of documents. Resampling single relations instead covers .73 where .90 is claimed.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from evaluation.estimators import _checks
from evaluation.estimators._checks import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class RecallEstimate:
    """An estimated recall, and what other scores need of it.

    Attributes
    ----------
    estimate : float
    variance : float
    residuals : float[n]
        z_d for each sampled document, in the order of the arguments; differences and F1 combine these.
    n : int
        The sampled documents.
    population : int
        N: the corpus' documents.
    documents : int
        The sampled documents with at least one true relation.
    """

    estimate: float
    variance: float
    residuals: FloatArray
    n: int
    population: int
    documents: int

    @property
    def degrees_of_freedom(self) -> int:
        """The documents with a true relation, less one."""
        return self.documents - 1

    @property
    def n_eff(self) -> float:
        """The documents with a true relation; infinite at a census, which leaves nothing to chance."""
        return math.inf if self.n == self.population else float(self.documents)


def document_covariance(a: ArrayLike, b: ArrayLike, population: int) -> float:
    """Return C(a, b) = (1 − n/N) Σab / (n(n − 1)): the covariance of two means over sampled documents.

    Parameters
    ----------
    a, b : float[n]
        Residuals by document, of a simple random sample without replacement; their means are zero.
    population : int
        N: the corpus' documents, at least n.

    Returns
    -------
    float

    Raises
    ------
    InvalidInput
        If lengths differ, there are fewer than two documents, or N is below n.
    """
    first = _checks.vector("a", a)
    second = _checks.vector("b", b, first.size)
    n = first.size
    _refuse_sizes("a", n, population)
    return float((1.0 - n / population) * (first * second).sum() / (n * (n - 1)))


def document_recall(true: ArrayLike, found: ArrayLike, population: int) -> RecallEstimate | None:
    """Estimate recall from a simple random sample of n of N documents: r̂ = Σg/Σt.

    A ratio: consistent rather than unbiased. The residuals are z = (g − r̂t)/t̄, the variance C(z, z).

    Parameters
    ----------
    true : int[n]
        t_d: the true relations of each document.
    found : int[n]
        g_d: those that the system finds; at most t_d.
    population : int
        N: the corpus' documents, at least n.

    Returns
    -------
    RecallEstimate or None
        None, not estimable, if no document has a true relation.

    Raises
    ------
    InvalidInput
        If lengths differ, a count is not a whole number, more is found than true, there are fewer than two
        documents, or N is below n.

    Examples
    --------
    >>> recall = document_recall([4, 0, 2, 2], [2, 0, 2, 0], population=8)
    >>> recall.estimate, recall.degrees_of_freedom
    (0.5, 2)
    """
    t = _checks.integers("true", true)
    g = _checks.integers("found", found, length=t.size)
    _refuse_sizes("true", t.size, population)
    if (g > t).any():
        position = int(np.argmax(g > t))
        _checks.refuse(
            "found",
            f"{g[position]} of {t[position]} true relations at position {position}; at most all can be",
        )
    if t.sum() == 0:
        return None
    estimate = float(g.sum() / t.sum())
    residuals = (g - estimate * t) / t.mean()
    return RecallEstimate(
        estimate=estimate,
        variance=document_covariance(residuals, residuals, population),
        residuals=residuals,
        n=t.size,
        population=int(population),
        documents=int((t > 0).sum()),
    )


def _refuse_sizes(argument: str, n: int, population: int) -> None:
    if n < 2:
        _checks.refuse(argument, f"has {n} documents; a variance needs at least two")
    if _checks.whole("population", population, 1) < n:
        _checks.refuse("population", f"is {population}; at least the {n} sampled documents are needed")
