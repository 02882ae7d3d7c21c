"""Made-up worlds in which the truth is known, for intervals to be held against."""

import numpy as np

from kbpo_estimators import coordinated
from kbpo_estimators.document_samples import DocumentSample, SimpleRandom, TwoPhase
from kbpo_estimators.precision import PrecisionEstimate
from research.experiments.runs import IntArray
from tests.oracles.precision import difference_precision

INSTANCES = 4_000
DOCUMENTS = 1_500
FIRST, PLANNED = 75, 150
"""Documents of the first phase, and of both."""


class LoneSystem:
    """A system with uneven weights and telling confidences, whose sample is worth n labels.

    Parameters
    ----------
    precision : float
        About; `truth` is exact.
    n : int
    seed : int
    """

    def __init__(self, precision: float, n: int, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.p = rng.dirichlet(np.full(INSTANCES, 2.0))
        self.confidence = rng.beta(2, 2, INSTANCES)
        chance = precision * 2 * self.confidence if precision <= 0.5 else np.full(INSTANCES, precision)
        self.correct = (rng.random(INSTANCES) < chance).astype(float)
        self.truth = float(self.p @ self.correct)
        nobody = np.zeros(INSTANCES)
        self.pi = coordinated.quadratic_sum(nobody, nobody, self.p, coordinated.LABEL_VARIANCE / n).pi
        self.folds = np.arange(INSTANCES) % coordinated.FOLDS

    def estimate(self, rng: np.random.Generator) -> PrecisionEstimate:
        """Draw a sample and estimate the precision."""
        sampled = rng.random(INSTANCES) < self.pi
        return difference_precision(self.p, self.pi, sampled, self.correct, self.folds, self.confidence)


class ClusteredCorpus:
    """Documents with very different numbers of relations, which are found or missed together.

    Parameters
    ----------
    seed : int
    """

    def __init__(self, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        size = rng.gamma(1.5, 4, DOCUMENTS)
        self.true = rng.poisson(size)
        luck = rng.beta(1.5, 2.5, DOCUMENTS)
        self.found = rng.binomial(self.true, luck)
        self.other_found = rng.binomial(self.true, np.clip(luck + 0.05, 0, 1))
        self.guess = size * rng.uniform(0.5, 1.5, DOCUMENTS)
        self.truth = float(self.found.sum() / self.true.sum())

    def one_phase(self, rng: np.random.Generator) -> tuple[IntArray, DocumentSample]:
        """Draw documents uniformly."""
        return rng.choice(DOCUMENTS, PLANNED, replace=False), SimpleRandom(DOCUMENTS)

    def two_phases(self, rng: np.random.Generator) -> tuple[IntArray, DocumentSample]:
        """Draw half uniformly; the second half prefers what looks rich, more so if the first half was."""
        first = rng.choice(DOCUMENTS, FIRST, replace=False)
        taste = 0.5 + 0.5 * np.tanh(self.true[first].mean() / 6)
        wish = self.guess**taste
        wish[first] = 0
        p2 = np.clip((PLANNED - FIRST) * wish / wish.sum(), 0.2 * PLANNED / DOCUMENTS, 1)
        second = (rng.random(DOCUMENTS) < p2) & (wish > 0)
        drawn = np.concatenate([first, np.flatnonzero(second)])
        of_first = np.arange(drawn.size) < FIRST
        return drawn, TwoPhase(of_first, np.where(of_first, 1.0, p2[drawn]), DOCUMENTS, PLANNED)
