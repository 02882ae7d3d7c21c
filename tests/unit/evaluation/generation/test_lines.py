"""Which outputs a metric overrates: those off the line of what it predicts, not those where it is high."""

import numpy as np
import pytest

from evaluation.generation.explorer.lines import fit


def test_a_line_is_that_of_least_squares() -> None:
    line = fit(np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 0.5]))
    assert line is not None
    assert (line.slope, line.intercept, line.mean) == pytest.approx((0.25, 0.25, 0.5))


def test_a_constant_metric_has_no_line() -> None:
    assert fit(np.ones(3), np.array([0.0, 1.0, 2.0])) is None
    assert fit(np.zeros(0), np.zeros(0)) is None


def test_an_output_on_the_line_is_not_overrated_however_high_its_metric() -> None:
    metric = np.array([-4.0, -1.0, 0.0, 1.0, 4.0] * 2)
    people = 0.1 * metric + np.repeat([1.0, -1.0], 5)
    line = fit(metric, people)
    assert line is not None
    at = np.array([-4.0, 4.0])
    assert line.overrated(at, "overall", 0.1 * at) == pytest.approx([0.0, 0.0])


def test_what_overrates_does_not_go_with_the_metric() -> None:
    rng = np.random.default_rng(1)
    metric = rng.normal(size=500)
    people = 0.3 * metric + rng.normal(size=500)
    line = fit(metric, people)
    assert line is not None
    assert abs(np.corrcoef(metric, line.overrated(metric, "overall", people))[0, 1]) < 1e-9


@pytest.mark.parametrize(("measure", "sign"), [("overall", 1), ("edit", -1)])
def test_overrated_is_what_people_say_worse_of_than_is_predicted(measure: str, sign: int) -> None:
    metric = np.array([0.0, 0.0, 1.0, 1.0])
    people = np.array([0.0, 1.0, 1.0, 2.0])
    line = fit(metric, people)
    assert line is not None
    assert line.overrated(metric, measure, people) == pytest.approx([sign, -sign, sign, -sign])
    assert line.is_liked(metric, measure).tolist() == [sign < 0] * 2 + [sign > 0] * 2


def test_nothing_is_overrated_where_all_lie_on_the_line() -> None:
    metric = np.array([0.0, 1.0, 2.0])
    line = fit(metric, 2 * metric)
    assert line is not None
    assert line.overrated(metric, "overall", 2 * metric).tolist() == [0.0, 0.0, 0.0]


def test_a_slope_that_could_be_chance_is_level() -> None:
    metric = np.tile([0.0, 1.0], 50)
    people = np.repeat([0.0, 1.0], 50)
    weak, strong = (fit(metric, people + tilt * metric) for tilt in (0.05, 0.5))
    assert weak is not None
    assert strong is not None
    assert (weak.is_level, strong.is_level) == (True, False)
