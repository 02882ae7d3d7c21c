"""What whole claims need, as one label; and what an audit adds, by listing every sample and every audit."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from kbpo_estimators.judging.audited import UNKNOWN, Audit, AuditedLabels
from kbpo_estimators.judging.drawing import audit_probabilities, doubts_in_predictions
from kbpo_estimators.judging.effects import Spread, of_precisions
from kbpo_estimators.judging.products import JudgedEntries, Products

KINDS = ("relation", "canonical")


def two_kinds():
    """Four instances, each with a relation, and all but the last with a canonical mention."""
    labels = {
        "relation": AuditedLabels([0, 1, 2, 3], [1, 1, 0, 1], [1, 1, np.nan, np.nan], [0.1] * 4),
        "canonical": AuditedLabels([0, 1, 2], [1, 1, 1], [1, 0, np.nan], [0.2] * 3),
    }
    audited = np.array([True, True, False, False])
    return Audit(np.full(4, 0.5), np.arange(4), np.full(4, 0.5), audited, labels)


SYSTEM = (np.arange(4), np.array([[0, 1, 2, 3], [0, 1, 2, -1]]))
PRODUCTS = Products.of(two_kinds(), JudgedEntries.of([SYSTEM], KINDS))


def test_a_prediction_is_right_if_all_its_labels_are():
    assert PRODUCTS.f.tolist() == [1, 1, 0, 1]
    assert PRODUCTS.audits.tolist() == [1, 0, 0, 1]
    assert PRODUCTS.wrong.tolist() == [False, True, False, False]


def test_a_product_is_as_doubtful_as_its_labels_together_make_it():
    # Both right with .9 · .8; of the third the relation is right with .1; the last needs a relation alone.
    expected = np.array([0.28, 0.28, 0.08, 0.1])
    assert PRODUCTS.chances == pytest.approx(expected * (1 + 1) / (2 * 0.28 + 1))


def test_what_is_expected_of_a_product_knows_nothing_of_its_own_audit():
    # Of the others' audits: the second's for the first, which found an error, and the first's for the second.
    assert PRODUCTS.expected[:2] == pytest.approx([0.28 * 2 / 1.28, 0.28 * 1 / 1.28])


def test_rates_are_those_of_products_whatever_labels_are_wrong():
    a, b = PRODUCTS.errors[[0, 1, 3]].sum(), PRODUCTS.errors[2]
    assert PRODUCTS.rates.false_positives == pytest.approx(a / (1 + a - b))
    assert PRODUCTS.rates.false_negatives == pytest.approx(b / (3 - a + b))


def test_entries_that_need_the_same_labels_share_a_product():
    other = (np.array([0, 1]), np.array([[0, 1], [0, -1]]))
    products = Products.of(two_kinds(), JudgedEntries.of([SYSTEM, other], KINDS))
    assert products.labels.size == 5
    assert products.units[0] == products.units[4]
    assert products.units[1] != products.units[5]


def test_the_pool_is_right_where_some_system_is():
    wrong = (np.array([2, 3]), np.array([[2, 2], [2, 2]]))
    pool = Products.of(two_kinds(), JudgedEntries.of([wrong, SYSTEM], KINDS)).of_pool()
    assert pool.entries.positions.tolist() == [0, 1, 2, 3]
    assert pool.f.tolist() == [1, 1, 0, 1]


# Every sample, every audit: five instances, the first two of one question; two systems, which give other
# canonical mentions at the first instance, and the same at the third

PI = np.array([0.5, 0.4, 0.9, 0.3, 1.0])
QUESTIONS = np.array([0, 0, 1, 2, 3])
RHO = np.array([0.2, 0.2, 0.5, 0.6, 0.05])
RELATION = [1.0, 0, 1, 1, 0], [0.0, 0, 1, 1, 1]
"""By the crowd, and in truth."""
MENTIONED = np.array([0, 0, 1, 2, 3])
MENTIONS = [1.0, 0, 1, 0, 1], [1.0, 0, 1, 1, 1]
SYSTEMS = [
    (np.array([0.4, 0.3, 0.2, 0.1]), np.array([0, 1, 2, 4]), np.array([0, 2, 3, -1])),
    (np.array([0.5, 0.3, 0.2]), np.array([0, 2, 3]), np.array([1, 3, 4])),
]


def true_effect():
    return [float(p @ (value(at, of, 1) - value(at, of, 0))) for p, at, of in SYSTEMS]


def value(at, of, which):
    return np.array(RELATION[which])[at] * np.where(of < 0, 1.0, np.array(MENTIONS[which])[of])


def found(sampled, audited, doubt, rho=RHO):
    """Return what errors do to both systems, from their own audits."""
    place = np.cumsum(sampled) - 1
    mentioned = sampled[MENTIONED]
    own = np.cumsum(mentioned) - 1

    def labels(instances, kept, of):
        audits = np.where(audited[instances], of[1], np.nan)
        instances = place[instances[kept]]
        crowd = np.array(of[0])[kept]
        return AuditedLabels(instances, crowd, audits[kept], np.full(crowd.size, doubt))

    audit = Audit(
        PI[sampled],
        QUESTIONS[sampled],
        rho[sampled],
        audited[sampled],
        {
            "relation": labels(np.arange(5), sampled, RELATION),
            "canonical": labels(MENTIONED, mentioned, MENTIONS),
        },
    )
    systems, weights = [], []
    for p, at, of in SYSTEMS:
        kept = sampled[at]
        systems.append((place[at[kept]], np.stack([place[at[kept]], np.where(of < 0, -1, own[of])[kept]])))
        weights.append(p[kept])
    products = Products.of(audit, JudgedEntries.of(systems, KINDS))
    return of_precisions(
        replace(products, rates=UNKNOWN, is_told=False), np.concatenate(weights), np.full(2, 0.5)
    )


def outcomes(fixed=None, rho=RHO):
    of_question = rho[[0, 2, 3, 4]]
    for choice in itertools.product([False, True], repeat=5):
        sampled = np.array(choice)
        if fixed is not None and (sampled != fixed).any():
            continue
        of_sample = 1.0 if fixed is not None else float(np.prod(np.where(sampled, PI, 1 - PI)))
        for asked in itertools.product([False, True], repeat=4):
            chance = of_sample * float(np.prod(np.where(asked, of_question, 1 - of_question)))
            if chance and sampled.any():
                yield sampled, np.array(asked)[QUESTIONS], chance


@pytest.mark.parametrize("doubt", [0.0, 0.2, 0.45])
def test_the_effect_on_whole_claims_is_exact_in_expectation_whatever_was_thought(doubt):
    own = [(chance * found(s, a, doubt).own) for s, a, chance in outcomes()]
    expected = [math.fsum(column) for column in np.array(own).T]
    assert expected == pytest.approx(true_effect(), abs=1e-12)


def test_it_is_exact_in_expectation_where_audits_are_aimed_at_whole_claims():
    mentions = np.array([0.02, 0.3, 0.01, 0.4, 0.1, 0.0])
    of = np.concatenate([own for *_, own in SYSTEMS])
    units = np.concatenate([at for _, at, _ in SYSTEMS])
    aimed = doubts_in_predictions(np.array([0.1, 0.02, 0.05, 0.01, 0.2]), units, 1.0 - mentions[of])
    of_question = np.zeros(4)
    np.maximum.at(of_question, QUESTIONS, aimed)
    rho = audit_probabilities(of_question, 0.4)[QUESTIONS]
    assert np.unique(rho).size == 4
    own = [(chance * found(s, a, 0.2, rho).own) for s, a, chance in outcomes(rho=rho)]
    assert [math.fsum(column) for column in np.array(own).T] == pytest.approx(true_effect(), abs=1e-12)


def test_what_audits_find_has_the_covariance_that_is_claimed():
    # Half of what is claimed: chances, which are 0 here, stand for the other half.
    sampled = np.ones(5, dtype=bool)
    own, claimed = [], np.zeros((2, 2))
    for s, a, chance in outcomes(sampled):
        effects = found(s, a, 0.0)
        own.append((effects.own, chance))
        spread = Spread.of(effects)
        claimed += chance * 2.0 * spread.covariance(spread)
    mean = np.sum([chance * one for one, chance in own], axis=0)
    exact = np.sum([chance * np.outer(one - mean, one - mean) for one, chance in own], axis=0)
    assert claimed == pytest.approx(exact, abs=1e-12)
