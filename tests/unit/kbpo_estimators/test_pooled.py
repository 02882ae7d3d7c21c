import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from kbpo.core.errors import InvalidInput
from kbpo_estimators import pooled
from kbpo_estimators.many import difference_precisions
from kbpo_estimators.pooled import SampleEntries, UnitFeatures, learn
from kbpo_estimators.reduced import reduce_groups, reduce_systems
from kbpo_estimators.scores import System
from tests.oracles.precision import difference_precision
from tests.unit.kbpo_estimators.worlds import CONFIDENCE, CORRECT, WEIGHTS, batches, poisson_samples

FOLDS = np.array([0, 1, 2, 0, 1, 2, 0, 1])
FEATURES = UnitFeatures(["a relation"], np.array([[0.0], [1.0]]), np.array([0, 1, 0, 1, 1, 0, 0, 1]))
TEAMS = (1, 1, 2)
SYSTEMS = [
    System(np.flatnonzero(p), {"p": p[p > 0]}, CONFIDENCE[p > 0] / (1 + number), team)
    for number, (p, team) in enumerate(zip(WEIGHTS, TEAMS, strict=True))
]
LINKED = np.array([1, 1, 0, 1, 1, 1, 1, 0], dtype=float)
"""What the second system names is wrong where the first one's is right, and the other way round."""


def labels_of(entries, sampled):
    """Labels of two parts, of which one depends on the system."""
    place = np.flatnonzero(sampled)[entries.positions]
    system = np.repeat(np.arange(entries.systems), np.diff(entries.indptr))
    named = np.where(system == 1, 1 - LINKED[place], LINKED[place])
    return {"relation": CORRECT[place], "all": CORRECT[place] * named}


def truth(system, part):
    named = 1 - LINKED if system == 1 else LINKED
    return float(WEIGHTS[system] @ (CORRECT * named if part == "all" else CORRECT))


def learnt(systems, sampled, folds=FOLDS, features=FEATURES, **options):
    entries = SampleEntries.of(systems, sampled)
    return entries, learn(
        systems, features, sampled, folds, entries, labels_of(entries, sampled), k=3, **options
    )


def expected(pi, part, needs=1, systems=SYSTEMS):
    """The expected estimates over every sample that could be drawn."""
    terms = []
    for sampled, probability in poisson_samples(pi):
        entries, models = learnt(systems, sampled)
        weighted = [(system.rows, system.weights, system.confidence) for system in systems]
        reduced = reduce_systems(weighted, len(systems), pi, sampled, FOLDS, models=models, k=3)["p"]
        found = difference_precisions(
            reduced,
            labels_of(entries, sampled)[part],
            model=part,
            confidence_needs=needs,
        )
        terms.append([probability * one.estimate for one in found])
    return [math.fsum(column) for column in zip(*terms, strict=True)]


# Exactly unbiased, by listing every sample


@pytest.mark.slow
@pytest.mark.parametrize("part", ["relation", "all"])
@pytest.mark.parametrize("needs", [1, 2], ids=["confidence and model", "model where there is enough"])
def test_the_expected_estimate_is_the_truth_after_the_last_batch(part, needs):
    assert expected(batches()[-1], part, needs) == pytest.approx(
        [truth(system, part) for system in range(3)], abs=1e-12
    )


@pytest.mark.slow
def test_the_expected_estimate_is_the_truth_after_the_first_two_batches():
    # Only they are in the pool; what nobody claims yet has no probability.
    pi = np.maximum(batches()[1], 1e-300)
    assert expected(pi, "relation", systems=SYSTEMS[:2]) == pytest.approx(
        [truth(system, "relation") for system in range(2)], abs=1e-12
    )


@pytest.mark.parametrize("known", [[0, 5], [2, 5, 6]])
def test_the_expected_estimate_is_the_truth_with_known_instances(known):
    pi = batches()[-1].copy()
    pi[known] = 1.0
    assert expected(pi, "relation") == pytest.approx(
        [truth(system, "relation") for system in range(3)], abs=1e-12
    )


