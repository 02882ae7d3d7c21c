"""Scores of classes: unbiased by enumeration, with audits too, right at a census, and coordinated."""

import itertools

import numpy as np
import pytest

from kbpo.core.errors import InvalidInput
from kbpo_estimators.classification.estimates import FEW, Given, Scores, learn
from kbpo_estimators.classification.labels import AuditedItems, Known
from kbpo_estimators.intervals import interval
from research.experiments.classification import World, draw_world, true_scores

TRUTH = np.array([0, 1, 2, 0, 1, -1])
FOLDS = np.array([0, 1, 2, 3, 4, 0])
PI = np.array([0.3, 0.6, 0.5, 0.8, 0.4, 1.0])
SYSTEMS = [
    Given(np.array([0, 1, 1, 0, 2, 0]), np.array([0.9, 0.5, 0.3, 0.8, 0.2, 0.6]), 0),
    Given(np.array([1, 1, 2, 0, 1, 2]), np.ones(6), 1),
]


def every_sample() -> list[tuple[float, np.ndarray]]:
    """Each sample of the six items with its probability."""
    found = []
    for bits in itertools.product((False, True), repeat=6):
        sampled = np.array(bits)
        chance = float(np.prod(np.where(sampled, PI, 1 - PI)))
        if chance > 0:
            found.append((chance, sampled))
    return found


@pytest.mark.parametrize("learns", [False, True])
def test_accuracy_found_and_classes_are_unbiased_over_all_samples(learns: bool) -> None:
    accuracy, found, of_class = np.zeros(2), np.zeros((2, 3)), np.zeros(3)
    for chance, sampled in every_sample():
        q = np.zeros((6, 3))
        if learns:
            q, _ = learn(SYSTEMS, 3, sampled, FOLDS, np.where(sampled, TRUTH, 7))
        scores = Scores.of(SYSTEMS, 3, PI, sampled, np.where(sampled, TRUTH, 7), q)
        accuracy += [chance * scores.overall(one)["accuracy"].estimate for one in range(2)]
        found += chance * scores.found
        of_class += chance * scores.of_class
    assert accuracy == pytest.approx([(one.classes == TRUTH).mean() for one in SYSTEMS], abs=1e-9)
    assert of_class == pytest.approx([2, 2, 1], abs=1e-9)
    for system, one in enumerate(SYSTEMS):
        true = [int(((one.classes == c) & (c == TRUTH)).sum()) for c in range(3)]
        assert found[system] == pytest.approx(true, abs=1e-9)


VOTED = np.array([0, 1, 1, 2, 1, 0])
"""What people say of the items: wrong about the third, the fourth and the last."""
RHO = np.array([0.4, 0.7, 0.3, 0.5, 1.0, 0.6])
DOUBTS = np.array([0.3, 0.01, 0.02, 0.4, 0.0, 0.1])


def every_audit(inside: np.ndarray) -> list[tuple[float, AuditedItems]]:
    """Each audit of sampled items with its probability."""
    rho = RHO[inside]
    found = []
    for bits in itertools.product((False, True), repeat=rho.size):
        audited = np.array(bits, dtype=bool)
        chance = float(np.prod(np.where(audited, rho, 1 - rho)))
        if chance > 0:
            truth = np.where(audited, TRUTH[inside], 7)
            found.append((chance, AuditedItems(rho, audited, truth, DOUBTS[inside])))
    return found


@pytest.mark.parametrize("learns", [False, True])
def test_with_an_audit_they_are_unbiased_for_its_labels_over_all_samples_and_audits(learns: bool) -> None:
    accuracy, found, of_class = np.zeros(2), np.zeros((2, 3)), np.zeros(3)
    for chance, sampled in every_sample():
        voted = np.where(sampled, VOTED, 7)
        q = learn(SYSTEMS, 3, sampled, FOLDS, voted)[0] if learns else np.zeros((6, 3))
        for of_audit, audit in every_audit(sampled):
            scores = Scores.of(SYSTEMS, 3, PI, sampled, voted, q, audit)
            both = chance * of_audit
            accuracy += [both * scores.overall(one)["accuracy"].estimate for one in range(2)]
            found += both * scores.found
            of_class += both * scores.of_class
    assert accuracy == pytest.approx([(one.classes == TRUTH).mean() for one in SYSTEMS], abs=1e-9)
    assert of_class == pytest.approx([2, 2, 1], abs=1e-9)
    for system, one in enumerate(SYSTEMS):
        true = [int(((one.classes == c) & (c == TRUTH)).sum()) for c in range(3)]
        assert found[system] == pytest.approx(true, abs=1e-9)


