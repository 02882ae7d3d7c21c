"""Ten real systems, sampled and scored again and again: do the intervals hold the truth?"""

import dataclasses

import numpy as np
import pytest

from evaluation.estimators import coordinated
from evaluation.estimators.documents import SimpleRandom, draw_documents
from evaluation.estimators.f1 import harmonic
from evaluation.estimators.intervals import f1_interval, interval
from evaluation.estimators.precision import difference_precision
from evaluation.estimators.recall import document_recall
from tests import knowledgenet

pytestmark = knowledgenet.needs_knowledgenet

SEEDS = range(40)
DOCUMENTS = 300


@dataclasses.dataclass(frozen=True)
class Runs:
    """Interval ends and estimates, by seed and system; the truth by system."""

    estimate: np.ndarray
    low: np.ndarray
    high: np.ndarray
    truth: np.ndarray

    @property
    def coverage(self):
        return ((self.low <= self.truth) & (self.truth <= self.high)).mean()

    @property
    def half_width(self):
        return np.median(self.high - self.low) / 2

    @property
    def bias(self):
        """The mean error over systems, averaged over seeds, and its standard error between seeds."""
        errors = (self.estimate - self.truth).mean(axis=1)
        return errors.mean(), errors.std(ddof=1) / np.sqrt(errors.size)


def designed():
    """π after all ten have arrived, and each system's weights: the same for every seed."""
    pool, target = knowledgenet.pool(), coordinated.target_variance()
    pi = np.zeros(len(pool.keys))
    weights = [pool.weights(system, "subject_relation") for system in range(len(pool.members))]
    for p in weights:
        floor = coordinated.floor_labels(target) / np.count_nonzero(p)
        pi, _ = coordinated.top_up(pi, p, target, floor)
    return pi, weights


def one_seed(seed, pi, weights):
    pool = knowledgenet.pool()
    secret = b"knowledgenet|%d" % seed
    u, folds = coordinated.uniforms(secret, pool.keys), coordinated.folds(secret, pool.keys)
    sampled = u < pi
    drawn = set(draw_documents(pool.documents, DOCUMENTS, seed))
    inside = np.array([document in drawn for document in pool.documents])
    true = pool.by_document(np.ones(pool.true_document.size, bool), pool.true_document)[inside]
    labels = np.where(sampled, pool.matching.correct.astype(float), np.nan)
    rows = []
    for system, p, members in zip(knowledgenet.systems(), weights, pool.members, strict=True):
        scored = {
            name: difference_precision(
                p[members], pi[members], sampled[members], labels[members], folds[members], confidence
            )
            for name, confidence in (("precision", system.confidence), ("without confidences", None))
        }
        mask = np.zeros(len(pool.keys), dtype=bool)
        mask[members] = True
        found = pool.by_document(pool.matching.found_by(mask), pool.true_document)[inside]
        recall = document_recall(true, found, SimpleRandom(len(pool.documents)))
        rows.append(
            {name: interval(one, 0.95) for name, one in scored.items()}
            | {"recall": interval(recall, 0.95), "f1": f1_interval(scored["precision"], recall, 0.95)}
        )
    return int(sampled.sum()), rows


@pytest.fixture(scope="module")
def simulated():
    pi, weights = designed()
    seeds = [one_seed(seed, pi, weights) for seed in SEEDS]
    published = [knowledgenet.truth()["systems"][system.name] for system in knowledgenet.systems()]
    precision = np.array([one["precision"]["subject_relation"] for one in published])
    recall = np.array([one["recall"] for one in published])
    truth = {
        "precision": precision,
        "without confidences": precision,
        "recall": recall,
        "f1": np.array([harmonic(p, r) for p, r in zip(precision, recall, strict=True)]),
    }
    runs = {
        name: Runs(
            *(
                np.array([[getattr(row[name], end) for row in rows] for _, rows in seeds])
                for end in ("estimate", "low", "high")
            ),
            truth=true,
        )
        for name, true in truth.items()
    }
    labels = np.array([count for count, _ in seeds])
    print(f"\ninstances sampled: {labels.min()} to {labels.max()}")
    for name, one in runs.items():
        mean, error = one.bias
        print(
            f"{name:20} coverage {one.coverage:.3f}  median half-width {one.half_width:.4f}"
            f"  mean error {mean:+.5f} ± {error:.5f}"
        )
    return labels, runs


@pytest.mark.parametrize("name", ["precision", "without confidences", "recall", "f1"])
def test_the_intervals_hold_the_truth(simulated, name):
    assert simulated[1][name].coverage >= 0.90


@pytest.mark.parametrize("name", ["precision", "without confidences", "recall", "f1"])
def test_the_estimates_are_right_on_average(simulated, name):
    mean, error = simulated[1][name].bias
    assert abs(mean) <= 3 * error


@pytest.mark.parametrize("name", ["precision", "without confidences", "recall", "f1"])
def test_the_intervals_are_narrow(simulated, name):
    assert simulated[1][name].half_width <= 0.05


def test_confidences_narrow_the_intervals(simulated):
    runs = simulated[1]
    assert runs["precision"].half_width < runs["without confidences"].half_width


def test_no_seed_takes_more_labels_than_allowed(simulated):
    assert simulated[0].max() <= 1_500
