"""How often the intervals hold the truth, by simulation in made-up worlds; the figures are printed."""

import numpy as np
import pytest
from scipy import sparse

from evaluation.estimators import coordinated
from evaluation.estimators.differences import precision_difference, recall_difference
from evaluation.estimators.documents import SimpleRandom, TwoPhase
from evaluation.estimators.f1 import PoolSample, harmonic
from evaluation.estimators.iid import draw, joint_estimates, simple_estimates
from evaluation.estimators.intervals import LEVELS, difference_interval, f1_interval, interval, wilson
from evaluation.estimators.precision import PrecisionEstimate, difference_precision
from evaluation.estimators.recall import document_recall

INSTANCES = 4_000
DOCUMENTS = 1_500
FIRST, PLANNED = 75, 150


def held(intervals, truth):
    return np.mean([one.low <= truth <= one.high for one in intervals])


class System:
    """A system with uneven weights and telling confidences, whose sample is worth n labels."""

    def __init__(self, precision, n, seed=0):
        rng = np.random.default_rng(seed)
        self.p = rng.dirichlet(np.full(INSTANCES, 2.0))
        self.confidence = rng.beta(2, 2, INSTANCES)
        chance = precision * 2 * self.confidence if precision <= 0.5 else np.full(INSTANCES, precision)
        self.correct = (rng.random(INSTANCES) < chance).astype(float)
        self.truth = self.p @ self.correct
        self.pi, _ = coordinated.top_up(np.zeros(INSTANCES), self.p, 0.25 / n)
        self.folds = np.arange(INSTANCES) % coordinated.FOLDS

    def estimate(self, rng) -> PrecisionEstimate:
        sampled = rng.random(INSTANCES) < self.pi
        return difference_precision(self.p, self.pi, sampled, self.correct, self.folds, self.confidence)


@pytest.mark.parametrize("n", [50, 150, 500])
@pytest.mark.parametrize("precision", [0.1, 0.5])
def test_precision(precision, n):
    system, rng = System(precision, n), np.random.default_rng(1)
    estimates = [system.estimate(rng) for _ in range(1_500)]
    share = {level: held([interval(one, level) for one in estimates], system.truth) for level in LEVELS}
    print(f"\nprecision {precision}, n = {n}: " + ", ".join(f"{k:.0%} {v:.3f}" for k, v in share.items()))
    for level, found in share.items():
        assert level - 0.03 <= found <= level + 0.03 if n >= 150 else found >= level - 0.05


def test_precision_of_almost_nothing():
    system, rng = System(0.01, 150, seed=3), np.random.default_rng(1)
    estimates = [system.estimate(rng) for _ in range(1_500)]
    share = held([interval(one, 0.90) for one in estimates], system.truth)
    print(f"\nprecision {system.truth:.4f}, n = 150, 90%: {share:.3f}")
    assert share >= 0.88


def test_the_error_of_a_topped_up_sample_is_no_more_than_its_target():
    system, rng = System(0.5, 150), np.random.default_rng(2)
    estimates = np.array([system.estimate(rng).estimate for _ in range(1_500)])
    print(f"\nvariance {estimates.var():.6f}, target {0.25 / 150:.6f}")
    assert estimates.var() <= 0.25 / 150 * 1.1
    assert abs(estimates.mean() - system.truth) <= 3 * estimates.std() / np.sqrt(estimates.size)


class Corpus:
    """Documents with very different numbers of relations, which are found or missed together."""

    def __init__(self, seed=0):
        rng = np.random.default_rng(seed)
        size = rng.gamma(1.5, 4, DOCUMENTS)
        self.true = rng.poisson(size)
        luck = rng.beta(1.5, 2.5, DOCUMENTS)
        self.found = rng.binomial(self.true, luck)
        self.other_found = rng.binomial(self.true, np.clip(luck + 0.05, 0, 1))
        self.guess = size * rng.uniform(0.5, 1.5, DOCUMENTS)
        self.truth = self.found.sum() / self.true.sum()

    def one_phase(self, rng):
        return rng.choice(DOCUMENTS, PLANNED, replace=False), SimpleRandom(DOCUMENTS)

    def two_phases(self, rng):
        """The second phase prefers documents that look rich, the more so the richer the first phase was."""
        first = rng.choice(DOCUMENTS, FIRST, replace=False)
        taste = 0.5 + 0.5 * np.tanh(self.true[first].mean() / 6)
        wish = self.guess**taste
        wish[first] = 0
        p2 = np.clip((PLANNED - FIRST) * wish / wish.sum(), 0.2 * PLANNED / DOCUMENTS, 1)
        second = (rng.random(DOCUMENTS) < p2) & (wish > 0)
        drawn = np.concatenate([first, np.flatnonzero(second)])
        of_first = np.arange(drawn.size) < FIRST
        return drawn, TwoPhase(of_first, np.where(of_first, 1.0, p2[drawn]), DOCUMENTS, PLANNED)


