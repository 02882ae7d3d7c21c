import numpy as np
import pytest

from evaluation.generation import house
from evaluation.generation.house import HOUSE, House, learn, with_found
from kbpo.core.errors import InvalidInput


def outputs(n=600, seed=1):
    rng = np.random.default_rng(seed)
    columns = {"good|1": rng.normal(2, 3, n), "noise|1": rng.normal(size=n), "flat|1": np.ones(n)}
    y = np.clip(0.5 + 0.1 * (columns["good|1"] - 2) + rng.normal(0, 0.1, n), 0, 1)
    return columns, y, np.arange(n) // 3


def test_it_foretells_what_goes_with_a_metric():
    columns, y, inputs = outputs()
    found = learn(columns, {"any": y}, inputs)
    fresh, truth, _ = outputs(seed=2)
    assert np.corrcoef(found.of(fresh)["any"], truth)[0, 1] > 0.85
    assert found.metrics == ("good|1", "noise|1")
    assert found.measures["any"].outputs == 600


def test_what_is_read_back_is_what_was_frozen():
    columns, y, inputs = outputs()
    found = learn(columns, {"any": y, "average": 1 - y}, inputs)
    again = House.from_json(found.as_json())
    assert again == found
    assert again.digest == found.digest


def test_the_digest_does_not_follow_from_the_order_of_rows_but_from_the_judgements():
    columns, y, inputs = outputs()
    order = np.random.default_rng(5).permutation(y.size)
    found = learn(columns, {"any": y}, inputs)
    turned = learn({name: one[order] for name, one in columns.items()}, {"any": y[order]}, inputs[order])
    assert turned.digest == found.digest
    assert learn(columns, {"any": y[::-1]}, inputs).digest != found.digest


def twice(y, seed=7, noise=0.1):
    """Judge each output twice."""
    rng, n = np.random.default_rng(seed), y.size
    return np.concatenate([y, y]) + rng.normal(0, noise, 2 * n), np.tile(np.arange(n), 2)


def test_with_it_is_frozen_what_its_judgements_say():
    columns, y, inputs = outputs()
    values, items = twice(y)
    means = values.reshape(2, -1).mean(axis=0)
    learnt = learn(columns, {"any": means}, inputs)
    found = with_found(learnt, columns, {"any": means}, inputs, {"any": values}, items)
    parts = found.found["any"]
    assert parts.variance_judgements == pytest.approx(0.01, rel=0.15)
    assert parts.variance_outputs == pytest.approx(y.var(), rel=0.1)
    assert parts.correlations["good|1"] == pytest.approx(np.corrcoef(y, columns["good|1"])[0, 1], abs=0.03)
    assert parts.correlations["flat|1"] == 0.0
    assert House.from_json(found.as_json()) == found
    assert found.digest != learnt.digest


def test_how_well_it_foretells_is_measured_on_inputs_that_it_has_not_seen():
    rng = np.random.default_rng(2)
    columns = {f"noise-{number}|1": rng.normal(size=120) for number in range(30)}
    y, inputs = rng.normal(0.5, 0.2, 120), np.arange(120)
    values, items = twice(y, noise=0.01)
    learnt = learn(columns, {"edit": np.maximum(0, y)}, inputs)
    found = with_found(learnt, columns, {"edit": np.maximum(0, y)}, inputs, {"edit": values}, items)
    assert abs(found.found["edit"].correlations[HOUSE]) < 0.3


def test_where_nobody_judged_twice_nothing_is_said_of_variances():
    columns, y, inputs = outputs()
    learnt = learn(columns, {"any": y}, inputs)
    assert with_found(learnt, columns, {"any": y}, inputs, {"any": y}, np.arange(y.size)) == learnt


def test_where_nothing_goes_together_the_penalty_is_the_largest():
    columns, _, inputs = outputs()
    nothing = np.random.default_rng(3).random(600)
    assert learn(columns, {"any": nothing}, inputs).measures["any"].penalty == house.PENALTIES[-1]


def test_a_few_long_edits_do_not_decide():
    columns, y, inputs = outputs()
    long = y.copy()
    long[:3] = 50.0
    found = learn(columns, {"edit": long}, inputs)
    assert np.corrcoef(found.of(columns)["edit"], y)[0, 1] > 0.8


def test_an_output_without_a_metric_that_it_takes_is_foretold_nothing():
    columns, y, inputs = outputs()
    found = learn(columns, {"any": y}, inputs)
    assert found.of({"good|1": columns["good|1"]}) == {}
    assert found.of({"good|2": columns["good|1"], "noise|1": columns["noise|1"]}) == {}


@pytest.mark.parametrize("n", [0, 99])
def test_of_few_judged_outputs_nothing_is_learnt(n):
    columns, y, inputs = outputs()
    assert learn({name: one[:n] for name, one in columns.items()}, {"any": y[:n]}, inputs[:n]) is None


def test_of_constant_metrics_nothing_is_learnt():
    _, y, inputs = outputs()
    assert learn({"flat|1": np.ones(600)}, {"any": y}, inputs) is None


def test_a_metric_of_another_length_is_refused():
    columns, y, inputs = outputs()
    with pytest.raises(InvalidInput):
        learn(columns | {"good|1": np.ones(3)}, {"any": y}, inputs)
