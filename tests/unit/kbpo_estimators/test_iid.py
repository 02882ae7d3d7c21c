import itertools
import math

import numpy as np
import pytest
from scipy import sparse

from kbpo.core.errors import InvalidInput
from kbpo_estimators.iid import (
    Ratio,
    draw,
    draws_for_new_system,
    draws_needed,
    joint_estimates,
    mixture_weights,
    shares_of_pool,
    simple_estimates,
)
from tests.unit.kbpo_estimators.worlds import CORRECT, OTHER_WEIGHTS, TRUTH, WEIGHTS, draws

P = sparse.csr_array(WEIGHTS)
OTHER = sparse.csr_array(OTHER_WEIGHTS)
OTHER_TRUTH = OTHER_WEIGHTS @ CORRECT


def simple_precision(samples):
    return np.array([one.estimate for one in simple_estimates(samples)])


def joint_precision(P, samples):
    return np.array([one.estimate for one in joint_estimates(P, samples)])


def expectation(estimator, counts):
    """The mean over every sequence of draws, system by system, and the probabilities' sum."""
    mean, total = np.zeros(len(WEIGHTS)), 0.0
    for drawn in itertools.product(*(draws(p, n) for p, n in zip(WEIGHTS, counts, strict=True))):
        probability = math.prod(chance for _, chance in drawn)
        mean += probability * estimator([(indices, CORRECT[indices]) for indices, _ in drawn])
        total += probability
    assert total == pytest.approx(1)
    return mean


# Exactness, by listing every sequence of draws


def test_the_expected_simple_precision_is_the_truth():
    assert np.abs(expectation(simple_precision, (2, 1, 2)) - TRUTH).max() < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("counts", [(1, 1, 1), (2, 1, 2)])
def test_the_expected_joint_precision_is_the_truth(counts):
    assert np.abs(expectation(lambda samples: joint_precision(P, samples), counts) - TRUTH).max() < 1e-12


def test_the_expected_joint_precision_is_the_truth_for_labels_that_depend_on_the_system():
    # As for part `all`: each system may give another canonical mention.
    own = np.array([CORRECT, [1, 1, 0, 1, 0, 0, 1, 1], [0, 1, 1, 1, 0, 1, 1, 0]])
    truth = (WEIGHTS * own).sum(axis=1)

    def estimator(samples):
        return joint_precision(P, [(indices, own[:, indices]) for indices, _ in samples])

    assert np.abs(expectation(estimator, (1, 2, 1)) - truth).max() < 1e-12


def ratios(samples):
    return [
        Ratio.of(p, other, np.asarray(drawn))
        for p, other, (drawn, _) in zip(WEIGHTS, OTHER_WEIGHTS, samples, strict=True)
    ]


def reweighted(samples):
    return np.array([one.estimate for one in simple_estimates(samples, ratios(samples))])


def jointly_reweighted(samples):
    return np.array([one.estimate for one in joint_estimates(P, samples, OTHER)])


def test_the_expected_simple_precision_is_the_truth_under_another_weighting_than_the_draws():
    assert np.abs(expectation(reweighted, (2, 1, 2)) - OTHER_TRUTH).max() < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("counts", [(1, 1, 1), (2, 1, 2)])
def test_the_expected_joint_precision_is_the_truth_under_another_weighting_than_the_draws(counts):
    assert np.abs(expectation(jointly_reweighted, counts) - OTHER_TRUTH).max() < 1e-12


def test_draws_that_are_not_reweighted_say_nothing_of_another_weighting():
    assert np.abs(expectation(simple_precision, (1, 1, 1)) - OTHER_TRUTH).max() > 0.1


def test_weighing_pooled_draws_as_if_they_were_ones_own_is_biased():
    def pooled(samples):
        drawn = np.concatenate([indices for indices, _ in samples])
        return np.array([CORRECT[drawn][p[drawn] > 0].mean() for p in WEIGHTS])

    assert np.abs(expectation(pooled, (1, 1, 1)) - TRUTH).max() > 1e-2


# The mixture


