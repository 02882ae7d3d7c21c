"""A world small enough to list every sample that could be drawn from it: 8 instances, 3 systems."""

import itertools
from collections.abc import Iterator

import numpy as np

from kbpo_estimators import coordinated

SECRET = b"eight instances"
KEYS = [f"v1|per:spouse|0-1|2-3|D{number}" for number in range(8)]
FOLDS = coordinated.folds(SECRET, KEYS)

# Rows are systems, columns are instances. The first two overlap, the third only touches the second.
WEIGHTS = np.array(
    [
        [0.30, 0.25, 0.20, 0.15, 0.10, 0.00, 0.00, 0.00],
        [0.00, 0.10, 0.40, 0.00, 0.20, 0.30, 0.00, 0.00],
        [0.00, 0.00, 0.00, 0.00, 0.00, 0.50, 0.35, 0.15],
    ]
)
CORRECT = np.array([1, 0, 1, 1, 0, 1, 0, 1], dtype=float)
CONFIDENCE = np.array([0.9, 0.2, 0.8, 0.6, 0.4, 0.7, 0.1, 0.5])
TRUTH = WEIGHTS @ CORRECT


def poisson_samples(pi: np.ndarray) -> Iterator[tuple[np.ndarray, float]]:
    """Every Poisson sample with a probability above 0, and that probability."""
    for choice in itertools.product([False, True], repeat=pi.size):
        sampled = np.array(choice)
        probability = float(np.prod(np.where(sampled, pi, 1 - pi)))
        if probability > 0:
            yield sampled, probability


def draws(p: np.ndarray, n: int) -> Iterator[tuple[np.ndarray, float]]:
    """Every sequence of n draws from p, and its probability."""
    for sequence in itertools.product(np.flatnonzero(p).tolist(), repeat=n):
        yield np.array(sequence), float(np.prod(p[list(sequence)]))


def batches(target_variance: float = 0.05) -> list[np.ndarray]:
    """The inclusion probabilities after each of the three systems has arrived, in order."""
    pi, grown = np.zeros(WEIGHTS.shape[1]), []
    for p in WEIGHTS:
        pi, _ = coordinated.top_up(pi, p, target_variance, floor=0.3)
        grown.append(pi)
    return grown


VARIANCE = np.array([0.04, 0.25, 0.1, 0.2, 0.25, 0.15, 0.05, 0.25])
"""How uncertain the labels are planned to be, other than they are."""


def quadratic_batches(known: np.ndarray | None = None, target_variance: float = 0.05) -> list[np.ndarray]:
    """The same by the quadratic sum with planned variances; `known` to the last system."""
    pi, squares, grown = np.zeros(WEIGHTS.shape[1]), np.zeros(WEIGHTS.shape[1]), []
    for number, p in enumerate(WEIGHTS):
        is_last = number == len(WEIGHTS) - 1
        found = coordinated.quadratic_sum(
            pi,
            squares,
            p,
            target_variance,
            variance=VARIANCE,
            known=known if is_last else None,
            floor=0.1,
        )
        pi, squares = found.pi, found.squares
        grown.append(pi)
    return grown


OTHER_WEIGHTS = np.array(
    [
        [0.05, 0.15, 0.10, 0.50, 0.20, 0.00, 0.00, 0.00],
        [0.00, 0.25, 0.25, 0.00, 0.25, 0.25, 0.00, 0.00],
        [0.00, 0.00, 0.00, 0.00, 0.00, 0.10, 0.20, 0.70],
    ]
)
"""Another weighting of the same instances."""
