import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from kbpo.core.errors import InvalidInput
from kbpo_estimators.document_samples import SimpleRandom
from kbpo_estimators.f1 import harmonic
from kbpo_estimators.iid import DrawnPrecision
from kbpo_estimators.intervals import LEVELS, every_interval, f1_interval, interval, wilson
from kbpo_estimators.recall import document_recall

RECALL = document_recall(
    [4, 0, 2, 2], [2, 0, 2, 0], SimpleRandom(8)
)  # ½, variance 1/48, 2 degrees of freedom
NOTHING_FOUND = document_recall([4, 0, 2, 2], [0, 0, 0, 0], SimpleRandom(8))


def precision(estimate, variance=0.0016, n_eff=100.0):
    return DrawnPrecision(estimate, variance, 100, n_eff, np.empty(0))


def logit(share):
    return math.log(share / (1 - share))


# Precision


def test_precision_is_normal_on_the_logit_scale():
    got = interval(precision(0.2), 0.95)
    reach = 1.959964 * 0.04 / (0.2 * 0.8)
    assert [logit(got.low), logit(got.high)] == pytest.approx([logit(0.2) - reach, logit(0.2) + reach])


@pytest.mark.parametrize(("level", "z"), [(0.80, 1.281552), (0.90, 1.644854), (0.95, 1.959964)])
def test_the_level_sets_the_reach(level, z):
    got = interval(precision(0.5, 0.0001), level)
    assert logit(got.high) == pytest.approx(z * 0.01 / 0.25, rel=1e-5)


def test_a_precision_above_one_is_clipped_and_wilson_takes_over():
    got = interval(precision(1.05), 0.95)
    assert (got.estimate, got.high) == (1.0, 1.0)
    assert got.low == pytest.approx(100 / (100 + 1.959964**2))


def test_a_precision_below_zero_is_clipped_and_wilson_takes_over():
    got = interval(precision(-0.01), 0.95)
    assert (got.estimate, got.low) == (0.0, 0.0)
    assert got.high == pytest.approx(1.959964**2 / (100 + 1.959964**2))


def test_an_estimate_that_shows_no_variance_gets_wilsons_interval():
    assert interval(precision(0.5, 0.0)) == wilson(0.5, 100)
    assert interval(precision(0.5, None)) == wilson(0.5, 100)


def test_a_census_has_no_width():
    got = interval(precision(0.37, 0.0, math.inf))
    assert (got.low, got.high) == (0.37, 0.37)


# Wilson


def test_wilson_agrees_with_scipy():
    got, other = wilson(0.3, 50, 0.90), stats.binomtest(15, 50).proportion_ci(0.90, "wilson")
    assert (got.low, got.high) == pytest.approx((other.low, other.high))


@given(
    estimate=st.one_of(st.just(0.0), st.just(1.0), st.floats(0, 1)),
    n=st.one_of(st.just(math.inf), st.floats(0.1, 1e9)),
    level=st.sampled_from(LEVELS),
)
def test_wilson_holds_its_estimate_and_stays_within_zero_and_one(estimate, n, level):
    got = wilson(estimate, n, level)
    assert 0 <= got.low <= got.estimate <= got.high <= 1


# Recall


def test_recall_has_students_t_on_the_logit_scale():
    got = interval(RECALL, 0.95)
    assert logit(got.high) == pytest.approx(stats.t.ppf(0.975, 2) * math.sqrt(1 / 48) / 0.25)


def test_recall_of_nothing_is_wilsons_with_the_documents_that_have_true_relations():
    assert interval(NOTHING_FOUND) == wilson(0.0, 3)


def test_recall_at_a_census_has_no_width():
    got = interval(document_recall([4, 2], [1, 1], SimpleRandom(2)))
    assert (got.low, got.high) == (got.estimate, got.estimate)


def test_a_single_document_with_true_relations_gets_a_wide_interval():
    assert interval(document_recall([4, 0], [2, 0], SimpleRandom(9))) == wilson(0.5, 1)


def test_a_single_document_says_nothing_of_how_documents_vary_whatever_labels_add():
    single = document_recall([4, 0], [2, 0], SimpleRandom(8))
    with_labels = replace(single, variance_of_labels=0.01)
    assert interval(with_labels, 0.95) == wilson(0.5, 1, 0.95)


