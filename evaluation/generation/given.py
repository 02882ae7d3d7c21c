"""What the systems of a pool wrote, in arrays: inputs, units, and the candidates that correct judgements."""

from dataclasses import dataclass

import numpy as np

from annotations import prompts
from annotations.texts.inputs import MEASURES, QUALITY
from evaluation.design import columns
from evaluation.generation.candidates import in_order, read_candidates
from evaluation.generation.outputs import INPUTS, PLACES
from evaluation.units import IntArray, Pool
from kbpo.core.database.coded import unpack
from kbpo_estimators.generation import Given
from kbpo_estimators.judging.sampled import numbered


@dataclass(frozen=True, eq=False)
class PoolGiven:
    """What the systems of a pool wrote.

    Attributes
    ----------
    documents : int[I]
        The row id of each input, in the order of `Given.inputs`.
    folds : int[I]
    systems : list of Given
    places : list of int[N]
        Where each output of a system stands in its file.
    prompt : str
        What is judged of the outputs.
    """

    documents: IntArray
    folds: IntArray
    systems: list[Given]
    places: list[IntArray]
    prompt: str

    @property
    def measures(self) -> tuple[str, ...]:
        """What of the outputs is estimated."""
        return tuple(MEASURES[self.prompt])


def read_given(pool: Pool) -> PoolGiven:
    """Read what the systems of a pool wrote."""
    prompt = prompts.prompt_of(pool.epoch.corpus)
    stored = list(columns.read([batch.pk for batch in pool.batches], [INPUTS, PLACES]))
    own = [unpack(one[INPUTS]) for one in stored]
    places = [unpack(one[PLACES]) for one in stored]
    every = np.concatenate(own)
    number = numbered(every)
    inputs = np.split(number, np.cumsum([one.size for one in own])[:-1])
    documents, folds = np.zeros((2, 1 + int(number.max())), dtype=np.int64)
    documents[number] = every
    candidates = read_candidates(pool.epoch, pool.submissions, prompt)
    systems = []
    for system, of_system, place, metrics in zip(pool.systems, inputs, places, candidates, strict=True):
        folds[of_system] = pool.folds[system.rows]
        systems.append(Given(of_system, system.rows, in_order(metrics, place)))
    return PoolGiven(documents, folds, systems, places, QUALITY if prompt is None else prompt.name)
