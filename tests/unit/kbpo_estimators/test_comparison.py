import numpy as np
import pytest

from kbpo_estimators.comparison import (
    OtherDocuments,
    comparables,
    differences,
)
from kbpo_estimators.document_samples import SimpleRandom, TwoPhase
from kbpo_estimators.f1 import f1
from kbpo_estimators.scores import coordinated_estimates, iid_estimates
from tests.oracles.differences import f1_difference, precision_difference, recall_difference
from tests.unit.kbpo_estimators.small_pool import small_pool

POPULATION = 60
SAMPLE = SimpleRandom(POPULATION)
MEASURES = ("precision", "recall", "f1")


def estimated(seed, design="coordinated", part="relation"):
    pool = small_pool(seed)
    documents = pool.documents(POPULATION)
    if design == "iid":
        (found,) = iid_estimates(
            pool.systems,
            pool.labels(),
            pool.draws(seed, 40),
            documents,
            parts=[part],
        )
        return found
    sample = pool.sample(seed)
    (found,) = coordinated_estimates(
        pool.systems,
        pool.labels(sample.sampled),
        sample,
        documents,
        weightings=["subject_relation"],
        parts=[part],
    )
    return found


def chosen(estimates, estimator):
    return next(one for name, _, one in comparables(estimates) if name == estimator)


def nothing(found):
    return all(found.of(i, j) is None for i in range(4) for j in range(4))


def everything(found):
    return None not in [found.of(i, j) for i in range(4) for j in range(4)]


@pytest.mark.parametrize(
    ("design", "estimator"),
    [
        ("coordinated", "documents"),
        ("coordinated", "labelled"),
        ("coordinated", "both"),
        ("iid", "simple"),
        ("iid", "joint"),
    ],
)
@pytest.mark.parametrize("measure", MEASURES)
def test_what_is_summed_up_gives_the_same_differences_as_every_contribution(design, estimator, measure):
    estimates = estimated(7, design, part="all")
    precision = estimates.precision[estimator, "subject_relation"]
    recall, pools = estimates.recall[estimator, "subject_relation"], estimates.pools[estimator]
    combined = [f1(*one) for one in zip(precision, recall, pools, strict=True)]
    expected = {
        "precision": lambda j: precision_difference(precision[0], pools[0], precision[j], pools[j]),
        "recall": lambda j: recall_difference(recall[0], recall[j], pools[0].weights),
        "f1": lambda j: f1_difference(combined[0], combined[j]),
    }[measure]
    stored = chosen(estimates, estimator)
    found = differences(stored, stored, measure, SAMPLE)
    for j in range(1, 4):
        one = found.of(0, j)
        assert one.estimate == pytest.approx(expected(j).estimate, abs=1e-12)
        assert one.variance == pytest.approx(expected(j).variance, rel=1e-9)
        assert one.degrees_of_freedom == expected(j).degrees_of_freedom
    alone = {"precision": precision[0], "recall": recall[0], "f1": combined[0]}[measure]
    assert found.own[0] == pytest.approx(alone.variance, rel=1e-9)


@pytest.mark.parametrize("measure", MEASURES)
def test_a_system_does_not_differ_from_itself(measure):
    stored = chosen(estimated(8), "both")
    same = differences(stored, stored, measure, SAMPLE).of(2, 2)
    assert (same.estimate, same.variance) == (0.0, 0.0)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("estimator", ["documents", "labelled", "both"])
def test_two_systems_alone_differ_as_they_do_among_all(estimator, measure):
    stored = chosen(estimated(8), estimator)
    two = stored.take([2, 0])
    expected = differences(stored, stored, measure, SAMPLE).of(2, 0)
    found = differences(two, two, measure, SAMPLE).of(0, 1)
    assert found.estimate == expected.estimate
    assert found.variance == pytest.approx(expected.variance, rel=1e-12)
    assert found.degrees_of_freedom == expected.degrees_of_freedom


@pytest.mark.parametrize("measure", MEASURES)
def test_one_system_alone_differs_from_another_epochs_as_it_does_among_all(measure):
    first, second = chosen(estimated(9), "documents"), chosen(estimated(10), "documents")
    expected = differences(first, second, measure, SAMPLE).of(1, 3)
    found = differences(first.take([1]), second.take([3]), measure, SAMPLE).of(0, 0)
    assert found.estimate == expected.estimate
    assert found.variance == pytest.approx(expected.variance, rel=1e-12)


def test_precisions_of_different_epochs_are_independent():
    first, second = chosen(estimated(9), "documents"), chosen(estimated(10), "documents")
    found = differences(first, second, "precision", SAMPLE).of(1, 0)
    alone = first.precision_covariance[1, 1] + second.precision_covariance[0, 0]
    assert found.variance == pytest.approx(alone)