def test_an_audit_of_everything_is_as_if_its_labels_had_been_the_votes() -> None:
    rng = np.random.default_rng(3)
    truth, systems = draw_world(World((0.5, 0.3, 0.2), (0.7, 0.8), size=400), rng)
    sampled = rng.random(400) < 0.5
    voted = np.where(rng.random(400) < 0.1, (truth + 1) % 3, truth)
    q, pi = learn(systems, 3, sampled, rng.integers(0, 5, 400), voted)[0], np.full(400, 0.5)
    inside, every = int(sampled.sum()), np.ones(int(sampled.sum()), dtype=bool)
    audit = AuditedItems(np.ones(inside), every, truth[sampled], np.zeros(inside))
    audited = Scores.of(systems, 3, pi, sampled, voted, q, audit)
    exact = Scores.of(systems, 3, pi, sampled, truth, q)
    for system in range(2):
        for measure, one in exact.overall(system).items():
            found = audited.overall(system)[measure]
            assert (found.estimate, found.variance) == pytest.approx((one.estimate, one.variance))
    assert audited.covariance("f1") == pytest.approx(exact.covariance("f1"))


def test_the_variance_that_the_draw_of_audits_adds_is_right_where_doubts_are() -> None:
    rng = np.random.default_rng(4)
    n, runs = 400, 400
    y, pi = rng.integers(0, 3, n), np.full(n, 0.5)
    q = np.full((n, 3), 1 / 3)
    doubts = np.where(rng.random(n) < 0.3, 0.2, 0.02)
    rho = np.where(doubts > 0.1, 0.5, 0.2)
    sums, claimed = [], []
    for _ in range(runs):
        true = np.where(rng.random(n) < doubts, (y + rng.integers(1, 3, n)) % 3, y)
        known = Known.of(y, q, pi, AuditedItems(rho, rng.random(n) < rho, true, doubts))
        sums.append((known.labels[:, 0] - (true == 0)).sum() / 0.5)
        gain = np.array([1.0, 0.0, 0.0, 0.0]) - known.guess[:, :1]
        claimed.append((known.of_draw * gain**2).sum())
    assert abs(np.mean(sums)) < 3 * np.std(sums) / np.sqrt(runs)
    assert np.mean(claimed) == pytest.approx(np.var(sums), rel=0.2)


def test_an_audit_that_leaves_out_a_certain_item_is_refused() -> None:
    audit = AuditedItems(np.ones(6), np.zeros(6, dtype=bool), TRUTH, DOUBTS)
    with pytest.raises(InvalidInput, match="item 0"):
        Scores.of(SYSTEMS, 3, PI, np.ones(6, dtype=bool), TRUTH, np.zeros((6, 3)), audit)


def test_a_census_is_exact_and_has_no_width() -> None:
    truth, systems = draw_world(World((0.5, 0.3, 0.2), (0.7,), size=200), np.random.default_rng(1))
    everything = np.ones(200, dtype=bool)
    scores = Scores.of(systems, 3, np.ones(200), everything, truth, np.full((200, 3), 0.4))
    true = true_scores(systems[0].classes, truth, 3)
    for measure, one in scores.overall(0).items():
        share = interval(one, 0.95)
        assert share.estimate == pytest.approx(true[measure].mean())
        assert share.high - share.low == pytest.approx(0, abs=1e-9)
    for number in range(3):
        for measure in ("precision", "recall", "f1"):
            assert scores.by_class(0, number)[measure].estimate == pytest.approx(true[measure][number])


def test_what_two_systems_give_alike_moves_their_difference_not_at_all() -> None:
    rng = np.random.default_rng(2)
    truth, (one,) = draw_world(World((0.5, 0.5), (0.7,), size=300), rng)
    systems = [one, Given(one.classes, one.confidence, 1)]
    sampled = rng.random(300) < 0.4
    scores = Scores.of(systems, 2, np.full(300, 0.4), sampled, truth, np.zeros((300, 2)))
    for measure in ("accuracy", "f1"):
        found = scores.covariance(measure)
        assert found[0, 0] > 0
        assert found == pytest.approx(np.full((2, 2), found[0, 0]), abs=1e-15)


def test_of_a_class_with_few_judged_items_nothing_is_said_nor_of_the_averages() -> None:
    truth = np.array([0] * 50 + [1] * (FEW - 1))
    everything = np.ones(truth.size, dtype=bool)
    given = Given(np.zeros(truth.size, dtype=np.int64), np.ones(truth.size), 0)
    scores = Scores.of([given], 2, np.ones(truth.size), everything, truth, np.zeros((truth.size, 2)))
    assert [name for name, one in scores.overall(0).items() if one is not None] == ["accuracy"]
    assert set(scores.by_class(0, 1).values()) == {None}
    assert scores.by_class(0, 0)["recall"].estimate == 1


def test_a_sample_without_a_certain_item_is_refused() -> None:
    with pytest.raises(InvalidInput, match="item 5"):
        Scores.of(SYSTEMS, 3, PI, np.zeros(6, dtype=bool), TRUTH, np.zeros((6, 3)))
