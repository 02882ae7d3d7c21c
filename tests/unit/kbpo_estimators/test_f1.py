import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kbpo_estimators.document_samples import SimpleRandom
from kbpo_estimators.f1 import f1, harmonic
from kbpo_estimators.iid import DrawnPrecision
from kbpo_estimators.recall import document_recall

RECALL = document_recall([4, 0, 2, 2], [2, 0, 2, 0], SimpleRandom(8))  # ½, variance 1/48

shares = st.floats(0.01, 1)


def precision(estimate, variance=0.01):
    return DrawnPrecision(estimate, variance, 100, 100.0, np.empty(0))


def test_f1_is_the_harmonic_mean():
    assert f1(precision(0.25), RECALL).estimate == pytest.approx(2 * 0.25 * 0.5 / 0.75)


def test_the_variance_by_the_delta_method():
    # P = ¼, R = ½: F_P = 2 (2/3)² = 8/9, F_R = 2 (1/3)² = 2/9.
    got = f1(precision(0.25, 0.01), RECALL)
    assert got.variance == pytest.approx((8 / 9) ** 2 * 0.01 + (2 / 9) ** 2 / 48)


@given(p=shares, r=shares)
def test_the_derivatives_are_those_of_f1(p, r):
    step = 1e-6
    recall = document_recall([100_000, 100_000], [round(r * 100_000)] * 2, SimpleRandom(5))
    got = f1(precision(p), recall)
    slope = (harmonic(p + step, recall.estimate) - harmonic(p - step, recall.estimate)) / (2 * step)
    assert got.by_precision == pytest.approx(slope, rel=1e-3)
    slope = (harmonic(p, recall.estimate + step) - harmonic(p, recall.estimate - step)) / (2 * step)
    assert got.by_recall == pytest.approx(slope, rel=1e-3)


@given(p=shares, r=shares)
def test_f1_lies_between_precision_and_recall(p, r):
    assume(p != r)
    assert min(p, r) - 1e-12 <= harmonic(p, r) <= max(p, r) + 1e-12


def test_a_precision_above_one_counts_as_one():
    assert f1(precision(1.2), RECALL).estimate == pytest.approx(2 / 3)


def test_f1_is_zero_where_both_are():
    nothing = document_recall([2, 3], [0, 0], SimpleRandom(9))
    assert f1(precision(-0.1), nothing).estimate == 0


def test_f1_is_not_estimable_where_recall_is_not():
    assert f1(precision(0.5), None) is None


def test_f1_has_no_variance_where_precision_shows_none():
    assert f1(precision(0.5, None), RECALL).variance is None
