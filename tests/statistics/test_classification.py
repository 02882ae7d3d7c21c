"""Intervals of classification hold the truth in simulated corpora of several kinds."""

import pytest

from evaluation.experiments.classification import WORLDS, coverage

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", WORLDS)
def test_intervals_hold_the_truth_as_often_as_they_say(name: str) -> None:
    held = coverage(WORLDS[name], 500, 61)
    shares = {**held.overall, **{f"{measure} of a class": one for measure, one in held.by_class.items()}}
    assert {measure: round(one, 3) for measure, one in shares.items() if not 0.93 <= one <= 0.97} == {}
