"""Recall in which true relations weigh as a system's claims do: macro-averages over relations and subjects.

The weight v of a true relation is made of counts in the documents at hand, each document counted for as many
as it stands for: R̂ = Σ w v g / Σ w v. So one more document moves the weights too, and may bring in a subject
or a relation that no other has. What it moves in all is seen by leaving it out: its residual.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from kbpo_estimators import _checks
from kbpo_estimators._checks import BoolArray, FloatArray, IntArray
from kbpo_estimators.document_samples import DocumentSample
from kbpo_estimators.recall import ROUNDING, RecallEstimate

MICRO = "instance"
"""Under which all true relations weigh alike, as in `recall.document_recall`."""

WEIGHTED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        MICRO: (),
        "subject": ("subject",),
        "relation": ("predicate",),
        "subject_relation": ("subject", "predicate"),
    }
)
"""By weighting, whose numbers of true relations divide the weight of one."""

_BLOCK = 256
"""Documents whose absence is looked at together."""


@dataclass(frozen=True, slots=True, eq=False)
class TrueRelations:
    """The T true relations of the exhaustive documents, as numbers.

    Attributes
    ----------
    documents : int
        d, the exhaustive ones.
    document : int[T]
        In which of them each stands.
    subject, predicate, object : int[T]
        From 0: the same number for the same key.
    """

    documents: int
    document: IntArray
    subject: IntArray
    predicate: IntArray
    object: IntArray

    def take(self, columns: IntArray) -> tuple["TrueRelations", IntArray]:
        """Return those of some of the documents, and which they are (int)."""
        place = np.full(self.documents, -1)
        place[columns] = np.arange(columns.size)
        kept = np.flatnonzero(place[self.document] >= 0)
        of_kept = (self.subject[kept], self.predicate[kept], self.object[kept])
        return TrueRelations(columns.size, place[self.document[kept]], *of_kept), kept


def weigher(true: TrueRelations, weighting: str) -> Callable[[FloatArray], FloatArray]:
    """Return a function from how many each relation stands for (float[T]) to its weight v (float[T]).

    A relation that stands for 0 is not there. The weights sum to no certain number.

    Raises
    ------
    InvalidInput
        If there is no such weighting.

    Examples
    --------
    >>> true = TrueRelations(2, np.array([0, 0, 1]), np.array([0, 0, 1]), np.array([0, 1, 1]), np.arange(3))
    >>> weigher(true, "relation")(np.ones(3)).tolist()
    [1.0, 0.5, 0.5]
    """
    if weighting not in WEIGHTED:
        _checks.refuse("weighting", f"is {weighting!r}; one of {', '.join(WEIGHTED)} is needed")
    said = _said(true) if weighting == "subject_relation" else None

    def weigh(counts: FloatArray) -> FloatArray:
        weights = np.where(counts > 0, 1.0, 0.0)
        for codes in (getattr(true, name) for name in WEIGHTED[weighting]):
            np.divide(weights, np.bincount(codes, counts)[codes], out=weights, where=counts > 0)
        return weights if said is None else weights * said(counts)

    return weigh


def _said(true: TrueRelations) -> Callable[[FloatArray], FloatArray]:
    """Return what says of each true relation how many distinct (predicate, object) pairs its subject has."""
    columns = np.stack([true.subject, true.predicate, true.object])
    distinct, which = np.unique(columns, axis=1, return_inverse=True)
    which = which.reshape(-1)  # of another shape in some versions of NumPy
    size = int(true.subject.max(initial=-1)) + 1

    def said(counts: FloatArray) -> FloatArray:
        there = np.bincount(which, counts, distinct.shape[1]) > 0
        return np.bincount(distinct[0, there], minlength=size)[true.subject].astype(np.float64)

    return said


def weighted_recalls(
    true: TrueRelations, found: BoolArray, sample: DocumentSample, weighting: str
) -> list[RecallEstimate | None]:
    """Estimate every system's recall from exhaustive documents under a weighting.

    The residual of a document is z_d = (N/w_d − 1)(R̂ − R̂ without it): the jackknife's, so that C(z, z) is the
    jackknife's variance. Where a recall is a mean over subjects that stand in one document each, that is what
    their number and shares vary by; where it is a mean over relations that stand in all, what each share
    varies by.

    Parameters
    ----------
    true : TrueRelations
    found : bool[m, T]
        Which true relations each system finds.
    sample : DocumentSample
        How the documents were drawn.
    weighting : str

    Returns
    -------
    list of RecallEstimate or None, length m
        None, not estimable, if no document has a true relation.

    Raises
    ------
    InvalidInput
        If lengths differ, or there are fewer than two documents.
    """
    _checks.same_length("found", found.shape[1], true.document.size)
    of_document = sample.weights(true.documents)
    if not true.document.size:
        return [None] * found.shape[0]
    counts = of_document[true.document]
    weigh = weigher(true, weighting)
    share = counts * weigh(counts)
    estimates = (found @ share) / share.sum()
    residuals = np.zeros((found.shape[0], true.documents))
    present = np.unique(true.document)
    dense = found.astype(np.float64)
    for first in range(0, present.size, _BLOCK):
        block = present[first : first + _BLOCK]
        without = np.empty((block.size, true.document.size))
        for row, document in enumerate(block):
            left = np.where(true.document == document, 0.0, counts)
            without[row] = left * weigh(left)
        totals = without.sum(axis=1)
        # Without any other there is nothing to compare with.
        ratio = np.divide(
            dense @ without.T, totals, out=estimates[:, None].repeat(block.size, 1), where=totals > 0
        )
        residuals[:, block] = (estimates[:, None] - ratio) * (sample.population / of_document[block] - 1.0)
    residuals[np.abs(residuals) < ROUNDING] = 0.0
    # A mean of ratios is biased by what it bends within its spread; the residuals say by how much.
    left_out = 1.0 - true.documents / sample.population
    estimates = estimates + left_out * (residuals @ of_document) / sample.population
    variances = residuals**2 @ sample.factors(residuals.shape[1])
    return [
        RecallEstimate(
            estimate=min(1.0, float(estimate)),
            variance_of_documents=float(variance),
            residuals=z,
            sample=sample,
            documents=present.size,
        )
        for estimate, variance, z in zip(estimates, variances, residuals, strict=True)
    ]
