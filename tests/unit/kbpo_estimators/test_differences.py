import numpy as np
import pytest

from kbpo.core.errors import InvalidInput
from kbpo_estimators.coordinated import variance_weights
from kbpo_estimators.document_samples import SimpleRandom
from kbpo_estimators.f1 import PoolSample, f1
from kbpo_estimators.intervals import Interval, difference_interval
from kbpo_estimators.labelled import share_of_pool
from kbpo_estimators.recall import document_recall
from tests.oracles.differences import f1_difference, precision_difference, recall_difference
from tests.oracles.labelled import labelled_recall
from tests.oracles.precision import difference_precision

PI = np.array([0.5, 0.25, 0.5, 0.8])
WEIGHTS = variance_weights(PI)
LABELS = np.array([1.0, 0.0, 0.0, 1.0])
DOCUMENTS = SimpleRandom(40)


def scored(positions):
    """The precision of a system that has these instances of the pool, all of them sampled, weighed alike."""
    n = len(positions)
    precision = difference_precision(
        np.full(n, 1 / n), PI[positions], np.ones(n, bool), LABELS[positions], np.arange(n) % 2, k=2
    )
    return precision, PoolSample(WEIGHTS, positions)


def recalled(found):
    return document_recall([4, 1, 2, 3], found, DOCUMENTS)


def labelled(own):
    share = share_of_pool(PI, LABELS, np.where(own, LABELS, 0))
    return labelled_recall(share, [4, 1, 2, 3], [3, 1, 1, 2], [2, 0, 1, 1], [2, 0, 1, 1], DOCUMENTS)


# The pool's sample


def test_contributions_are_placed_where_the_pool_has_them():
    assert PoolSample(WEIGHTS, [2, 0]).placed(np.array([5.0, 7.0])).tolist() == [7, 0, 5, 0]


def test_a_known_instance_outside_the_pools_sample_is_left_out():
    assert PoolSample(WEIGHTS, [-1, 3]).placed(np.array([5.0, 7.0])).tolist() == [0, 0, 0, 7]


def test_a_known_instance_contributes_no_chance():
    known = difference_precision([0.5, 0.5], [1.0, 0.5], [True, True], [1, 0], [0, 1], k=2)
    assert known.contributions[0] == 0


def test_the_pools_sample_gives_back_the_variance_of_precision():
    precision, pool = scored([0, 1, 3])
    assert pool.variance(pool.placed(precision.contributions)) == pytest.approx(precision.variance)


# F1 from labels


def test_f1_from_documents_is_the_same_with_and_without_the_pools_sample():
    precision, pool = scored([0, 1, 3])
    recall = recalled([2, 0, 1, 1])
    assert f1(precision, recall, pool).variance == pytest.approx(f1(precision, recall).variance)


def test_f1_from_labels_counts_that_precision_and_recall_share_them():
    precision, pool = scored([0, 1, 2])
    recall = labelled([True, True, True, False])
    got = f1(precision, recall, pool)
    apart = got.by_precision**2 * precision.variance + got.by_recall**2 * recall.variance
    cross = (
        2
        * got.by_precision
        * got.by_recall
        * (WEIGHTS @ (pool.placed(precision.contributions) * recall.contributions))
    )
    assert cross != 0
    assert got.variance == pytest.approx(apart + cross)


def test_f1_from_labels_needs_the_pools_sample():
    with pytest.raises(InvalidInput, match="pool: is missing"):
        f1(scored([0, 1, 2])[0], labelled([True, True, True, False]))


# Differences


def test_a_system_does_not_differ_from_itself():
    precision, pool = scored([0, 1, 3])
    recall = recalled([2, 0, 1, 1])
    one = f1(precision, recall, pool)
    for difference in (
        precision_difference(precision, pool, precision, pool),
        recall_difference(recall, recall),
        f1_difference(one, one),
    ):
        assert (difference.estimate, difference.variance) == (0, 0)


def test_systems_without_common_instances_have_independent_precisions():
    (first, first_pool), (second, second_pool) = scored([0, 1]), scored([2, 3])
    got = precision_difference(first, first_pool, second, second_pool)
    assert got.variance == pytest.approx(first.variance + second.variance)


