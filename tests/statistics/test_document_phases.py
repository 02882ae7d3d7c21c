"""Documents drawn for what their names are: unbiased recall with their probabilities, and not without."""

import numpy as np
import pytest

from kbpo_estimators.document_samples import (
    SimpleRandom,
    TwoPhase,
    second_phase_probabilities,
    tfidf_scores,
)
from kbpo_estimators.recall import document_recall

DOCUMENTS, NAMES, PLANNED, FIRST = 1_000, 3_000, 200, 40
RUNS = 800


class World:
    """Documents of few or many names, some frequent; a system knows those, and is lost in long texts."""

    def __init__(self) -> None:
        rng = np.random.default_rng(7)
        popularity = 1.0 / np.arange(1, NAMES + 1) ** 0.9
        sizes = 1 + rng.poisson(rng.gamma(1.2, 6, DOCUMENTS))
        self.names = [np.unique(rng.choice(NAMES, size, p=popularity / popularity.sum())) for size in sizes]
        self.frequency = np.bincount(np.concatenate(self.names), minlength=NAMES)
        known = 1 / (1 + np.exp(-(np.log(np.maximum(self.frequency, 1)) - 1.5)))
        self.true = np.array([own.size for own in self.names])
        self.found = np.array(
            [(rng.random(own.size) < known[own] / (1 + own.size / 25)).sum() for own in self.names]
        )
        self.truth = self.found.sum() / self.true.sum()

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, TwoPhase]:
        first = rng.choice(DOCUMENTS, FIRST, replace=False)
        rest = np.setdiff1d(np.arange(DOCUMENTS), first)
        wanted = np.unique(np.concatenate([self.names[document] for document in first]))
        places = [np.searchsorted(wanted, np.intersect1d(self.names[d], wanted)) for d in rest]
        scores = tfidf_scores(
            np.repeat(np.arange(rest.size), [own.size for own in places]),
            np.ones(sum(own.size for own in places), dtype=np.int64),
            np.concatenate(places),
            self.frequency[wanted],
            rest.size,
            DOCUMENTS,
        )
        p2 = second_phase_probabilities(scores, PLANNED - FIRST)
        taken = rng.random(rest.size) < p2
        drawn = np.concatenate([first, rest[taken]])
        of_first = np.arange(drawn.size) < FIRST
        return drawn, TwoPhase(of_first, np.concatenate([np.ones(FIRST), p2[taken]]), DOCUMENTS, PLANNED)


@pytest.mark.slow
def test_recall_is_unbiased_with_the_probabilities_and_biased_without():
    world, rng = World(), np.random.default_rng(1)
    weighted, unweighted, held = [], [], 0
    for _ in range(RUNS):
        drawn, sample = world.draw(rng)
        recall = document_recall(world.true[drawn], world.found[drawn], sample)
        plain = document_recall(world.true[drawn], world.found[drawn], SimpleRandom(DOCUMENTS))
        weighted.append(recall.estimate)
        unweighted.append(plain.estimate)
        held += abs(recall.estimate - world.truth) <= 1.96 * recall.variance**0.5
    error = np.std(weighted) / RUNS**0.5
    bias, bias_unweighted = np.mean(weighted) - world.truth, np.mean(unweighted) - world.truth
    print(
        f"\nrecall {world.truth:.4f}: bias {bias:+.4f} (standard error {error:.4f}) with the probabilities,"
        f" {bias_unweighted:+.4f} ({bias_unweighted / world.truth:+.1%}) without; 95% intervals hold the"
        f" truth in {held / RUNS:.3f}"
    )
    assert abs(bias) <= 0.01 * world.truth  # a ratio is consistent: under 1%, docs/estimation.md 3.5
    assert abs(bias_unweighted) >= 0.04 * world.truth
    assert abs(bias_unweighted) > 10 * error
    assert held / RUNS >= 0.92
