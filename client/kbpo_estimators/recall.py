"""Recall from documents whose true relations are all known, alone or together with labelled predictions.

Relations of one document stand and fall together, so documents are the units that were sampled, and the
variance is that of documents. Resampling single relations instead covers .70 where .90 is claimed.
"""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from kbpo_estimators import _checks
from kbpo_estimators._checks import FloatArray
from kbpo_estimators.document_samples import DocumentSample

ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class RecallEstimate:
    """An estimated recall, and what other scores need of it.

    Attributes
    ----------
    estimate : float
        In [0, 1] from documents alone; with labelled predictions it may leave that range.
    variance_of_documents : float
        C(z, z).
    residuals : float[n]
        z for each exhaustive document, in the order of the arguments.
    sample : DocumentSample
        How those documents were drawn.
    documents : int
        Those with at least one true relation.
    variance_of_labels : float or None
        (α φ̂κ̂)² V̂(ν̂): 0 from documents alone; None where the labels show no variance (`ShareOfPool`).
    contributions : float[S]
        α φ̂κ̂ h for each instance of the pool's sample; empty where recall comes from documents alone.
    """

    estimate: float
    variance_of_documents: float
    residuals: FloatArray
    sample: DocumentSample
    documents: int
    variance_of_labels: float | None = 0.0
    contributions: FloatArray = field(default_factory=lambda: np.empty(0))

    @property
    def variance(self) -> float | None:
        """The sum of both variances: documents and labels are sampled independently."""
        if self.variance_of_labels is None:
            return None
        return self.variance_of_documents + self.variance_of_labels

    @property
    def degrees_of_freedom(self) -> int:
        """The documents with a true relation, less one."""
        return self.documents - 1

    @property
    def n_eff(self) -> float:
        """The documents with a true relation; infinite where they are a census and no labels are used."""
        exact = self.contributions.size == 0 and self.sample.is_census(self.residuals.size)
        return math.inf if exact else float(self.documents)


def document_recall(true: ArrayLike, found: ArrayLike, sample: DocumentSample) -> RecallEstimate | None:
    """Estimate recall from exhaustive documents alone: r̂ = Σg/Σt, weighted as they were drawn.

    A ratio: consistent rather than unbiased. The residuals are z = (g − r̂t)/t̄, the variance C(z, z).

    Parameters
    ----------
    true : int[n]
        t_d: the true relations of each document.
    found : int[n]
        g_d: those that the system finds; at most t_d.
    sample : DocumentSample
        How the n documents were drawn.

    Returns
    -------
    RecallEstimate or None
        None, not estimable, if no document has a true relation.

    Raises
    ------
    InvalidInput
        If lengths differ, a count is not a whole number, more is found than true, there are fewer than two
        documents, or more than the corpus has.

    Examples
    --------
    >>> from kbpo_estimators.document_samples import SimpleRandom
    >>> recall = document_recall([4, 0, 2, 2], [2, 0, 2, 0], SimpleRandom(8))
    >>> recall.estimate, recall.degrees_of_freedom
    (0.5, 2)
    """
    t = _checks.integers("true", true)
    g = _checks.integers("found", found, length=t.size)
    weights = sample.weights(t.size)
    if (g > t).any():
        position = int(np.argmax(g > t))
        _checks.refuse(
            "found",
            f"{g[position]} of {t[position]} true relations at position {position}; at most all can be",
        )
    total = float(weights @ t)
    if total == 0:
        return None
    estimate = float(weights @ g) / total
    residuals = (g - estimate * t) / (total / sample.population)
    # Where all documents have the same share only rounding is left; no interval must be built on that.
    residuals[np.abs(residuals) < ROUNDING] = 0.0
    return RecallEstimate(
        estimate=estimate,
        variance_of_documents=sample.covariance(residuals, residuals),
        residuals=residuals,
        sample=sample,
        documents=int((t > 0).sum()),
    )