def test_common_labels_leave_the_difference_of_residuals():
    (first, first_pool), (second, second_pool) = scored([0, 1, 2]), scored([0, 1, 3])
    got = precision_difference(first, first_pool, second, second_pool)
    placed = np.array(
        [
            first.contributions[0] - second.contributions[0],
            first.contributions[1] - second.contributions[1],
            first.contributions[2],
            -second.contributions[2],
        ]
    )
    assert got.variance == pytest.approx(WEIGHTS @ placed**2)
    assert got.estimate == pytest.approx(first.estimate - second.estimate)


def test_recalls_are_paired_on_their_documents():
    first, second = recalled([2, 0, 1, 1]), recalled([3, 0, 1, 2])
    got = recall_difference(first, second)
    shared = DOCUMENTS.covariance(first.residuals, second.residuals)
    assert got.variance == pytest.approx(first.variance + second.variance - 2 * shared)
    assert got.degrees_of_freedom == 3


def test_recalls_from_labels_are_paired_on_documents_and_labels():
    first, second = labelled([True, True, False, False]), labelled([False, True, False, True])
    got = recall_difference(first, second, WEIGHTS)
    shared = DOCUMENTS.covariance(first.residuals, second.residuals)
    shared += WEIGHTS @ (first.contributions * second.contributions)
    assert got.variance == pytest.approx(first.variance + second.variance - 2 * shared)


def test_recall_from_labels_can_be_held_against_recall_from_documents():
    first, second = labelled([True, True, False, False]), recalled([2, 0, 1, 1])
    got = recall_difference(first, second, WEIGHTS)
    shared = DOCUMENTS.covariance(first.residuals, second.residuals)
    assert got.variance == pytest.approx(first.variance + second.variance - 2 * shared)


def test_f1s_are_paired_on_instances_and_documents():
    (p1, pool1), (p2, pool2) = scored([0, 1, 2]), scored([0, 1, 3])
    r1, r2 = recalled([2, 0, 1, 1]), recalled([3, 0, 1, 2])
    first, second = f1(p1, r1, pool1), f1(p2, r2, pool2)
    by_instances = first.by_precision * pool1.placed(p1.contributions)
    by_instances -= second.by_precision * pool2.placed(p2.contributions)
    z = first.by_recall * r1.residuals - second.by_recall * r2.residuals
    expected = WEIGHTS @ by_instances**2 + DOCUMENTS.covariance(z, z)
    assert f1_difference(first, second).variance == pytest.approx(expected)


# Intervals


def test_the_interval_of_a_difference_by_hand():
    first, second = recalled([2, 0, 1, 1]), recalled([3, 0, 1, 2])
    difference = recall_difference(first, second)
    got = difference_interval(difference, Interval(0.4, 0.3, 0.5), Interval(0.6, 0.5, 0.7), 0.95)
    reach = 3.182446 * np.sqrt(difference.variance)  # t with 3 degrees of freedom
    assert (got.low, got.high) == pytest.approx((-0.2 - reach, -0.2 + reach), rel=1e-5)


def test_on_the_edge_the_two_intervals_are_joined():
    (first, first_pool), (second, second_pool) = scored([0, 3]), scored([1, 2])  # all right, all wrong
    difference = precision_difference(first, first_pool, second, second_pool)
    got = difference_interval(difference, Interval(1.0, 0.8, 1.0), Interval(0.0, 0.0, 0.1))
    assert got.low == pytest.approx(1 - np.hypot(0.2, 0.1))
    assert got.high == 1.0


# Refusals


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: PoolSample(WEIGHTS, [4]), "positions: the value 4.0 at position 0"),
        (lambda: PoolSample(WEIGHTS, [0]).placed(np.ones(2)), "positions: has 1 values"),
        (
            lambda: precision_difference(*scored([0, 1]), scored([0, 1])[0], PoolSample(WEIGHTS * 2, [0, 1])),
            "second: comes from another pool's sample",
        ),
        (
            lambda: recall_difference(recalled([0, 0, 1, 1]), document_recall([4, 1], [1, 1], DOCUMENTS)),
            "second: comes from other documents",
        ),
        (
            lambda: recall_difference(labelled([True] * 4), recalled([0, 0, 1, 1])),
            "weights: are missing",
        ),
        (
            lambda: f1_difference(*[f1(scored([0, 1])[0], recalled([1, 0, 1, 1]))] * 2),
            "pool: is missing from an F1",
        ),
    ],
)
def test_a_wrong_argument_is_named(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