@pytest.mark.parametrize("phases", ["one_phase", "two_phases"])
def test_recall_and_f1(phases):
    corpus, system, rng = Corpus(), System(0.4, 150), np.random.default_rng(4)
    truth = harmonic(system.truth, corpus.truth)
    recalls, scores, estimates = [], [], []
    for _ in range(1_000):
        drawn, sample = getattr(corpus, phases)(rng)
        recall = document_recall(corpus.true[drawn], corpus.found[drawn], sample)
        estimates.append(recall.estimate)
        recalls.append(interval(recall, 0.90))
        scores.append(f1_interval(system.estimate(rng), recall, 0.90))
    of_recall, of_f1 = held(recalls, corpus.truth), held(scores, truth)
    bias = np.mean(estimates) / corpus.truth - 1
    print(f"\n{phases}, 90%: recall {of_recall:.3f}, F1 {of_f1:.3f}; bias of recall {bias:+.2%}")
    assert 0.87 <= of_recall <= 0.93
    assert 0.87 <= of_f1 <= 0.93
    assert abs(bias) < 0.01


def test_relations_taken_for_independent_cover_less_than_they_claim():
    # Why documents are the units: the same estimates with the relations as independent draws.
    corpus, rng = Corpus(), np.random.default_rng(4)
    intervals = []
    for _ in range(500):
        drawn, _ = corpus.one_phase(rng)
        relations = corpus.true[drawn].sum()
        intervals.append(wilson(corpus.found[drawn].sum() / relations, relations, 0.90))
    share = held(intervals, corpus.truth)
    print(f"\nrelations taken for independent, 90%: {share:.3f}")
    assert share < 0.80


def test_differences():
    # Two systems of one team: the second has most of what the first has.
    rng = np.random.default_rng(6)
    correct = (rng.random(INSTANCES) < 0.5).astype(float)
    sizes = [2_500, 3_500]
    pi = np.zeros(INSTANCES)
    weights = []
    for size in sizes:
        p = np.zeros(INSTANCES)
        p[:size] = rng.dirichlet(np.full(size, 5.0))
        weights.append(p)
        pi, _ = coordinated.top_up(pi, p, 0.25 / 150)
    truth = weights[0] @ correct - weights[1] @ correct
    folds = np.arange(INSTANCES) % 5
    intervals, apart = [], []
    for _ in range(800):
        sampled = rng.random(INSTANCES) < pi
        place = np.cumsum(sampled) - 1
        arguments, own = [], []
        for size, p in zip(sizes, weights, strict=True):
            one = difference_precision(p[:size], pi[:size], sampled[:size], correct[:size], folds[:size])
            pool = PoolSample(coordinated.variance_weights(pi[sampled]), place[:size][sampled[:size]])
            arguments += [one, pool]
            own.append(interval(one, 0.90))
        intervals.append(difference_interval(precision_difference(*arguments), *own, 0.90))
        apart.append(np.hypot(*[(one.high - one.low) / 2 for one in own]))
    share = held(intervals, truth)
    half_width = np.median([one.high - one.low for one in intervals]) / 2
    print(f"\ndifference of precision, 90%: {share:.3f}; {half_width:.4f}, {np.median(apart):.4f} unpaired")
    assert 0.87 <= share <= 0.93
    assert half_width < 0.75 * np.median(apart)


def test_differences_of_recall():
    corpus, rng = Corpus(), np.random.default_rng(8)
    truth = (corpus.found.sum() - corpus.other_found.sum()) / corpus.true.sum()
    intervals = []
    for _ in range(800):
        drawn, sample = corpus.one_phase(rng)
        first, second = (
            document_recall(corpus.true[drawn], found[drawn], sample)
            for found in (corpus.found, corpus.other_found)
        )
        own = interval(first, 0.90), interval(second, 0.90)
        intervals.append(difference_interval(recall_difference(first, second), *own, 0.90))
    share = held(intervals, truth)
    print(f"\ndifference of recall, 90%: {share:.3f}")
    assert 0.87 <= share <= 0.93


def test_simple_and_joint_precision():
    # Four systems of one team under the paper's design.
    rng = np.random.default_rng(9)
    correct = (rng.random(800) < 0.45).astype(float)
    rows = np.zeros((4, 800))
    for row, size in zip(rows, (300, 450, 600, 800), strict=True):
        row[:size] = rng.dirichlet(np.full(size, 3.0))
    P, truth = sparse.csr_array(rows), rows @ correct
    intervals: dict[str, list] = {"simple": [], "joint": []}
    for _ in range(400):
        drawn = [draw(p, 150, rng) for p in rows]
        samples = [(indices, correct[indices]) for indices in drawn]
        intervals["simple"].append([interval(one, 0.90) for one in simple_estimates(samples)])
        intervals["joint"].append([interval(one, 0.90) for one in joint_estimates(P, samples)])
    width = {}
    for name, runs in intervals.items():
        share = np.mean([held([run[i] for run in runs], truth[i]) for i in range(4)])
        width[name] = np.median([one.high - one.low for run in runs for one in run])
        print(f"\n{name}, 90%: {share:.3f}, median width {width[name]:.4f}")
        assert 0.87 <= share <= 0.93
    assert width["joint"] < 0.8 * width["simple"]
