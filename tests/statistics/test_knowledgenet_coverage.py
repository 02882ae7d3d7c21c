"""Ten real systems, sampled and scored again and again: do the intervals hold the truth?"""

from dataclasses import dataclass

import numpy as np
import pytest

from evaluation.estimators import coordinated
from evaluation.estimators.documents import SimpleRandom, draw_documents
from evaluation.estimators.f1 import PoolSample, harmonic
from evaluation.estimators.intervals import f1_interval, interval
from evaluation.estimators.labelled import both, labelled_recall, planned_alpha, share_of_pool
from evaluation.estimators.precision import difference_precision
from evaluation.estimators.recall import document_recall
from tests import knowledgenet

pytestmark = knowledgenet.needs_knowledgenet

SEEDS = range(40)
DOCUMENTS = 300
SCORES = {
    "precision": "precision",
    "precision without confidences": "precision",
    "recall from documents": "recall",
    "recall from labels": "recall",
    "recall from both": "recall",
    "f1 from documents": "f1",
    "f1 from both": "f1",
}


@dataclass(frozen=True)
class Runs:
    """Estimates and interval ends, by seed and system; the truth by system."""

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


def designed(order, weights):
    """π after all ten have arrived in this order."""
    target = coordinated.target_variance()
    pi = np.zeros(weights[0].size)
    for system in order:
        floor = coordinated.floor_labels(target) / np.count_nonzero(weights[system])
        pi, _ = coordinated.top_up(pi, weights[system], target, floor)
    return pi


def one_seed(seed, weights):
    pool = knowledgenet.pool()
    pi = designed(np.random.default_rng(seed).permutation(len(weights)), weights)
    secret = b"knowledgenet|%d" % seed
    u, folds = coordinated.uniforms(secret, pool.keys), coordinated.folds(secret, pool.keys)
    sampled = u < pi
    correct = pool.matching.correct
    labels = np.where(sampled, correct.astype(float), np.nan)
    place = np.cumsum(sampled) - 1

    drawn = set(draw_documents(pool.documents, DOCUMENTS, seed))
    inside = np.array([document in drawn for document in pool.documents])
    sample = SimpleRandom(len(pool.documents))
    true = pool.by_document(np.ones(pool.true_document.size, bool), pool.true_document)[inside]
    pool_correct = pool.by_document(correct, pool.claim_document)[inside]
    teams = pool.teams()

    rows = []
    for system, p, members in zip(knowledgenet.systems(), weights, pool.members, strict=True):
        mine = np.zeros(sampled.size, bool)
        mine[members] = True
        precision, without = (
            difference_precision(
                p[members], pi[members], sampled[members], labels[members], folds[members], c
            )
            for c in (system.confidence, None)
        )
        found = pool.by_document(pool.matching.found_by(mine), pool.true_document)[inside]
        own_correct = pool.by_document(mine & correct, pool.claim_document)[inside]
        share = share_of_pool(pi[sampled], correct[sampled], (mine & correct)[sampled])
        of_documents = document_recall(true, found, sample)
        of_labels = labelled_recall(share, true, pool_correct, own_correct, found, sample)
        alpha = planned_alpha(teams, mine, pi, DOCUMENTS, len(pool.documents))
        of_both = both(of_documents, of_labels, alpha)
        in_pool = PoolSample(coordinated.variance_weights(pi[sampled]), place[members][sampled[members]])
        rows.append(
            {
                "precision": interval(precision),
                "precision without confidences": interval(without),
                "recall from documents": interval(of_documents),
                "recall from labels": interval(of_labels),
                "recall from both": interval(of_both),
                "f1 from documents": f1_interval(precision, of_documents),
                "f1 from both": f1_interval(precision, of_both, pool=in_pool),
            }
        )
    return int(sampled.sum()), rows


@pytest.fixture(scope="module")
def simulated():
    weights = [knowledgenet.pool().weights(system, "subject_relation") for system in range(10)]
    seeds = [one_seed(seed, weights) for seed in SEEDS]
    published = [knowledgenet.truth()["systems"][system.name] for system in knowledgenet.systems()]
    precision = np.array([one["precision"]["subject_relation"] for one in published])
    recall = np.array([one["recall"] for one in published])
    f1 = np.array([harmonic(p, r) for p, r in zip(precision, recall, strict=True)])
    truth = {"precision": precision, "recall": recall, "f1": f1}
    runs = {
        name: Runs(
            *(
                np.array([[getattr(row[name], end) for row in rows] for _, rows in seeds])
                for end in ("estimate", "low", "high")
            ),
            truth=truth[kind],
        )
        for name, kind in SCORES.items()
    }
    labels = np.array([count for count, _ in seeds])
    print(f"\n{labels.min()} to {labels.max()} instances sampled; 95% intervals, {DOCUMENTS} documents")
    for name, one in runs.items():
        mean, error = one.bias
        print(
            f"{name:30} hold the truth {one.coverage:.3f}  median half-width {one.half_width:.4f}"
            f"  mean error {mean:+.5f} ± {error:.5f}"
        )
    return labels, runs


@pytest.mark.parametrize("name", SCORES)
def test_the_intervals_hold_the_truth(simulated, name):
    assert simulated[1][name].coverage >= 0.92


@pytest.mark.parametrize("name", SCORES)
def test_the_estimates_are_right_on_average(simulated, name):
    mean, error = simulated[1][name].bias
    assert abs(mean) <= 3 * error


@pytest.mark.parametrize("name", [name for name in SCORES if name != "recall from labels"])
def test_the_intervals_are_narrow(simulated, name):
    assert simulated[1][name].half_width <= 0.05


def test_confidences_narrow_the_intervals(simulated):
    runs = simulated[1]
    assert runs["precision"].half_width < runs["precision without confidences"].half_width


def test_labels_narrow_recall_beyond_what_documents_tell(simulated):
    runs = simulated[1]
    assert runs["recall from both"].half_width <= runs["recall from documents"].half_width


def test_no_seed_takes_more_labels_than_allowed(simulated):
    assert simulated[0].max() <= 1_500