def test_a_model_that_learns_from_the_fold_itself_is_biased():
    pi = batches()[-1]
    p = WEIGHTS[0][:5]
    total = 0.0
    for sampled, probability in poisson_samples(pi):
        leaky = np.zeros((5, 3)) + np.where(sampled, CORRECT, 0.5)[:5, None]
        found = difference_precision(
            p, pi[:5], sampled[:5], CORRECT[:5], FOLDS[:5], model=leaky, k=3, confidence_needs=1
        )
        total += probability * found.estimate
    assert abs(total - truth(0, "relation")) > 0.01


# What it is fitted on


class Pool:
    """Systems of some teams over common units, and a task's features."""

    def __init__(self, seed=0, size=400, teams=(1, 1, 2, 3)):
        rng = np.random.default_rng(seed)
        self.size, self.rng = size, rng
        claimed = rng.random((len(teams), size)) < 0.5
        claimed[0, :2] = claimed[1, :2] = True
        self.right = (rng.random(size) < np.where(claimed.sum(axis=0) > 2, 0.8, 0.3)).astype(float)
        self.systems = []
        for own, team in zip(claimed, teams, strict=True):
            rows = np.flatnonzero(own)
            p = rng.uniform(0.5, 1.5, rows.size)
            sure = np.clip(0.5 + 0.2 * self.right[rows] + 0.2 * rng.normal(size=rows.size), 0.01, 1)
            self.systems.append(System(rows, {"p": p / p.sum()}, sure, team))
        self.features = UnitFeatures(["a", "b"], np.eye(2), rng.integers(2, size=size))
        self.folds = rng.integers(5, size=size)
        self.pi = rng.uniform(0.2, 0.9, size)
        self.sampled = rng.random(size) < self.pi

    def learn(self, systems=None, right=None, sampled=None, features=None, **options):
        systems = self.systems if systems is None else systems
        sampled = self.sampled if sampled is None else sampled
        right = self.right if right is None else right
        entries = SampleEntries.of(systems, sampled)
        f = right[np.flatnonzero(sampled)[entries.positions]]
        features = features or self.features
        return learn(systems, features, sampled, self.folds, entries, {"part": f}, **options)["part"]


@pytest.mark.parametrize("options", [{}, {"most_teams": 1}, {"most_rows": 50}])
def test_a_folds_labels_and_draws_do_not_move_what_is_predicted_in_it(options):
    pool = Pool()
    inside = pool.folds == 2
    others = np.where(inside, pool.rng.random(pool.size) < 0.5, pool.sampled)
    before = pool.learn(**options)
    after = pool.learn(right=np.where(inside, 1 - pool.right, pool.right), sampled=others, **options)
    assert after.of_pool[inside].tolist() == before.of_pool[inside].tolist()
    assert after.model.coefficients[2].tolist() == before.model.coefficients[2].tolist()
    assert after.model.coefficients[1].tolist() != before.model.coefficients[1].tolist()


def test_what_is_predicted_of_the_sample_is_what_is_predicted_of_the_pool():
    pool = Pool()
    found = pool.learn()
    own = pool.folds[pool.sampled]
    assert found.of_sample[np.arange(own.size), own] == pytest.approx(found.of_pool[pool.sampled], abs=1e-12)


def test_copies_of_a_system_change_nothing():
    pool = Pool()
    copied = [*pool.systems, pool.systems[0], pool.systems[2]]
    assert pool.learn(copied).of_pool == pytest.approx(pool.learn().of_pool, abs=1e-8)


def test_a_teams_label_counts_once_however_many_systems_it_has():
    # Units that two of three systems of a team, and one of another, have named right.
    systems = [System(np.array([0]), {}, np.array([0.5]), team) for team in (1, 1, 1, 2)]
    entries = SampleEntries.of(systems, np.array([True]))
    assert pooled._of_units(entries, np.array([0, 0, 0, 1]), np.array([1.0, 1, 0, 0]), 1) == pytest.approx(
        [1 / 3]
    )


