"""Intervals of classification hold the truth in simulated corpora of several kinds, also where judges err."""

import pytest

from research.experiments.classification import JUDGES, SHARES, WORLDS, coverage, simulate

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", WORLDS)
def test_intervals_hold_the_truth_as_often_as_they_say(name: str) -> None:
    held = coverage(WORLDS[name], 500, 61)
    shares = {**held.overall, **{f"{measure} of a class": one for measure, one in held.by_class.items()}}
    assert {measure: round(one, 3) for measure, one in shares.items() if not 0.93 <= one <= 0.97} == {}


@pytest.mark.parametrize("crowd", ["alike", "by systems", "hard"])
@pytest.mark.parametrize("name", WORLDS)
def test_intervals_hold_the_truth_where_judges_err_and_labels_are_audited(name: str, crowd: str) -> None:
    found = simulate(WORLDS[name], JUDGES[crowd], SHARES, 150, 64)
    low = {}
    for share in SHARES:
        held = found[str(share)]
        low |= {(share, measure): one for measure, one in held.overall.items() if not 0.91 <= one <= 1}
        low |= {(share, measure, 1): one for measure, one in held.by_class.items() if not 0.93 <= one <= 0.99}
    assert low == {}
