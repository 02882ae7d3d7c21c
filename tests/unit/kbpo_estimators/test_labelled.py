import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from kbpo.core.errors import InvalidInput
from kbpo_estimators.document_samples import SimpleRandom
from kbpo_estimators.iid import draw, shares_of_pool
from kbpo_estimators.labelled import both, planned_alphas, share_of_pool, weighted_labelled_recall
from kbpo_estimators.recall import document_recall
from tests.oracles.labelled import labelled_recall, planned_alpha
from tests.unit.kbpo_estimators.worlds import CORRECT, WEIGHTS, batches, poisson_samples

# Three documents: true relations, correct instances of the pool and of the system, relations that it finds.
TRUE, POOL, OWN, FOUND = [4, 0, 2], [6, 0, 3], [3, 0, 1], [2, 0, 1]
SAMPLE = SimpleRandom(30)


def half():
    """ν̂ = ½: of two correct instances with π = ½ the system has one."""
    return share_of_pool([0.5, 0.5, 0.5], [1, 1, 0], [1, 0, 0])


# The share of the pool


def test_the_share_by_hand():
    # T̂ = 1/.5 + 1/.25 = 6, of which the first makes 2; h = (1 − 1/3)/6, (0 − 1/3)/6.
    share = share_of_pool([0.5, 0.25, 0.9], [1, 1, 0], [1, 0, 0])
    assert share.estimate == pytest.approx(1 / 3)
    assert share.contributions == pytest.approx([1 / 9, -1 / 18, 0])
    assert share.variance == pytest.approx(0.5 / 0.25 / 81 + 0.75 / 0.0625 / 324)


def test_a_system_that_has_everything_correct_has_no_variance_in_its_share():
    share = share_of_pool([0.5, 0.25], [1, 1], [1, 1])
    assert (share.estimate, share.variance) == (1.0, 0.0)


def test_a_share_of_nothing_is_not_estimable():
    assert share_of_pool([0.5, 0.5], [0, 0], [0, 0]) is None


def test_the_share_is_consistent_but_not_unbiased():
    # A ratio, as the contract says: its expectation over every sample misses the truth a little.
    pi = batches()[-1]
    own = np.where(WEIGHTS[0] > 0, CORRECT, 0)
    mean, reachable = 0.0, 0.0
    for sampled, chance in poisson_samples(pi):
        share = share_of_pool(pi[sampled], CORRECT[sampled], own[sampled])
        if share is not None:
            mean, reachable = mean + chance * share.estimate, reachable + chance
    bias = mean / reachable - own.sum() / CORRECT.sum()
    assert 1e-4 < abs(bias) < 0.05


# Recall from labelled predictions


def test_recall_from_labels_by_hand():
    # φ̂ = 9/6, κ̂ = 3/4, ν̂ = ½.
    assert labelled_recall(half(), TRUE, POOL, OWN, FOUND, SAMPLE).estimate == pytest.approx(9 / 16)


def test_the_variance_of_recall_from_labels_by_hand():
    got = labelled_recall(half(), TRUE, POOL, OWN, FOUND, SAMPLE)
    # t̄ = 2, ā = 4/3; z = .375 (a_pool − 1.5 t)/2 + .75 (g − .75 a)/(4/3).
    z = np.array([0.75 * (2 - 2.25) / (4 / 3), 0, 0.75 * (1 - 0.75) / (4 / 3)])
    assert got.residuals == pytest.approx(z)
    assert got.variance == pytest.approx(0.9 * (z @ z) / 6 + (9 / 8) ** 2 * half().variance)


def test_where_matching_is_one_to_one_it_is_the_papers_product():
    # κ̂ = 1, so that the pool's recall .75 times the share ½ is left.
    got = labelled_recall(half(), [4, 4], [3, 3], [2, 1], [2, 1], SAMPLE)
    assert got.estimate == pytest.approx(0.75 * 0.5)


def test_it_is_the_truth_at_a_census():
    pool = np.array([2, 3, 1])
    share = share_of_pool(np.ones(6), np.ones(6), [1, 1, 1, 1, 0, 0])
    got = labelled_recall(share, [3, 2, 2], pool, [1, 2, 1], [1, 1, 1], SimpleRandom(3))
    assert got.estimate == pytest.approx(3 / 7)
    assert got.variance == 0


@pytest.mark.parametrize(
    ("share", "own", "found"), [(None, OWN, FOUND), (half(), [0, 0, 0], [0, 0, 0])], ids=["share", "own"]
)
def test_it_is_not_estimable_without_a_correct_instance(share, own, found):
    assert labelled_recall(share, TRUE, POOL, own, found, SAMPLE) is None


def test_under_another_weighting_labels_move_recall_from_documents_by_the_same_share():
    # Of the pool's 9 correct instances in the documents the system has 4, of the corpus' it has half.
    macro = replace(from_documents(), estimate=0.3)
    got = weighted_labelled_recall(half(), macro, POOL, OWN)
    assert got.estimate == pytest.approx(0.3 * (1 / 2) / (4 / 9))
    assert got.variance_of_labels == pytest.approx((0.3 * 9 / 4) ** 2 * half().variance)


