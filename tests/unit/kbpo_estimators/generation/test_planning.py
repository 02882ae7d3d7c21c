import math

import pytest

from kbpo.core.errors import InvalidInput
from kbpo_estimators.generation import Variances, needed

PLANNED = Variances(sigma2_a=0.3, sigma2_f=0.2)


def test_that_many_judgements_have_the_variance_of_the_target():
    got = needed(PLANNED, 0.6, 5_000, 0.04, quantile=1.96)
    n = got.outputs
    variance = 0.2 * (1 - 0.36) * (1 / n - 1 / 5_000) + 0.3 * 0.85 / n
    assert 1.96 * math.sqrt(variance) == pytest.approx(0.04)
    assert got.judgements == pytest.approx(1.3 * n)
    assert (got.is_reached, got.half_width) == (True, 0.04)


def test_a_perfect_metric_saves_what_the_annotators_noise_allows_and_no_more():
    plain, perfect = needed(PLANNED, 0.0, 10**9, 0.04), needed(PLANNED, 1.0, 10**9, 0.04)
    assert PLANNED.gamma == pytest.approx(1.5)
    assert perfect.efficiency == pytest.approx(PLANNED.cap) == pytest.approx(2.5 / 1.5)
    # Two judgements of some outputs lessen the noise that is left.
    assert plain.judgements / perfect.judgements == pytest.approx((0.2 + 0.255) / 0.255, rel=1e-4)


def test_a_target_out_of_reach_takes_all_outputs_and_says_what_comes_of_it():
    got = needed(PLANNED, 0.5, 100, 0.01)
    assert (got.outputs, got.is_reached) == (100, False)
    assert got.half_width == pytest.approx(1.2815515655 * math.sqrt(0.3 * 0.85 / 100))


def test_where_people_agree_there_is_no_cap():
    assert Variances(0.0, 0.2).cap == math.inf
    assert Variances(0.2, 0.0).cap == 1


@pytest.mark.parametrize(
    ("how", "where"),
    [((1.1, 10, 0.1), "rho"), ((0.5, 0, 0.1), "outputs"), ((0.5, 10, 0.0), "half_width")],
)
def test_what_cannot_be_is_refused_by_name(how, where):
    with pytest.raises(InvalidInput) as refused:
        needed(PLANNED, *how)
    assert refused.value.where == where