def test_systems_lean_on_each_other_as_far_as_they_overlap():
    # Σp1p1 = .225, Σp1p2 = .125, Σp2p2 = .3, Σp2p3 = .15, Σp3p3 = .395, times counts 10, 20, 10.
    expected = np.array([[2.25, 2.5, 0], [1.25, 6, 1.5], [0, 3, 3.95]])
    expected /= expected.sum(axis=1, keepdims=True)
    assert mixture_weights(P, [10, 20, 10]) == pytest.approx(expected)


def test_systems_without_overlap_keep_to_themselves():
    apart = sparse.csr_array([[1.0, 0, 0], [0, 0.5, 0.5]])
    assert mixture_weights(apart, [5, 5]).tolist() == [[1, 0], [0, 1]]


# By hand


def test_simple_precision_is_the_mean_of_a_systems_own_draws():
    samples = [([0, 1, 1, 2], [1, 0, 0, 1]), ([5], [1])]
    assert simple_precision(samples).tolist() == [0.5, 1.0]


def test_the_variance_of_a_simple_precision_is_that_of_a_mean():
    (one,) = simple_estimates([([0, 1, 1, 2], [1, 0, 0, 1])])
    assert one.variance == pytest.approx((4 * 0.25 / 3) / 4)
    assert (one.n, one.n_eff) == (4, 4.0)


def test_a_single_draw_shows_no_variance():
    (one,) = simple_estimates([([0], [1])])
    assert one.variance is None


def test_a_single_draw_among_many_hides_no_variance():
    # What it is expected to be follows from the draws of the other, which has the same instances.
    same = sparse.csr_array([[0.5, 0.5], [0.5, 0.5]])
    first, second = joint_estimates(same, [([0, 1] * 10, [1, 0] * 10), ([0], [1])])
    of_many = sum((f - 0.5) ** 2 for f in [1, 0] * 10) / (20 * 19) * (20 / 21) ** 2
    mean = 20 / 21 * 0.5 + 1 / 21
    assert first.variance == second.variance == pytest.approx(of_many + ((1 - mean) / 21) ** 2)


def test_a_variance_that_hangs_on_single_draws_is_not_seen():
    alone = sparse.csr_array([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])
    seen, unseen = joint_estimates(alone, [([0, 1] * 10, [1, 0] * 10), ([2], [1])])
    assert seen.variance is not None
    assert unseen.variance is None


@pytest.mark.slow
@pytest.mark.parametrize("counts", [(30, 1, 40), (30, 40, 1)])
def test_the_variance_with_a_single_draw_is_that_of_repeated_samples(counts):
    rng = np.random.default_rng(4)
    runs = []
    for _ in range(800):
        drawn = [draw(p, n, rng) for p, n in zip(WEIGHTS, counts, strict=True)]
        samples = [(one, CORRECT[one]) for one in drawn]
        runs.append([joint_estimates(P, samples), shares_of_pool(P, samples)])
    for least, found in zip((2, 0), zip(*runs, strict=True), strict=True):
        estimates = np.array([[one.estimate for one in run] for run in found])
        variances = np.array([[one.variance for one in run] for run in found], dtype=float)
        seen = ~np.isnan(variances).any(axis=0)
        assert seen.sum() >= least
        assert variances.mean(axis=0)[seen] == pytest.approx(estimates.var(axis=0)[seen], rel=0.2)


def test_identical_systems_share_their_draws_evenly():
    # w = 1/2 each and q = p, so that the joint precision is the mean of all draws.
    same = sparse.csr_array([[0.5, 0.5], [0.5, 0.5]])
    samples = [([0, 1], [1, 0]), ([0, 0], [1, 1])]
    assert joint_precision(same, samples) == pytest.approx([0.75, 0.75])


def test_identical_systems_are_worth_each_others_draws():
    same = sparse.csr_array([[0.5, 0.5], [0.5, 0.5]])
    samples = [([0, 1, 0, 0], [1, 0, 1, 1]), ([0, 0, 1, 1], [1, 1, 0, 0])]
    assert [one.n_eff for one in joint_estimates(same, samples)] == pytest.approx([8, 8])


def test_a_system_alone_has_the_same_precision_jointly_and_simply():
    alone = sparse.csr_array([[0.2, 0.3, 0.5]])
    samples = [([0, 1, 1, 2], [1, 0, 0, 1])]
    (joint,), (simple,) = joint_estimates(alone, samples), simple_estimates(samples)
    assert joint.estimate == pytest.approx(simple.estimate)
    assert joint.variance == pytest.approx(simple.variance)
    assert joint.n_eff == pytest.approx(simple.n_eff)