def test_recalls_of_different_epochs_are_paired_on_the_documents():
    first, second = chosen(estimated(9), "documents"), chosen(estimated(9), "documents")
    found = differences(first, second, "recall", SAMPLE).of(0, 0)
    assert found.variance == 0.0  # the same system in both


@pytest.mark.parametrize("measure", ["recall", "f1"])
def test_documents_that_are_all_shared_pair_like_the_same_ones(measure):
    first, second = chosen(estimated(9), "documents"), chosen(estimated(10), "documents")
    every = np.arange(first.residuals.shape[1])
    expected = differences(first, second, measure, SAMPLE)
    found = differences(first, second, measure, SAMPLE, OtherDocuments(SAMPLE, every, every))
    assert found.variances == pytest.approx(expected.variances)


def test_recalls_over_documents_of_which_none_is_shared_are_as_unsure_as_both():
    first, second = chosen(estimated(9), "documents"), chosen(estimated(10), "documents")
    none = np.zeros(0, dtype=np.int64)
    later = SimpleRandom(POPULATION - 5)
    found = differences(first, second, "recall", SAMPLE, OtherDocuments(later, none, none)).of(1, 0)
    alone = SAMPLE.covariance(first.residuals[1], first.residuals[1]) + later.covariance(
        second.residuals[0], second.residuals[0]
    )
    assert found.variance == pytest.approx(alone)
    assert found.degrees_of_freedom == min(first.documents, second.documents) - 1


def test_recalls_over_some_shared_documents_are_surer_than_over_none_and_less_than_over_all():
    one = chosen(estimated(9), "documents")
    again = chosen(estimated(9), "documents")
    size = one.residuals.shape[1]
    variances = []
    for shared in (0, size - 2, size):
        other = OtherDocuments(SAMPLE, np.arange(shared), np.arange(shared))
        variances.append(differences(one, again, "recall", SAMPLE, other).of(0, 0).variance)
    assert variances[0] > variances[1] > variances[2] == pytest.approx(0.0, abs=1e-15)


def test_documents_of_two_phases_that_others_replaced_are_taken_to_be_independent():
    first, second = chosen(estimated(9), "documents"), chosen(estimated(10), "documents")
    size = first.residuals.shape[1]
    phases = TwoPhase([True] * size, [1.0] * size, POPULATION, size)
    none = np.zeros(0, dtype=np.int64)
    found = differences(first, second, "recall", SAMPLE, OtherDocuments(phases, none, none)).of(1, 0)
    alone = SAMPLE.covariance(first.residuals[1], first.residuals[1]) + phases.covariance(
        second.residuals[0], second.residuals[0]
    )
    assert found.variance == pytest.approx(alone)


def test_shared_documents_that_one_side_does_not_have_are_not_compared():
    first, second = chosen(estimated(9), "documents"), chosen(estimated(10), "documents")
    beyond = np.array([first.residuals.shape[1]])
    other = OtherDocuments(SAMPLE, beyond, np.array([0]))
    assert nothing(differences(first, second, "recall", SAMPLE, other))


def test_what_one_side_cannot_estimate_has_no_difference():
    pool = small_pool(11)
    sample = pool.sample(1)
    (without,) = coordinated_estimates(
        pool.systems,
        pool.labels(sample.sampled),
        sample,
        None,
        weightings=["subject_relation"],
        parts=["relation"],
    )
    stored = chosen(without, "documents")
    assert nothing(differences(stored, stored, "f1", SAMPLE))
    assert nothing(differences(chosen(estimated(9), "documents"), stored, "recall", SAMPLE))
    assert everything(differences(stored, stored, "precision", SAMPLE))


def test_recall_from_other_documents_is_not_compared():
    first = chosen(estimated(9), "documents")
    pool = small_pool(9, documents=7)
    sample = pool.sample(9)
    (fewer,) = coordinated_estimates(
        pool.systems,
        pool.labels(sample.sampled),
        sample,
        pool.documents(POPULATION),
        weightings=["subject_relation"],
        parts=["relation"],
    )
    second = chosen(fewer, "documents")
    assert nothing(differences(first, second, "recall", SAMPLE))
    assert everything(differences(first, second, "precision", SAMPLE))


def test_recall_from_documents_that_the_sample_does_not_have_is_not_compared():
    first = chosen(estimated(9), "documents")
    drawn = TwoPhase([True] * 7, [1.0] * 7, POPULATION, 9)
    assert nothing(differences(first, first, "f1", drawn))
    assert everything(differences(first, first, "precision", drawn))
