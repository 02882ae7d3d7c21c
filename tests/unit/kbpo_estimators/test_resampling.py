from dataclasses import replace

import numpy as np
import pytest

from kbpo.core.errors import InvalidInput
from kbpo_estimators.comparison import comparables
from kbpo_estimators.intervals import Interval
from kbpo_estimators.resampling import Resampling, percentile_interval
from kbpo_estimators.scores import BOOTSTRAP, iid_estimates
from tests.unit.kbpo_estimators.small_pool import small_pool

DRAWS = 40
OTHER = "instance"


def pool_of_two_weightings():
    pool = small_pool(3)
    pool.systems[:] = [
        replace(one, weights={**one.weights, OTHER: np.full(one.rows.size, 1 / one.rows.size)})
        for one in pool.systems
    ]
    return pool


def estimated(replicates=400, seed=7, pool=None, draws=None):
    pool = pool or pool_of_two_weightings()
    (found,) = iid_estimates(
        pool.systems,
        pool.labels(),
        draws or pool.draws(1, DRAWS),
        pool.documents(60),
        parts=["relation"],
        resampling=Resampling(seed, replicates),
    )
    return found


@pytest.fixture(scope="module")
def found():
    return estimated(20_000)


@pytest.mark.parametrize("way", ["simple", "joint"])
@pytest.mark.parametrize("name", ["subject_relation", OTHER])
def test_replicates_vary_and_vary_together_as_the_variances_say(found, way, name):
    (own,) = [one for key, other, one in comparables(found) if (key, other) == (way, name)]
    replicates = found.replicates[way + BOOTSTRAP, name]
    scale = np.diagonal(own.precision_covariance).max()
    assert np.cov(replicates.precision) == pytest.approx(own.precision_covariance, abs=0.05 * scale)
    variances = [one.variance for one in found.recall[way, name]]
    assert replicates.recall.var(axis=1) == pytest.approx(variances, rel=0.07)


@pytest.mark.parametrize("way", ["simple", "joint"])
def test_a_replicate_of_precision_is_what_computing_it_again_gives(way):
    # Up to √(n/(n − 1)), by which replicates vary as the variance says.
    pool = pool_of_two_weightings()
    draws = pool.draws(1, DRAWS)
    found, resampling = estimated(2, pool=pool, draws=draws), Resampling(7, 2)
    again = []
    for rows, (_, changes) in zip(draws.draws, resampling.of_draws([DRAWS] * 4), strict=True):
        again.append(np.repeat(rows, changes[:, 0].astype(int) + 1))
    recomputed = estimated(2, pool=pool, draws=replace(draws, draws=again))
    for name in ("subject_relation", OTHER):
        before = np.array([one.estimate for one in found.precision[way, name]])
        after = np.array([one.estimate for one in recomputed.precision[way, name]])
        replicate = found.replicates[way + BOOTSTRAP, name].precision[:, 0]
        expected = before + (after - before) * np.sqrt(DRAWS / (DRAWS - 1))
        assert replicate == pytest.approx(expected, abs=1e-5)


def test_a_resample_has_as_many_draws_and_documents_as_there_are():
    resampling = Resampling(3, 50)
    assert resampling.of_documents(9).sum(axis=0).tolist() == [0.0] * 50
    spans, changes = zip(*resampling.of_draws([4, 6]), strict=True)
    assert list(spans) == [slice(0, 4), slice(4, 10)]
    assert [one.sum(axis=0).tolist() for one in changes] == [[0.0] * 50] * 2


def test_replicates_are_the_same_again_and_others_with_another_seed():
    one, again, other = estimated(9), estimated(9), estimated(9, seed=8)
    way = "joint" + BOOTSTRAP, OTHER
    assert np.array_equal(one.replicates[way].f1, again.replicates[way].f1)
    assert not np.array_equal(one.replicates[way].f1, other.replicates[way].f1)


def test_bootstrap_intervals_stand_beside_those_by_formula(found):
    scores = {
        (one.estimator, one.weighting): one for one in found.scores() if (one.system, one.level) == (1, 80)
    }
    for way in ("simple", "joint"):
        plain, bootstrapped = scores[way, OTHER], scores[way + BOOTSTRAP, OTHER]
        for measure, interval in plain.measures.items():
            other = bootstrapped.measures[measure]
            assert other.estimate == interval.estimate
            assert other != interval
            assert other.high - other.low == pytest.approx(interval.high - interval.low, rel=0.15)


@pytest.mark.parametrize(("low", "high"), [(0.5, 0.6), (0.3, 0.5), (np.nan, np.nan)])
def test_percentiles_that_do_not_enclose_the_estimate_are_no_interval(low, high):
    by_formula = Interval(0.5, 0.4, 0.6)
    assert percentile_interval(by_formula, low, high) is by_formula


def test_percentiles_about_the_estimate_are_its_interval():
    assert percentile_interval(Interval(0.5, 0.4, 0.6), 0.45, 0.7) == Interval(0.5, 0.45, 0.7)
    assert percentile_interval(None, 0.45, 0.7) is None


@pytest.mark.parametrize(("arguments", "message"), [((-1,), "seed: is -1"), ((0, 1), "replicates: is 1")])
def test_a_wrong_argument_is_named(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        Resampling(*arguments)