@pytest.mark.slow
def test_the_joint_variance_is_unbiased():
    rng = np.random.default_rng(2)
    runs = []
    for _ in range(2_500):
        drawn = [draw(p, 4, rng) for p in WEIGHTS]
        runs.append(joint_estimates(P, [(indices, CORRECT[indices]) for indices in drawn]))
    estimates = np.array([[one.estimate for one in run] for run in runs])
    variances = np.array([[one.variance for one in run] for run in runs])
    assert variances.mean(axis=0) == pytest.approx(estimates.var(axis=0), rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["simple", "joint"])
def test_the_variance_is_unbiased_under_another_weighting_than_the_draws(how):
    rng = np.random.default_rng(3)
    runs = []
    for _ in range(1_000):
        samples = [(drawn, CORRECT[drawn]) for drawn in (draw(p, 4, rng) for p in WEIGHTS)]
        found = simple_estimates(samples, ratios(samples)) if how == "simple" else None
        runs.append(found or joint_estimates(P, samples, OTHER))
    estimates = np.array([[one.estimate for one in run] for run in runs])
    variances = np.array([[one.variance for one in run] for run in runs])
    assert variances.mean(axis=0) == pytest.approx(estimates.var(axis=0), rel=0.15)


def test_reweighting_to_the_weighting_of_the_draws_changes_nothing():
    samples = [(np.array(drawn), CORRECT[drawn]) for drawn in ([0, 1, 3], [2, 5], [5, 6, 7])]
    same = [Ratio.of(p, p, drawn) for p, (drawn, _) in zip(WEIGHTS, samples, strict=True)]
    for plain, again in (
        (simple_estimates(samples), simple_estimates(samples, same)),
        (joint_estimates(P, samples), joint_estimates(P, samples, P)),
    ):
        for one, other in zip(plain, again, strict=True):
            assert (one.estimate, one.variance) == pytest.approx((other.estimate, other.variance))
            assert one.n_eff == pytest.approx(other.n_eff)


def test_reweighted_draws_are_worth_as_many_as_the_worst_case_leaves():
    # p = (.5, .5), p' = (.9, .1): Σp'²/p = 1.64.
    ratio = Ratio.of(np.array([0.5, 0.5]), np.array([0.9, 0.1]), np.array([0, 1, 1]))
    (one,) = simple_estimates([([0, 1, 1], [1, 0, 1])], [ratio])
    assert one.estimate == pytest.approx((1.8 + 0.2) / 3)
    assert one.n_eff == pytest.approx(3 / 1.64)


def test_labels_of_what_a_system_does_not_predict_are_not_looked_at():
    own = np.where(WEIGHTS > 0, CORRECT, np.nan)
    drawn = [np.array([0, 4]), np.array([2, 5]), np.array([5, 6])]
    shared = joint_precision(P, [(indices, CORRECT[indices]) for indices in drawn])
    assert joint_precision(P, [(indices, own[:, indices]) for indices in drawn]) == pytest.approx(shared)


# The draws


def test_the_draws_needed_are_the_least_that_meet_the_target():
    assert draws_needed(0.25 / 500) == 500
    assert draws_needed(0.25 / 500.5) == 501


@pytest.mark.parametrize("n", range(1, 400, 7))
def test_rounding_costs_no_draw(n):
    assert draws_needed(0.25 / n) == n


def test_a_first_system_needs_the_draws_of_a_system_alone():
    assert draws_for_new_system(sparse.csr_array(WEIGHTS[:1]), [], 0.25 / 37) == 37


def test_the_same_system_again_needs_only_what_is_missing():
    again = sparse.csr_array(WEIGHTS[[0, 0]])
    assert draws_for_new_system(again, [30], 0.25 / 37) == 7


def test_the_same_system_again_needs_one_draw_where_nothing_is_missing():
    again = sparse.csr_array(WEIGHTS[[0, 0]])
    assert draws_for_new_system(again, [300], 0.25 / 37) == 1


