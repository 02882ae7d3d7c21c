"""Scores of classes: unbiased by enumeration, right at a census, and coordinated."""

import itertools

import numpy as np
import pytest

from evaluation.classification.estimates import FEW, Given, Scores, learn
from evaluation.estimators.intervals import interval
from evaluation.experiments.classification import World, draw_world, true_scores
from kbpo.core.errors import InvalidInput

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
        scores = Scores(SYSTEMS, 3, PI, sampled, np.where(sampled, TRUTH, 7), q)
        accuracy += [chance * scores.overall(one)["accuracy"].estimate for one in range(2)]
        found += chance * scores.found
        of_class += chance * scores.of_class
    assert accuracy == pytest.approx([(one.classes == TRUTH).mean() for one in SYSTEMS], abs=1e-9)
    assert of_class == pytest.approx([2, 2, 1], abs=1e-9)
    for system, one in enumerate(SYSTEMS):
        true = [int(((one.classes == c) & (c == TRUTH)).sum()) for c in range(3)]
        assert found[system] == pytest.approx(true, abs=1e-9)


def test_a_census_is_exact_and_has_no_width() -> None:
    truth, systems = draw_world(World((0.5, 0.3, 0.2), (0.7,), size=200), np.random.default_rng(1))
    everything = np.ones(200, dtype=bool)
    scores = Scores(systems, 3, np.ones(200), everything, truth, np.full((200, 3), 0.4))
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
    scores = Scores(systems, 2, np.full(300, 0.4), sampled, truth, np.zeros((300, 2)))
    for measure in ("accuracy", "f1"):
        assert scores.contributions(0, measure) == pytest.approx(scores.contributions(1, measure))


def test_of_a_class_with_few_judged_items_nothing_is_said_nor_of_the_averages() -> None:
    truth = np.array([0] * 50 + [1] * (FEW - 1))
    everything = np.ones(truth.size, dtype=bool)
    given = Given(np.zeros(truth.size, dtype=np.int64), np.ones(truth.size), 0)
    scores = Scores([given], 2, np.ones(truth.size), everything, truth, np.zeros((truth.size, 2)))
    assert [name for name, one in scores.overall(0).items() if one is not None] == ["accuracy"]
    assert set(scores.by_class(0, 1).values()) == {None}
    assert scores.by_class(0, 0)["recall"].estimate == 1


def test_a_sample_without_a_certain_item_is_refused() -> None:
    with pytest.raises(InvalidInput, match="item 5"):
        Scores(SYSTEMS, 3, PI, np.zeros(6, dtype=bool), TRUTH, np.zeros((6, 3)))
