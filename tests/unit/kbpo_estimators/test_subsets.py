import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbpo_estimators.kbp.labels import Labels
from kbpo_estimators.subsets import Division, SubsetScore, enough, subset_scores
from tests.scores import coordinated_scores
from tests.unit.kbpo_estimators.small_pool import small_pool


def by_parity(pool, k=2):
    """Divide instances by the remainder of their number; each true relation stands with its instance."""
    code = np.arange(pool.correct.size) % k
    return Division(
        [str(one) for one in range(k)],
        [code[s.rows] for s in pool.systems],
        code[np.flatnonzero(pool.correct)],
    )


def scored(pool, sample, division, part="relation", weighting="subject_relation"):
    labels = pool.labels(getattr(sample, "sampled", None))
    found = subset_scores(
        pool.systems, labels, sample, pool.relations(), division, weighting=weighting, parts=[part]
    )
    return {(one.system, one.subset): one for one in found}


@pytest.fixture
def pool():
    return small_pool(1, instances=400, documents=12)


def test_a_subset_of_everything_has_the_score_of_the_whole(pool):
    sample = pool.sample(4)
    found = scored(pool, sample, by_parity(pool, k=1))
    labels = pool.labels(sample.sampled)
    whole = {
        one.system: one
        for one in coordinated_scores(
            pool.systems,
            labels,
            sample,
            pool.documents(),
            weightings=["subject_relation"],
            parts=["relation"],
            levels=[0.95],
        )
        if one.estimator == "documents"
    }
    for system in range(4):
        one = found[system, 0]
        assert one.precision.estimate == pytest.approx(whole[system].precision.estimate, abs=1e-12)
        assert one.f1.low == pytest.approx(whole[system].f1.low, abs=1e-12)
        assert (one.labels, one.true) == (whole[system].labels, whole[system].true)


def test_at_a_census_a_subset_has_its_true_precision_and_recall(pool):
    sample = pool.sample(0, pi=np.ones(pool.correct.size))
    found = scored(pool, sample, by_parity(pool))
    for number, system in enumerate(pool.systems):
        for subset in (0, 1):
            inside = system.rows % 2 == subset
            p, f = system.weights["subject_relation"][inside], pool.correct[system.rows[inside]]
            true = pool.correct & (np.arange(pool.correct.size) % 2 == subset)
            one = found[number, subset]
            assert one.precision.estimate == pytest.approx((p * f).sum() / p.sum(), abs=1e-12)
            assert one.recall.estimate == pytest.approx(true[system.rows].sum() / true.sum(), abs=1e-12)
            assert (one.labels, one.true) == (inside.sum(), true.sum())


def test_the_draws_in_a_subset_are_draws_from_it(pool):
    draws = pool.draws(3, 200)
    found = scored(pool, draws, by_parity(pool))
    for number, rows in enumerate(draws.draws):
        inside = rows[rows % 2 == 1]
        assert found[number, 1].precision.estimate == pytest.approx(pool.correct[inside].mean(), abs=1e-12)
        assert found[number, 1].labels == np.unique(inside).size


def test_the_draws_in_a_subset_are_reweighted_where_they_come_from_another_weighting(pool):
    draws = pool.draws(3, 200)
    systems = [
        dataclasses.replace(
            one, weights={**one.weights, "instance": np.full(one.rows.size, 1 / one.rows.size)}
        )
        for one in pool.systems
    ]
    found = scored(dataclasses.replace(pool, systems=systems), draws, by_parity(pool), weighting="instance")
    for number, (one, rows) in enumerate(zip(systems, draws.draws, strict=True)):
        p = dict(zip(one.rows, one.weights["subject_relation"], strict=True))
        odd = [row for row in one.rows if row % 2]
        total = sum(p[row] for row in odd)
        terms = [total / p[row] / len(odd) * pool.correct[row] for row in rows if row % 2]
        assert found[number, 1].precision.estimate == pytest.approx(min(1, np.mean(terms)), abs=1e-12)


def test_too_few_labels_give_no_number_at_all(pool):
    sparse = pool.sample(5, pi=np.full(pool.correct.size, 0.1))
    for one in scored(pool, sparse, by_parity(pool, k=4)).values():
        assert one == SubsetScore(one.system, one.subset, "relation")


def test_too_few_true_relations_give_no_recall(pool):
    division = by_parity(pool)
    rare = dataclasses.replace(
        division, of_relations=np.where(np.arange(division.of_relations.size) < 20, 1, 0)
    )
    one = scored(pool, pool.sample(6), rare)[0, 1]
    assert one.precision is not None
    assert (one.recall, one.f1, one.true) == (None, None, None)


def test_what_a_system_does_not_claim_has_no_row(pool):
    division = by_parity(pool)
    nothing = dataclasses.replace(division, of_claims=[np.zeros_like(codes) for codes in division.of_claims])
    assert {subset for _, subset in scored(pool, pool.sample(7), nothing)} == {0}


def test_claims_outside_the_division_are_in_no_subset(pool):
    division = by_parity(pool, k=1)
    outside = dataclasses.replace(division, of_claims=[np.where(s.rows < 200, 0, -1) for s in pool.systems])
    sample = pool.sample(8, pi=np.ones(pool.correct.size))
    assert scored(pool, sample, outside)[0, 0].labels == (pool.systems[0].rows < 200).sum()


def test_a_label_outside_the_sample_is_never_looked_at(pool):
    sample = pool.sample(9)
    labels = pool.labels(sample.sampled)
    told = Labels(np.where(sample.sampled, labels.relation, 0.0), labels.linking)

    def scores(given):
        return list(
            subset_scores(
                pool.systems,
                given,
                sample,
                pool.relations(),
                by_parity(pool),
                weighting="subject_relation",
                parts=["relation"],
            )
        )

    assert scores(labels) == scores(told)


@pytest.mark.parametrize(
    ("counts", "shown"),
    [
        ([30, 29, 10], [True, False, False]),
        ([200, 40, 12], [True, False, False]),
        ([200, 40, 0], [True, True, False]),
        ([200, 20, 12], [True, False, False]),
        ([40, 5], [False, False]),
        ([40, 40], [True, True]),
        ([], []),
    ],
)
def test_what_is_left_out_cannot_be_had_by_subtraction(counts, shown):
    assert enough(np.array(counts, dtype=np.int64), 30).tolist() == shown


@given(st.lists(st.integers(0, 100), max_size=12), st.integers(1, 60))
def test_what_is_shown_and_what_is_left_out_hold_enough(counts, least):
    array = np.array(counts, dtype=np.int64)
    shown = enough(array, least)
    assert (array[shown] >= least).all()
    left_out = array[~shown].sum()
    assert left_out == 0 or left_out >= least or not shown.any()