def test_recall_that_is_not_estimable_has_no_interval():
    assert interval(None) is None


# F1


def test_f1_has_recalls_degrees_of_freedom_on_the_logit_scale():
    got = f1_interval(precision(0.25, 0.01), RECALL, 0.95)
    f = 1 / 3
    variance = (8 / 9) ** 2 * 0.01 + (2 / 9) ** 2 / 48
    reach = stats.t.ppf(0.975, 2) * math.sqrt(variance) / (f * (1 - f))
    assert [logit(got.low), logit(got.high)] == pytest.approx([logit(f) - reach, logit(f) + reach])


def test_f1_joins_the_ends_where_precision_is_on_the_edge():
    p, r = interval(precision(1.1)), interval(RECALL)
    got = f1_interval(precision(1.1), RECALL)
    assert (got.low, got.high) == (harmonic(p.low, r.low), harmonic(p.high, r.high))


def test_f1_joins_the_ends_where_recall_is_on_the_edge():
    p, r = interval(precision(0.5)), interval(NOTHING_FOUND)
    got = f1_interval(precision(0.5), NOTHING_FOUND)
    assert (got.estimate, got.low, got.high) == (0.0, 0.0, harmonic(p.high, r.high))


def test_f1_joins_the_ends_where_recall_is_known_exactly():
    census = document_recall([4, 2], [2, 1], SimpleRandom(2))
    p = interval(precision(0.4))
    got = f1_interval(precision(0.4), census)
    assert (got.low, got.high) == (harmonic(p.low, 0.5), harmonic(p.high, 0.5))


def test_f1_of_nothing_is_zero_and_may_still_be_more():
    got = f1_interval(precision(-0.1), NOTHING_FOUND)
    assert (got.estimate, got.low) == (0.0, 0.0)
    assert got.high > 0


def test_f1_that_is_not_estimable_has_no_interval():
    assert f1_interval(precision(0.5), None) is None


# All


@given(
    estimate=st.floats(-0.2, 1.2),
    variance=st.one_of(st.none(), st.just(0.0), st.floats(1e-12, 0.5)),
    n_eff=st.floats(0.5, 1e6),
    found=st.lists(st.integers(0, 4), min_size=3, max_size=3),
    level=st.sampled_from(LEVELS),
)
def test_intervals_hold_their_estimate_and_stay_within_zero_and_one(estimate, variance, n_eff, found, level):
    share, recall = precision(estimate, variance, n_eff), document_recall([4, 5, 6], found, SimpleRandom(9))
    for got in (interval(share, level), interval(recall, level), f1_interval(share, recall, level)):
        assert 0 <= got.low <= got.estimate <= got.high <= 1


@given(estimate=st.floats(0.01, 0.99), variance=st.floats(1e-8, 0.1))
def test_a_higher_level_is_never_narrower(estimate, variance):
    widths = [
        got.high - got.low for got in (interval(precision(estimate, variance), level) for level in LEVELS)
    ]
    assert widths == sorted(widths)


def test_intervals_of_many_are_those_of_each():
    shares = [
        precision(0.2),
        precision(1.05),
        None,
        RECALL,
        precision(0.5, None),
        precision(0.997),
        NOTHING_FOUND,
    ]
    found = every_interval(shares)
    assert [[one is None for one in own] for own in found] == [[share is None] * 3 for share in shares]
    for share, own in zip(shares, found, strict=True):
        for level, got in zip(LEVELS, own, strict=True):
            if got is not None:
                again = interval(share, level)
                assert (got.low, got.estimate, got.high) == pytest.approx(
                    (again.low, again.estimate, again.high), rel=1e-13
                )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: interval(precision(0.5), 0.5), "level: is 0.5; one of 0.8, 0.9, 0.95"),
        (lambda: f1_interval(precision(0.5), RECALL, 95), "level: is 95"),
        (lambda: wilson(1.5, 10), "estimate: is 1.5"),
        (lambda: wilson(0.5, 0), "n: is 0"),
    ],
)
def test_a_wrong_argument_is_named(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