def test_a_system_apart_needs_the_draws_of_a_system_alone():
    assert draws_for_new_system(sparse.csr_array([[1.0, 0, 0], [0, 0.4, 0.6]]), [500], 0.25 / 37) == 37


def conservative(P, counts):
    """The variance bound of the last system, written out from its definition."""
    w = mixture_weights(P, counts)[-1]
    p = P.toarray()
    q = w @ p
    ratio = np.divide(p[-1], q, out=np.zeros_like(q), where=p[-1] > 0)
    return 0.25 * sum(w[j] ** 2 / counts[j] * (p[j] @ ratio**2) for j in range(len(w)))


def test_every_smaller_number_of_draws_misses_the_target():
    n = draws_for_new_system(P, [20, 30], 0.004)
    bounds = [conservative(P, [20, 30, tried]) for tried in range(1, n + 1)]
    assert min(bounds[:-1]) > 0.004 >= bounds[-1]


def test_a_bound_that_rises_and_falls_again_is_searched_from_below():
    # The old system rarely has what the new one is all about, but very many draws. The new system's first
    # draws only take weight from those.
    rising = sparse.csr_array([[0.0158, 0.9842], [1.0, 0.0]])
    ten, fifty, many = (conservative(rising, [1_000_000, n]) for n in (10, 50, 100_000))
    assert fifty > ten > many
    assert draws_for_new_system(rising, [1_000_000], ten) <= 10


def test_a_draw_is_with_replacement_and_follows_the_weights():
    drawn = draw([0.7, 0.0, 0.3], 20_000, np.random.default_rng(0))
    assert np.bincount(drawn, minlength=3) / 20_000 == pytest.approx([0.7, 0, 0.3], abs=0.015)


def test_a_draw_repeats_with_its_generator():
    p = np.full(50, 0.02)
    assert draw(p, 9, np.random.default_rng(4)).tolist() == draw(p, 9, np.random.default_rng(4)).tolist()


# Refusals


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: simple_precision([([0], [0.5])]), r"samples\[0\]: the value 0.5 at position 0"),
        (lambda: simple_precision([([0], [1]), ([], [])]), r"samples\[1\]: is empty"),
        (lambda: simple_precision([([0, 1], [1])]), r"samples\[0\]: has 1 values"),
        (lambda: mixture_weights(WEIGHTS, [1, 1, 1]), "P: is not a sparse matrix"),
        (lambda: mixture_weights(P, [1, 1]), "counts: has 2 values"),
        (lambda: mixture_weights(P, [1, 0, 1]), "counts: the value 0.0 at position 1"),
        (lambda: mixture_weights(sparse.csr_array([[0.5, 0.4]]), [1]), r"P\[0\]: sums to 0.9"),
        (lambda: mixture_weights(sparse.csr_array((1, 3)), [1]), r"P\[0\]: is empty"),
        (lambda: joint_precision(P, [([0], [1])]), "samples: has 1 values where the other arguments have 3"),
        (
            lambda: joint_precision(P, [([7], [1]), ([1], [1]), ([5], [1])]),
            r"samples\[0\]: instance 7 was drawn",
        ),
        (lambda: joint_precision(P, [([0], [2]), ([1], [1]), ([5], [1])]), r"samples\[0\]: the value 2.0"),
        (lambda: joint_precision(P, [([8], [1]), ([1], [1]), ([5], [1])]), r"samples\[0\]: the value 8.0"),
        (
            lambda: joint_estimates(sparse.csr_array([[1.0, 0]]), [([0], [1])], sparse.csr_array([[0, 1.0]])),
            "targets: are above 0 at an instance that its system never draws",
        ),
        (lambda: joint_estimates(P, [([0], [1]), ([1], [1]), ([5], [1])], P[:2]), "targets: has the shape"),
        (
            lambda: Ratio.of(np.array([1.0, 0.0]), np.array([0.5, 0.5]), np.array([0])),
            "targets: are above 0 at an instance that its system never draws",
        ),
        (lambda: draw([0.5, 0.6], 2, np.random.default_rng(0)), "p: sums to 1.1"),
        (lambda: draws_needed(-1), "target_variance: is -1"),
    ],
)
def test_a_wrong_argument_is_named(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
