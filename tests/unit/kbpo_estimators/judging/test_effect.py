"""The judges' effect, by listing every sample and every audit of a small world."""

import itertools
import math

import numpy as np
import pytest

from kbpo.core.errors import InvalidInput
from tests.oracles.effect import judges_effect
from tests.oracles.precision import difference_precision

P = np.array([0.30, 0.25, 0.20, 0.15, 0.10])
PI = np.array([0.5, 0.4, 0.9, 0.3, 1.0])
CROWD = np.array([1.0, 0, 1, 1, 0])
TRUE = np.array([0.0, 0, 1, 0, 1])
QUESTIONS = np.array([0, 0, 1, 2, 3])  # the first two are one question: audited together
RHO = np.array([0.2, 0.2, 0.5, 0.6, 0.05])
FOLDS = np.array([0, 1, 0, 1, 0])


def outcomes():
    """Every sample with every audit of its questions, and how likely it is."""
    of_question = RHO[[0, 2, 3, 4]]
    for choice in itertools.product([False, True], repeat=5):
        sampled = np.array(choice)
        of_sample = float(np.prod(np.where(sampled, PI, 1 - PI)))
        for asked in itertools.product([False, True], repeat=4):
            chance = of_sample * float(np.prod(np.where(asked, of_question, 1 - of_question)))
            if chance:
                yield sampled, np.array(asked)[QUESTIONS], chance


def effect(sampled, audited):
    s = sampled
    audits = np.where(audited, TRUE, np.nan)[s]
    return judges_effect(P[s], PI[s], RHO[s], audited[s], CROWD[s], audits, QUESTIONS[s])


def test_the_expected_effect_is_exact():
    expected = math.fsum(chance * effect(s, a).estimate for s, a, chance in outcomes())
    assert expected == pytest.approx(P @ (TRUE - CROWD), abs=1e-12)


def test_the_precision_with_the_effect_is_exact_in_expectation():
    def estimate(sampled, audited):
        labels = np.where(sampled, CROWD, np.nan)
        found = difference_precision(P, PI, sampled, labels, FOLDS, k=2)
        return found.estimate + effect(sampled, audited).estimate

    expected = math.fsum(chance * estimate(s, a) for s, a, chance in outcomes())
    assert expected == pytest.approx(P @ TRUE, abs=1e-12)


def test_the_expected_variance_is_exact_for_questions_of_several_instances_too():
    found = [(effect(s, a), chance) for s, a, chance in outcomes()]
    mean = math.fsum(chance * one.estimate for one, chance in found)
    spread = math.fsum(chance * (one.estimate - mean) ** 2 for one, chance in found)
    assert math.fsum(chance * one.variance for one, chance in found) == pytest.approx(spread, abs=1e-12)


def test_what_the_audit_adds_given_the_sample_is_exact():
    sampled = np.array([1, 1, 0, 1, 1], dtype=bool)
    found = [(effect(s, a), chance) for s, a, chance in outcomes() if (s == sampled).all()]
    total = math.fsum(chance for _, chance in found)
    mean = math.fsum(chance * one.estimate for one, chance in found) / total
    spread = math.fsum(chance * (one.estimate - mean) ** 2 for one, chance in found)
    assert math.fsum(chance * one.by_audit for one, chance in found) == pytest.approx(spread)


def test_two_audits_by_hand():
    # One error of p/(πρ) = .3/(.5·.2), downwards; of the other p/(πρ) = .1/.05, upwards.
    found = judges_effect([0.3, 0.1], [0.5, 1], [0.2, 0.05], [True, True], [1, 0], [0, 1])
    assert found.estimate == pytest.approx(-3 + 2)
    assert found.variance == pytest.approx((1 - 0.1) / 0.01 * 0.09 + (1 - 0.05) / 0.0025 * 0.01)
    assert found.errors.tolist() == [-1, 1]


def test_answers_that_are_no_labels_are_refused():
    with pytest.raises(InvalidInput, match="audits: "):
        judges_effect([0.5], [0.5], [0.5], [True], [1], [math.nan])