def test_confidences_count_by_how_they_order_a_teams_claims_not_by_their_scale():
    pool = Pool()
    halved = [replace(one, confidence=one.confidence / 2 + 0.1) for one in pool.systems]
    assert pool.learn(halved).of_pool == pytest.approx(pool.learn().of_pool, abs=1e-6)


def test_sparse_and_dense_features_give_the_same():
    pool = Pool()
    thin = replace(pool.features, table=sparse.csr_array(pool.features.table))
    assert pool.learn(features=thin).model.digest == pool.learn().model.digest


def test_the_digest_tells_the_labels_apart():
    pool = Pool()
    other = pool.learn(right=1 - pool.right)
    assert pool.learn().model.digest == pool.learn().model.digest != other.model.digest


def test_of_many_teams_those_that_claim_most_are_known_by_themselves():
    pool = Pool(teams=(1, 2, 3, 4))
    largest = max(pool.systems, key=lambda one: one.rows.size)
    names = pool.learn(most_teams=1).model.names
    assert [name for name in names if name.startswith("team ")] == [f"team {largest.team}"]


def test_no_more_rows_are_learnt_from_than_allowed():
    rows = Pool(size=2_000).learn(most_rows=100).model.rows
    assert rows.max() <= 100


def test_a_part_without_labels_has_a_model_that_says_nothing():
    pool = Pool()
    found = pool.learn(sampled=np.zeros(pool.size, dtype=bool))
    assert set(found.of_pool.tolist()) == {0.5}


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"codes": np.array([0, 1])}, "features"),
        ({"codes": np.full(8, 7)}, "features"),
    ],
)
def test_features_that_do_not_fit_the_pool_are_refused(change, where):
    with pytest.raises(InvalidInput) as caught:
        learnt(SYSTEMS, np.ones(8, dtype=bool), features=replace(FEATURES, **change))
    assert caught.value.where == where


# All systems at once


@pytest.mark.parametrize("seed", range(4))
def test_all_at_once_is_one_by_one(seed):
    pool = Pool(seed, size=(60, 120, 200, 400)[seed])
    model = pool.learn()
    weighted = [(system.rows, system.weights, system.confidence) for system in pool.systems]
    reduced = reduce_systems(
        weighted, len(weighted), pool.pi, pool.sampled, pool.folds, models={"part": model}
    )["p"]
    found = difference_precisions(reduced, pool.right[pool.sampled][reduced.positions], model="part")
    g = np.zeros((pool.size, 5))
    g[pool.sampled] = model.of_sample
    g[np.arange(pool.size), pool.folds] = model.of_pool
    for one, system in zip(found, pool.systems, strict=True):
        rows = system.rows
        expected = difference_precision(
            system.weights["p"],
            pool.pi[rows],
            pool.sampled[rows],
            pool.right[rows],
            pool.folds[rows],
            system.confidence,
            model=g[rows],
        )
        assert one.estimate == pytest.approx(expected.estimate, abs=1e-11)
        assert one.variance == pytest.approx(expected.variance, rel=1e-9)
        assert one.contributions == pytest.approx(expected.contributions, abs=1e-11)


def test_a_group_of_everything_is_the_system():
    pool = Pool()
    model = {"part": pool.learn()}
    weighted = [(system.rows, system.weights, system.confidence) for system in pool.systems]
    whole = reduce_systems(weighted, 4, pool.pi, pool.sampled, pool.folds, models=model)["p"]
    groups = reduce_groups(
        [(rows, p["p"], c, np.zeros(rows.size, dtype=int)) for rows, p, c in weighted],
        4,
        1,
        pool.pi,
        pool.sampled,
        pool.folds,
        models=model,
    )
    assert groups.models["part"].pg_of_fold == pytest.approx(whole.models["part"].pg_of_fold, abs=1e-12)