def test_under_another_weighting_it_is_the_truth_at_a_census():
    share = share_of_pool(np.ones(9), np.ones(9), [1, 1, 1, 1, 0, 0, 0, 0, 0])
    macro = document_recall(TRUE, FOUND, SimpleRandom(3))
    got = weighted_labelled_recall(share, macro, POOL, OWN)
    assert (got.estimate, got.variance) == (pytest.approx(macro.estimate), 0)


# Both


def from_documents():
    return document_recall(TRUE, FOUND, SAMPLE)


def test_both_lie_between_the_two():
    labels = labelled_recall(half(), TRUE, POOL, OWN, FOUND, SAMPLE)
    got = both(from_documents(), labels, 0.25)
    assert got.estimate == pytest.approx(0.75 * 0.5 + 0.25 * 9 / 16)


def test_the_variance_of_both_has_the_covariance_of_the_two():
    documents, labels = from_documents(), labelled_recall(half(), TRUE, POOL, OWN, FOUND, SAMPLE)
    shared = SAMPLE.covariance(documents.residuals, labels.residuals)
    expected = 0.75**2 * documents.variance + 2 * 0.75 * 0.25 * shared + 0.25**2 * labels.variance
    assert both(documents, labels, 0.25).variance == pytest.approx(expected)


def test_both_pass_on_what_the_labels_contribute():
    labels = labelled_recall(half(), TRUE, POOL, OWN, FOUND, SAMPLE)
    got = both(from_documents(), labels, 0.25)
    assert got.contributions == pytest.approx(0.25 * labels.contributions)


def test_all_weight_on_the_labels_is_recall_from_labels():
    labels = labelled_recall(half(), TRUE, POOL, OWN, FOUND, SAMPLE)
    got = both(from_documents(), labels, 1.0)
    assert (got.estimate, got.variance) == pytest.approx((labels.estimate, labels.variance))


def test_documents_alone_are_left_where_labels_give_nothing():
    documents = from_documents()
    assert both(documents, None, 0.5) is documents


def test_both_are_not_estimable_without_documents():
    assert both(None, None, 0.5) is None


# The planned weight


def test_the_planned_weight_by_hand():
    # f̃ = .2, .45, .7, .7 (T̃ = 2.05); the system has the last two: ν̃ = 1.4/2.05; n = 20 of 100.
    nu, theta = 1.4 / 2.05, 0.75
    k = 2 * 0.8 / (20 * 9.2)
    v_s = k * theta * nu * (1 - theta * nu)
    c = k * nu**2 * theta * (1 - theta)
    spread = (0.2 * 1 * nu**2 + 0.45 * 1 * nu**2 + 0.7 * 3 * (1 - nu) ** 2 + 0) / 2.05**2
    v_j = c + theta**2 * spread
    got = planned_alpha([1, 2, 3, 7], [False, False, True, True], [0.5, 0.5, 0.25, 1.0], 20, 100)
    assert got == pytest.approx((v_s - c) / (v_s - 2 * c + v_j))


def test_the_more_is_labelled_the_more_weight_labels_get():
    teams, own = [1, 2, 3, 1], [True, True, False, False]
    weights = [planned_alpha(teams, own, [pi] * 4, 50, 1000) for pi in (0.1, 0.5, 0.9, 1.0)]
    assert weights == sorted(weights)
    assert weights[0] < weights[-1]


def test_a_census_of_documents_leaves_labels_no_weight():
    assert planned_alpha([1, 2], [True, False], [0.5, 0.5], 10, 10) == 0


@given(
    rows=st.lists(st.tuples(st.integers(1, 5), st.booleans(), st.floats(0.01, 1)), min_size=1, max_size=9),
    n=st.integers(1, 50),
)
def test_the_planned_weight_is_a_share(rows, n):
    teams, own, pi = (list(column) for column in zip(*rows, strict=True))
    own[0] = True
    assert 0 <= planned_alpha(teams, own, pi, n, 50) <= 1


# The share under iid


def test_under_iid_the_share_of_disjoint_tracks_is_not_inflated():
    # Three tracks without overlap, each with half of its two instances correct: a third each. (With w_ij for
    # the mixture each would get all.)
    P = sparse.csr_array(np.kron(np.eye(3), [[0.5, 0.5]]))
    correct = np.array([1.0, 0, 1, 0, 1, 0])
    rng = np.random.default_rng(0)
    samples = []
    for p in P.toarray():
        drawn = draw(p, 4_000, rng)
        samples.append((drawn, correct[drawn]))
    assert [share.estimate for share in shares_of_pool(P, samples)] == pytest.approx([1 / 3] * 3, abs=0.02)


def test_under_iid_more_draws_of_one_system_do_not_raise_its_share():
    P = sparse.csr_array(np.kron(np.eye(2), [[0.5, 0.5]]))
    correct = np.array([1.0, 0, 1, 0])
    rng = np.random.default_rng(1)
    drawn = [draw(p, n, rng) for p, n in zip(P.toarray(), (6_000, 1_500), strict=True)]
    shares = shares_of_pool(P, [(indices, correct[indices]) for indices in drawn])
    assert [share.estimate for share in shares] == pytest.approx([0.5, 0.5], abs=0.03)


