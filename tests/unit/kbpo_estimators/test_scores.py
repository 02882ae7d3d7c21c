from dataclasses import replace

import numpy as np
import pytest

from kbpo_estimators import iid
from kbpo_estimators.document_samples import SimpleRandom
from kbpo_estimators.labelled import both, share_of_pool
from kbpo_estimators.recall import document_recall
from kbpo_estimators.scores import (
    coordinated_estimates,
    iid_estimates,
)
from tests.oracles.labelled import labelled_recall, planned_alpha
from tests.scores import coordinated_scores
from tests.unit.kbpo_estimators.small_pool import small_pool

DEFAULT = ["subject_relation"]


def by_key(scores, level=95):
    return {(s.system, s.estimator, s.part): s for s in scores if s.level == level}


@pytest.mark.parametrize("part", ["relation", "all"])
@pytest.mark.parametrize("estimator", ["documents", "labelled", "both"])
def test_a_census_gives_the_truth(part, estimator):
    pool = small_pool(1)
    sample = pool.sample(0, pi=np.ones(pool.correct.size))
    scores = by_key(
        coordinated_scores(pool.systems, pool.labels(), sample, pool.documents(), weightings=DEFAULT)
    )
    for system in range(4):
        precision, recall = pool.truth(system, part)
        score = scores[system, estimator, part]
        assert score.precision.estimate == pytest.approx(precision, abs=1e-12)
        assert score.recall.estimate == pytest.approx(recall, abs=1e-12)
        assert score.f1.estimate == pytest.approx(2 * precision * recall / (precision + recall), abs=1e-12)


@pytest.mark.parametrize("design", ["coordinated", "iid"])
def test_what_is_right_in_retired_documents_adds_to_no_recall(design):
    # Everybody knows what is true in documents 9 to 11; recall is about the others, all of which are read.
    pool = small_pool(1)
    outside = pool.document >= 9
    everything = replace(pool.systems[1], rows=np.union1d(pool.systems[1].rows, np.flatnonzero(outside)))
    everything = replace(everything, confidence=np.ones(everything.rows.size))
    everything = replace(
        everything, weights={"subject_relation": np.full(everything.rows.size, 1 / everything.rows.size)}
    )
    pool.systems[1] = everything
    documents = replace(pool.documents().take(np.arange(9)), sample=SimpleRandom(9), outside=outside)
    if design == "coordinated":
        sample = pool.sample(0, pi=np.ones(pool.correct.size))
        (estimates,) = coordinated_estimates(
            pool.systems, pool.labels(), sample, documents, weightings=DEFAULT, parts=["relation"]
        )
        recalls, tolerance = estimates.recall["labelled", *DEFAULT], 1e-12
    else:
        (estimates,) = iid_estimates(
            pool.systems,
            pool.labels(),
            pool.draws(0, 40_000),
            documents,
            parts=["relation"],
        )
        recalls, tolerance = estimates.recall["joint", *DEFAULT], 0.01
    there = pool.correct & ~outside
    for system, recall in zip(pool.systems, recalls, strict=True):
        assert recall.estimate == pytest.approx(there[system.rows].sum() / there.sum(), abs=tolerance)


def test_what_is_claimed_in_retired_documents_has_no_part_in_how_both_recalls_are_weighed():
    pool = small_pool(1)
    outside = pool.document >= 9
    documents = replace(pool.documents().take(np.arange(9)), sample=SimpleRandom(40), outside=outside)
    found = []
    for certain in (False, True):  # as claims there are, once they are known
        sample = pool.sample(3)
        sample = replace(
            sample, pi=np.where(outside & certain, 1.0, sample.pi), sampled=sample.sampled | outside
        )
        (estimates,) = coordinated_estimates(
            pool.systems, pool.labels(), sample, documents, weightings=DEFAULT, parts=["relation"]
        )
        found.append([one.estimate for one in estimates.recall["both", *DEFAULT]])
    assert found[0] == pytest.approx(found[1], abs=1e-12)


def test_recall_from_labels_is_the_product_over_the_whole_pool():
    pool = small_pool(2)
    sample, documents = pool.sample(3), pool.documents(population=50)
    (estimates,) = coordinated_estimates(
        pool.systems, pool.labels(sample.sampled), sample, documents, weightings=DEFAULT, parts=["all"]
    )
    (name,) = DEFAULT
    drawn = np.flatnonzero(sample.sampled)
    right = (pool.correct & pool.right_names)[drawn]
    for number, system in enumerate(pool.systems):
        mine = np.isin(drawn, system.rows)
        share = share_of_pool(sample.pi[drawn], right, right & mine)
        simple = SimpleRandom(50)
        labelled = labelled_recall(
            share,
            documents.true,
            documents.pool_correct["all"],
            documents.correct["all"][number],
            documents.found["all"][number],
            simple,
        )
        teams = sum(
            np.isin(np.arange(pool.correct.size), np.concatenate([s.rows for s in pool.systems[i : i + 2]]))
            for i in (0, 2)
        )
        seen = teams > 0
        alpha = planned_alpha(
            teams[seen], np.isin(np.flatnonzero(seen), system.rows), sample.pi[seen], pool.size, 50
        )
        together = both(
            document_recall(documents.true, documents.found["all"][number], simple), labelled, alpha
        )
        assert estimates.recall["labelled", name][number].estimate == pytest.approx(
            labelled.estimate, abs=1e-12
        )
        assert estimates.recall["both", name][number].estimate == pytest.approx(together.estimate, abs=1e-12)
        assert estimates.recall["both", name][number].variance == pytest.approx(together.variance, abs=1e-15)


def test_names_alone_have_no_recall():
    pool = small_pool(3)
    sample = pool.sample(1)
    scores = coordinated_scores(
        pool.systems,
        pool.labels(sample.sampled),
        sample,
        pool.documents(),
        parts=["linking"],
        weightings=DEFAULT,
    )
    assert all(s.recall is None and s.f1 is None and s.precision is not None for s in scores)


@pytest.mark.parametrize("documents", ["none", "one"])
def test_without_two_exhaustive_documents_there_is_no_recall(documents):
    pool = small_pool(3)
    sample = pool.sample(1)
    annotated = None if documents == "none" else pool.documents().take(np.array([0]))
    scores = list(
        coordinated_scores(
            pool.systems, pool.labels(sample.sampled), sample, annotated, weightings=DEFAULT, parts=["all"]
        )
    )
    assert len(scores) == 4 * 3 * 3
    assert all(s.recall is None and s.f1 is None for s in scores)


def test_independent_draws_of_everything_make_joint_recall_that_of_the_draws():
    pool = small_pool(4)
    draws = pool.draws(5, 80)
    (estimates,) = iid_estimates(pool.systems, pool.labels(), draws, pool.documents(), parts=["relation"])
    P = iid.systems_matrix([(s.rows, s.weights["subject_relation"]) for s in pool.systems], pool.correct.size)
    drawn = [(rows, pool.correct[rows].astype(float)) for rows in draws.draws]
    shares = iid.shares_of_pool(P, drawn)
    documents = pool.documents()
    for number, share in enumerate(shares):
        phi = documents.pool_correct["relation"].sum() / documents.true.sum()
        expected = phi * share.estimate  # one to one: what it finds is what it has right
        assert estimates.recall["joint", *DEFAULT][number].estimate == pytest.approx(expected, abs=1e-12)
        assert estimates.recall["simple", *DEFAULT][number].estimate == pytest.approx(
            documents.found["relation"][number].sum() / documents.true.sum()
        )
