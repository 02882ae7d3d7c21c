"""A measure as a share of its scale, and back."""

import numpy as np
import pytest

from kbpo_estimators.differences import Difference, Differences
from kbpo_estimators.intervals import Interval
from kbpo_estimators.share_scales import Scale


@pytest.mark.parametrize(
    ("scale", "share"),
    [
        (Scale(-1.0, 1.0, is_less_better=False), Interval(0.6, 0.5, 0.75)),
        (Scale(-1.0, 1.0, is_less_better=True), Interval(0.4, 0.25, 0.5)),
        (Scale(0.0, 1.0, is_less_better=False), Interval(0.2, 0.0, 0.5)),
    ],
)
def test_the_best_of_a_scale_is_a_share_of_1(scale: Scale, share: Interval) -> None:
    found = scale.share(Interval(0.2, 0.0, 0.5))
    assert (found.estimate, found.low, found.high) == pytest.approx((share.estimate, share.low, share.high))


def test_a_difference_comes_back_as_it_was() -> None:
    scale = Scale(-1.0, 1.0, is_less_better=True)
    share = scale.difference(Difference(0.5, 0.04, None))
    assert (share.estimate, share.variance) == (-0.25, 0.01)
    assert scale.back(Interval(share.estimate, -0.35, -0.15)) == Interval(0.5, 0.3, 0.7)


def test_differences_of_shares_have_their_variances() -> None:
    own = np.array([0.04, 0.08])
    found = Scale(-1.0, 1.0, is_less_better=False).shares(
        Differences(np.array([[0.0, 0.4], [-0.4, 0.0]]), np.full((2, 2), 0.12), own, own, None)
    )
    assert found.estimates[0, 1] == 0.2
    assert found.variances[0, 1] == pytest.approx(0.03)
    assert found.own.tolist() == pytest.approx([0.01, 0.02])