@pytest.mark.slow
def test_under_iid_the_variance_is_about_right():
    P, own = sparse.csr_array(WEIGHTS), np.where(WEIGHTS > 0, CORRECT, 0)
    rng = np.random.default_rng(3)
    runs = []
    for _ in range(1_500):
        drawn = [draw(p, 60, rng) for p in WEIGHTS]
        runs.append(shares_of_pool(P, [(indices, CORRECT[indices]) for indices in drawn]))
    estimates = np.array([[share.estimate for share in run] for run in runs])
    variances = np.array([[share.variance for share in run] for run in runs])
    assert estimates.mean(axis=0) == pytest.approx(own.sum(axis=1) / CORRECT.sum(), abs=0.01)
    assert variances.mean(axis=0) == pytest.approx(estimates.var(axis=0), rel=0.12)


def test_under_iid_labels_may_depend_on_the_system():
    P = sparse.csr_array([[0.5, 0.5], [0.5, 0.5]])
    labels = np.array([[1.0, 0.0], [1.0, 1.0]])  # both right about the first, only the second about the other
    shares = shares_of_pool(P, [([0, 1], labels), ([0, 1], labels)])
    assert [share.estimate for share in shares] == pytest.approx([0.5, 1.0])


def test_under_iid_a_share_of_nothing_is_not_estimable():
    assert shares_of_pool(sparse.csr_array([[1.0]]), [([0, 0], [0, 0])]) is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: share_of_pool([0.0], [1], [1]), "pi: the value 0.0"),
        (lambda: share_of_pool([0.5], [0.5], [1]), "correct: the value 0.5"),
        (lambda: share_of_pool([0.5], [0], [1]), "own_correct: 1.0 at position 0 exceeds correct, 0.0"),
        (
            lambda: labelled_recall(half(), TRUE, POOL, [7, 0, 1], FOUND, SAMPLE),
            "own_correct: 7 at",
        ),
        (
            lambda: labelled_recall(half(), TRUE, POOL, OWN, [5, 0, 1], SAMPLE),
            "found: 5 at position 0",
        ),
        (
            lambda: labelled_recall(half(), TRUE, POOL, [3, 0, 0], FOUND, SAMPLE),
            "found: 1 at position 2",
        ),
        (lambda: labelled_recall(half(), TRUE, POOL[:2], OWN, FOUND, SAMPLE), "pool_correct: has 2 values"),
        (lambda: planned_alpha([0], [True], [0.5], 1, 9), "teams: the value 0.0"),
        (lambda: planned_alpha([1], [False], [0.5], 1, 9), "own: is all false"),
        (lambda: planned_alpha([1], [True], [0.5], 10, 9), "documents: is 10; there are only 9"),
        (lambda: both(from_documents(), None, math.nan), "alpha: is nan"),
    ],
)
def test_a_wrong_argument_is_named(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()


@given(seed=st.integers(0, 10_000))
def test_all_planned_weights_at_once_are_those_one_by_one(seed):
    rng = np.random.default_rng(seed)
    mine = rng.random((5, 40)) < rng.uniform(0.2, 0.9, (5, 1))
    mine[0] |= ~mine.any(axis=0)
    mine[:, 0] = True
    team_of = rng.integers(4, size=5).tolist()
    pi = np.where(rng.random(40) < 0.2, 1.0, rng.uniform(0.01, 1, 40))
    teams = sum(mine[[one == team for one in team_of]].any(axis=0) for team in set(team_of))
    found = planned_alphas([np.flatnonzero(own) for own in mine], team_of, pi, 30, 200)
    expected = [planned_alpha(teams, own, pi, 30, 200) for own in mine]
    assert found == pytest.approx(expected, abs=1e-12)


def test_instances_that_recall_is_not_about_do_not_move_a_planned_weight():
    pi, teams = [0.5, 0.2, 0.4], [1, 2]
    more = [np.array([0, 1, 3]), np.array([1, 2, 3, 4])]
    outside = np.array([False, False, False, True, True])
    inside = planned_alphas([np.array([0, 1]), np.array([1, 2])], teams, pi, 30, 200)
    assert planned_alphas(more, teams, [*pi, 1.0, 0.3], 30, 200, outside) == pytest.approx(inside, abs=1e-12)


def test_a_system_with_nothing_that_recall_is_about_plans_with_documents_alone():
    systems, outside = [np.array([0]), np.array([1])], np.array([False, True])
    assert planned_alphas(systems, [1, 2], [0.5, 0.5], 30, 200, outside)[1] == 0
    assert planned_alphas(systems, [1, 2], [0.5, 0.5], 30, 200, np.ones(2, dtype=bool)) == [0, 0]


def test_a_pool_with_an_instance_of_nobody_has_no_planned_weights():
    with pytest.raises(InvalidInput, match="teams"):
        planned_alphas([np.array([0])], [1], [0.5, 0.5], 3, 9)
