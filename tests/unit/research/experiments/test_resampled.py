"""Estimates from recorded judgements drawn anew are those of the estimator that they are of."""

import numpy as np
import pytest

from research.experiments.generation.replayed import resampled
from tests.oracles.control import plug_in
from tests.readers.nlg import Recorded, SystemOutputs

N = 40


def recorded() -> Recorded:
    units = np.arange(N)
    rng = np.random.default_rng(3)
    metric = rng.random(N)
    system = SystemOutputs("one", units, units, {"ours": metric})
    values = {"overall": metric + 0.1 * rng.random(N)}
    texts = [str(number) for number in units]
    return Recorded("made up", [{} for _ in units], units, texts, [system], units, np.zeros(N, int), values)


def test_an_estimate_of_a_resample_is_that_of_the_estimator() -> None:
    data = recorded()
    metric = data.systems[0].metrics["ours"]
    found = resampled(data, data.systems[0], "overall", {"ours": metric}, 12, 3, np.random.default_rng(5))
    drawn = np.random.default_rng(5).integers(N, size=(3, 12))
    for run, rows in enumerate(drawn):
        said = data.values["overall"][rows]
        assert found[""][run] == pytest.approx(said.mean())
        assert found["ours"][run] == pytest.approx(plug_in(said, metric[rows], metric).estimate)


def test_outputs_without_the_metric_are_not_drawn() -> None:
    data = recorded()
    metric = data.systems[0].metrics["ours"].copy()
    metric[5:] = np.nan
    found = resampled(data, data.systems[0], "overall", {"ours": metric}, 8, 50, np.random.default_rng(5))
    assert np.isfinite(found["ours"]).all()
    assert found[""].max() <= data.values["overall"][:5].max()
