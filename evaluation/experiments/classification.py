"""Worlds of items with classes: how often intervals of accuracy, macro-averages and classes hold the truth.

Each run draws a new corpus, the systems' classes and a sample of it, so what is held is that of many corpora.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from evaluation.classification.estimates import MEASURES, Estimated, Given, Scores, learn
from evaluation.estimators import coordinated
from evaluation.estimators._checks import FloatArray, IntArray
from evaluation.estimators.intervals import interval

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class World:
    """A kind of corpus and of systems.

    Attributes
    ----------
    shares : sequence of float
        Of each class.
    accuracies : sequence of float
        Of each system; what it gets wrong, it gives one of the neighbouring classes more often.
    size : int
        N.
    half_width : float
        Of the target at 80%.
    by_confidence : bool
        Whether systems are surer where they are right.
    """

    shares: Sequence[float]
    accuracies: Sequence[float]
    size: int = 5_000
    half_width: float = 0.03
    by_confidence: bool = True


#: Chosen before any was run; all are shown.
WORLDS: Mapping[str, World] = MappingProxyType(
    {
        "four classes, three systems": World((0.25,) * 4, (0.6, 0.75, 0.9)),
        "unequal classes, six systems": World((0.4, 0.3, 0.15, 0.1, 0.05), (0.5, 0.6, 0.7, 0.8, 0.85, 0.9)),
        "ten classes, one system": World((0.1,) * 10, (0.7,)),
        "two classes, small corpus": World((0.7, 0.3), (0.65, 0.95), size=800),
        "no confidences": World((0.5, 0.3, 0.2), (0.6, 0.7, 0.8), by_confidence=False),
    }
)


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """How often intervals held the truth, by measure: over all classes where it is one of a class."""

    overall: Mapping[str, float]
    by_class: Mapping[str, float]
    shown: Mapping[str, int]


def draw_world(world: World, rng: np.random.Generator) -> tuple[IntArray, list[Given]]:
    """Draw the labels of a corpus, and what systems give it."""
    classes = len(world.shares)
    truth = rng.choice(classes, world.size, p=world.shares)
    hard = rng.random(world.size)  # what is hard is hard for all
    systems = []
    for number, accuracy in enumerate(world.accuracies):
        right = 0.5 * hard + 0.5 * rng.random(world.size) < np.quantile(
            0.5 * hard + 0.5 * rng.random(world.size), accuracy
        )
        away = 1 + np.minimum(rng.geometric(0.6, world.size) - 1, max(0, classes - 2))
        given = np.where(right, truth, (truth + away) % classes)
        sure = np.where(right, rng.beta(4, 2, world.size), rng.beta(2, 3, world.size))
        confidence = np.clip(sure, 0.01, 1.0) if world.by_confidence else np.ones(world.size)
        systems.append(Given(given, confidence, number))
    return truth, systems


def true_scores(given: IntArray, truth: IntArray, classes: int) -> dict[str, FloatArray]:
    """Return a system's exact accuracy, and precision, recall and F1 of each class."""
    found = np.array([((given == c) & (truth == c)).sum() for c in range(classes)], dtype=np.float64)
    assigned, of_class = np.bincount(given, minlength=classes), np.bincount(truth, minlength=classes)
    return {
        "accuracy": np.array([(given == truth).mean()]),
        "precision": found / np.maximum(1, assigned),
        "recall": found / np.maximum(1, of_class),
        "f1": 2 * found / np.maximum(1, assigned + of_class),
    }


def coverage(world: World, runs: int, seed: int, *, learns: bool = True) -> Held:
    """Return the share of intervals that hold the truth, over all runs, systems and classes."""
    rng = np.random.default_rng(seed)
    classes = len(world.shares)
    target = coordinated.target_variance(world.half_width, 0.8)
    p = np.full(world.size, 1 / world.size)
    pi, _ = coordinated.top_up(np.zeros(world.size), p, target)
    hits: dict[tuple[str, str], list[bool]] = {}
    for _ in range(runs):
        truth, systems = draw_world(world, rng)
        sampled, folds = rng.random(world.size) < pi, rng.integers(0, coordinated.FOLDS, world.size)
        q = np.zeros((world.size, classes))
        if learns:
            q, _ = learn(systems, classes, sampled, folds, truth)
        scores = Scores(systems, classes, pi, sampled, truth, q)
        for system, one in enumerate(systems):
            true = true_scores(one.classes, truth, classes)
            for measure, found in scores.overall(system).items():
                _note(hits, ("overall", measure), found, float(true[measure].mean()))
            for number in range(classes):
                for measure, found in scores.by_class(system, number).items():
                    if measure != "accuracy":
                        _note(hits, ("class", measure), found, float(true[measure][number]))
    shares = {key: float(np.mean(value)) for key, value in hits.items()}
    return Held(
        {name: shares["overall", name] for name in MEASURES if ("overall", name) in shares},
        {name: shares["class", name] for name in MEASURES[1:] if ("class", name) in shares},
        {" ".join(key): len(value) for key, value in hits.items()},
    )


def _note(
    hits: dict[tuple[str, str], list[bool]], key: tuple[str, str], found: Estimated | None, true: float
) -> None:
    share = interval(found, LEVEL)
    if share is not None:
        hits.setdefault(key, []).append(share.low <= true <= share.high)
