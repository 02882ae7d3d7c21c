"""What recall takes from exhaustive documents, without any of them: sums, variances and covariances.

Published scores rest on documents that are still sealed. What they take from these can be told as numbers
over all: for each system its recall from documents alone, Σa_pool/Σa, and how the two vary together. With
residuals z of the recall and y = a_pool/ā_pool − a/ā, that is C(z, z), C(z, y) and C(y, y). Recall from
labelled predictions, from both, and F1 follow from these; differences between systems do not.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kbpo_estimators import _checks
from kbpo_estimators._checks import BoolArray, FloatArray, IntArray
from kbpo_estimators.documents import Documents
from kbpo_estimators.labelled import ShareOfPool, labelled_recall_by_ratio
from kbpo_estimators.recall import RecallEstimate

LEAST_SEALED = 5
"""Of fewer sealed documents nothing is told: with those that are open, sums would say too much of each."""


@dataclass(frozen=True, slots=True)
class Summed:
    """A sample of documents of which covariances alone are known: residuals are in terms in which C is Σab.

    Attributes
    ----------
    population : int
        N.
    census : bool
        Whether the sample is all there are.
    """

    population: int
    census: bool

    def weights(self, n: int) -> FloatArray:
        """Refuse: nothing is known of single documents."""
        _checks.refuse("documents", "are known by their sums alone; no single one has a weight")

    def covariance(self, a: ArrayLike, b: ArrayLike) -> float:
        """Return C(a, b)."""
        return float(np.asarray(a, dtype=np.float64) @ np.asarray(b, dtype=np.float64))

    def factors(self, n: int) -> FloatArray:
        """Return 1 for each term."""
        return np.ones(n)

    def fits(self, n: int) -> bool:
        """Say whether residuals have two terms: those of z and of what y adds."""
        return n == 2

    def take(self, columns: IntArray) -> "Summed":
        """Refuse: nothing is known of single documents."""
        _checks.refuse("documents", "are known by their sums alone; none can be taken")

    def is_census(self, n: int) -> bool:
        """Say whether the documents are all there are."""
        return self.census


@dataclass(frozen=True, slots=True)
class RecallSums:
    """What a system's recalls under one weighting take from the documents.

    Attributes
    ----------
    estimate, variance : float
        r̂ and C(z, z).
    ratio : float or None
        Σa_pool/Σa; None where the system has no correct instance in any document.
    covariance, spread : float
        C(z, y) and C(y, y).
    documents : int
        Those with at least one true relation.
    """

    estimate: float
    variance: float
    ratio: float | None
    covariance: float
    spread: float
    documents: int

    def recall(self, sample: Summed) -> RecallEstimate:
        """Return the recall from documents alone."""
        return RecallEstimate(
            estimate=self.estimate,
            variance_of_documents=self.variance,
            residuals=np.array([math.sqrt(self.variance), 0.0]),
            sample=sample,
            documents=self.documents,
        )

    @property
    def y(self) -> FloatArray:
        """In terms in which C is Σab, and z is (√C(z, z), 0)."""
        along = self.covariance / math.sqrt(self.variance) if self.variance > 0 else 0.0
        return np.array([along, math.sqrt(max(0.0, self.spread - along**2))])


@dataclass(frozen=True, eq=False)
class DocumentSums:
    """The exhaustive documents as `documents.Documents` has them, by their sums alone.

    Attributes
    ----------
    size, population : int
        n of N documents.
    census : bool
        Whether they are all.
    true : int
        Their true relations.
    found : mapping of str to sequence of int
        By part, how many of them each system finds.
    sums : mapping of (str, str) to sequence of RecallSums or None
        By part and weighting, of each system; None where recall is not estimable.
    outside : bool[N] or None
        As `documents.Documents` has it.
    """

    size: int
    population: int
    census: bool
    true: int
    found: Mapping[str, Sequence[int]]
    sums: Mapping[tuple[str, str], Sequence[RecallSums | None]]
    outside: BoolArray | None = None

    @classmethod
    def of(cls, documents: Documents, weightings: Sequence[str]) -> "DocumentSums":
        """Return the sums of documents."""
        sample, n = documents.sample, documents.size
        weights = sample.weights(n)
        sums: dict[tuple[str, str], list[RecallSums | None]] = {}
        for part, correct in documents.correct.items():
            mean_pool = float(weights @ documents.pool_correct[part]) / sample.population
            for weighting in weightings:
                sums[part, weighting] = [
                    None
                    if recall is None
                    else _sums(recall, documents.pool_correct[part], mean_pool, own, weights)
                    for recall, own in zip(documents.recalls(part, weighting), correct, strict=True)
                ]
        return cls(
            n,
            sample.population,
            sample.is_census(n),
            int(documents.true.sum()),
            {part: [int(g.sum()) for g in found] for part, found in documents.found.items()},
            sums,
            documents.outside,
        )

    def has_recall(self, part: str) -> bool:
        """Say whether a part has a recall."""
        return part in self.found and self.size >= 2

    def seen(self, part: str) -> tuple[list[int] | None, int | None]:
        """Return how many true relations each system finds, and of how many; None without a recall."""
        return (list(self.found[part]), self.true) if part in self.found else (None, None)

    def recalls(self, part: str, weighting: str) -> list[RecallEstimate | None]:
        """Return what the documents alone say of each system."""
        sample = Summed(self.population, self.census)
        return [None if one is None else one.recall(sample) for one in self.sums[part, weighting]]

    def labelled(
        self,
        part: str,
        weighting: str,
        shares: Sequence[ShareOfPool | None],
        alone: Sequence[RecallEstimate | None],
    ) -> list[RecallEstimate | None]:
        """Return each system's recall from labelled predictions, from what `recalls` returned."""
        return [
            None
            if one is None or one.ratio is None
            else labelled_recall_by_ratio(share, recall, one.ratio, one.y)
            for one, share, recall in zip(self.sums[part, weighting], shares, alone, strict=True)
        ]

    def inside(self, f: FloatArray, instances: IntArray) -> FloatArray:
        """Return labels of instances of the pool, the last axis of `f`, with 0 for those that are outside."""
        return f if self.outside is None else np.where(self.outside[instances], 0.0, f)


def _sums(
    recall: RecallEstimate, pool: IntArray, mean_pool: float, own: IntArray, weights: FloatArray
) -> RecallSums:
    sample = recall.sample
    mean = weights @ own / sample.population
    told = recall.estimate, recall.variance_of_documents
    if not mean > 0:
        return RecallSums(*told, None, 0.0, 0.0, recall.documents)
    y = pool / mean_pool - own / mean
    covariance, spread = sample.covariance(recall.residuals, y), sample.covariance(y, y)
    return RecallSums(*told, float(mean_pool / mean), covariance, spread, recall.documents)
