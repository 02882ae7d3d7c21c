"""Recall and F1 of ten real systems under every weighting, from samples of claims and of documents."""

from functools import cache

import numpy as np
import pytest

from evaluation.kbp.name_keys import Names
from evaluation.kbp.recall.relation_keys import number_relations
from kbpo_estimators import coordinated
from kbpo_estimators.document_samples import SimpleRandom
from kbpo_estimators.documents import Documents
from kbpo_estimators.kbp.labels import Labels
from kbpo_estimators.scores import CoordinatedSample, System, coordinated_estimates
from kbpo_estimators.weighted_recall import WEIGHTED, weigher
from kbpo_estimators.weighting import every
from tests import knowledgenet

pytestmark = knowledgenet.needs_knowledgenet

DRAWN = 300  # documents
ESTIMATORS = ("documents", "labelled", "both")
PART = "relation"


@cache
def systems() -> list[System]:
    pool = knowledgenet.pool()
    names = {doc_id: Names(doc_id, text) for doc_id, text in pool.texts.items()}
    found = []
    for one, rows in zip(pool.systems, pool.members, strict=True):
        subjects = [names[claim.doc_id].key(*claim.subject) for claim in one.claims]
        objects = [names[claim.doc_id].key(*claim.object) for claim in one.claims]
        weights = every(subjects, [claim.predicate for claim in one.claims], objects)
        found.append(System(rows, weights, one.confidence, team=ord(one.team[0])))
    return found


@cache
def documents() -> Documents:
    pool = knowledgenet.pool()
    size, right = len(pool.documents), pool.matching.correct
    finds = np.array([pool.found_by(system) for system in range(len(pool.systems))])
    return Documents(
        SimpleRandom(size),
        np.bincount(pool.true_document, minlength=size),
        {PART: np.array([np.bincount(pool.true_document[found], minlength=size) for found in finds])},
        {
            PART: np.array(
                [np.bincount(pool.claim_document[rows[right[rows]]], minlength=size) for rows in pool.members]
            )
        },
        {PART: np.bincount(pool.claim_document[right], minlength=size)},
        relations=number_relations(pool.relations, pool.true_document, pool.texts),
        finds={PART: finds},
    )


def run(seed: int) -> list[list[tuple[float, ...]]]:
    """Return for each estimator, weighting and system the error, and what the interval holds, of R and F1."""
    pool, rng = knowledgenet.pool(), np.random.default_rng(seed)
    pi, target = np.zeros(len(pool.keys)), coordinated.target_variance()
    for number in rng.permutation(len(pool.systems)):
        rows = pool.members[number]
        floor = coordinated.floor_labels(target, coordinated.MAXIMUM_FLOOR) / rows.size
        pi[rows], _ = coordinated.top_up(pi[rows], systems()[number].weights["instance"], target, floor)
    secret = b"weighted recall|%d" % seed
    sampled = coordinated.uniforms(secret, pool.keys) < pi
    (estimates,) = coordinated_estimates(
        systems(),
        Labels(
            np.where(sampled, pool.correct.astype(float), np.nan),
            [np.full(rows.size, np.nan) for rows in pool.members],
        ),
        CoordinatedSample(pi, sampled, coordinated.folds(secret, pool.keys)),
        documents().take(np.sort(rng.choice(len(pool.documents), DRAWN, replace=False))),
        parts=[PART],
    )
    found = {}
    for score in estimates.scores([0.95]):
        precision, recall = truth(score.weighting, score.system)
        f1 = 2 * precision * recall / (precision + recall)
        found[score.estimator, score.weighting, score.system] = (
            score.recall.estimate - recall,
            score.recall.low <= recall <= score.recall.high,
            score.f1.estimate - f1,
            score.f1.low <= f1 <= score.f1.high,
        )
    of_all = range(len(pool.systems))
    return [
        [found[estimator, name, system] for system in of_all] for estimator in ESTIMATORS for name in WEIGHTED
    ]


@cache
def truth(weighting: str, system: int) -> tuple[float, float]:
    pool, true = knowledgenet.pool(), documents().relations
    assert true is not None
    weights = weigher(true, weighting)(np.ones(true.document.size))
    one = systems()[system]
    precision = one.weights[weighting] @ pool.correct[one.rows]
    return float(precision), float(pool.found_by(system) @ weights / weights.sum())


@pytest.fixture(scope="module")
def runs(simulate_once):
    """Array [300 seeds, estimators, weightings, systems, 4]."""
    found = np.array(
        simulate_once("weighted recall", lambda: [run(seed) for seed in range(300)]), dtype=float
    )
    shaped = found.reshape(300, len(ESTIMATORS), len(WEIGHTED), len(systems()), 4)
    for estimator, of_estimator in zip(ESTIMATORS, np.moveaxis(shaped, 1, 0), strict=True):
        for name, one in zip(WEIGHTED, np.moveaxis(of_estimator, 1, 0), strict=True):
            of_errors = one[..., ::2]  # of recall and of F1
            error = of_errors.mean(axis=0) / (of_errors.std(axis=0, ddof=1) / np.sqrt(len(one)))
            print(
                f"{estimator:10} {name:17} recall: held {one[..., 1].mean():.3f},"
                f" mean error {one[..., 0].mean():+.4f}, worst {abs(error[:, 0]).max():.1f} standard errors;"
                f" F1: held {one[..., 3].mean():.3f}, worst {abs(error[:, 1]).max():.1f}"
            )
    return shaped


def assert_nominal(held):
    assert (held >= 0.93).all()
    assert (held <= 0.97).all()


@pytest.mark.parametrize("weighting", WEIGHTED)
def test_intervals_of_recall_from_documents_and_from_both_hold_the_truth(runs, weighting):
    held = runs[:, ::2, list(WEIGHTED).index(weighting), :, 1].mean(axis=(0, 2))
    assert_nominal(held)


@pytest.mark.parametrize("weighting", WEIGHTED)
def test_intervals_of_f1_hold_the_truth(runs, weighting):
    held = runs[:, ::2, list(WEIGHTED).index(weighting), :, 3].mean(axis=(0, 2))
    assert_nominal(held)


def test_recall_is_right_on_average_for_every_system_under_every_weighting(runs):
    error = runs[..., 0]
    off = abs(error.mean(axis=0)) / (error.std(axis=0, ddof=1) / np.sqrt(len(error)))
    assert (off < 3).mean() >= 0.99
    assert off.max() < 4.5
