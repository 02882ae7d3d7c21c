"""Built-in metrics of recorded outputs, and a house metric that is learnt on other systems than it is for."""

from collections.abc import Mapping

import numpy as np

from evaluation.generation.house import House, learn
from evaluation.generation.metrics.computing import compute_all
from evaluation.generation.metrics.registry import METRICS, Text
from kbpo_estimators._checks import FloatArray
from tests.readers.nlg import REFERENCE, Recorded, SystemOutputs


def columns_of(data: Recorded) -> dict[str, FloatArray]:
    """Return the built-in metrics of all units, by name|version."""
    texts = [
        _text(data.inputs[place], text) for place, text in zip(data.unit_inputs, data.texts, strict=True)
    ]
    return {f"{name}|{METRICS[name].version}": one.values for name, one in compute_all(texts).items()}


def _text(given: Mapping[str, object], output: str) -> Text:
    references, passages = given.get("references") or (), given.get("passages") or ()
    question = given.get("question")
    assert isinstance(references, list | tuple)
    assert isinstance(passages, list | tuple)
    return Text(
        output,
        tuple(references),
        question if isinstance(question, str) else None,
        tuple(one["text"] for one in passages),
    )


def house_of_others(data: Recorded, system: SystemOutputs, columns: Mapping[str, FloatArray]) -> House:
    """Return a house metric from the judged outputs of the other systems.

    What people wrote as references is of no system; learnt from it too, a metric is worth less (ADR 21).
    """
    means = {measure: data.means(measure) for measure in data.values}
    judged = ~np.isnan(next(iter(means.values())))
    judged[system.units] = False
    judged[data.system(REFERENCE).units] = False
    rows = np.flatnonzero(judged)
    found = learn(
        {name: one[rows] for name, one in columns.items()},
        {measure: one[rows] for measure, one in means.items()},
        data.unit_inputs[rows],
    )
    assert found is not None, "enough outputs are judged"
    return found
