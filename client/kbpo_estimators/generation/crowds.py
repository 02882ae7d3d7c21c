"""What another crowd adds to variances: who is lenient is so in all that they judge; people are clusters."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kbpo_estimators._checks import FloatArray, IntArray
from kbpo_estimators.generation.comparing import Side

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Said:
    """What people said of outputs of a system, a row a judgement.

    Attributes
    ----------
    judgements : int[n]
        Which of all judgements it is.
    outputs : int[n]
        Which of the outputs it judges.
    workers : int[n]
        Who gave it.
    """

    judgements: IntArray
    outputs: IntArray
    workers: IntArray

    def among(self, rows: IntArray, size: int) -> "Said":
        """Return what was said of some of `size` outputs, which are counted anew."""
        place = np.full(size, -1)
        place[rows] = np.arange(rows.size)
        outputs = place[self.outputs]
        has = outputs >= 0
        return Said(self.judgements[has], outputs[has], self.workers[has])

    def weighted(self, side: Side, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return c and c·e of each, times N."""
        c = side.of_people[self.outputs]
        return c, c * (values[self.judgements] - side.foretold[self.outputs])


def clusters(sides: Sequence[tuple[Said, Side]], values: FloatArray, size: int) -> tuple[float, float]:
    """Return what it adds to a variance that people are clusters, and how many people there are.

    Parameters
    ----------
    sides : sequence of (Said, Side)
        One of a score; two of the difference of the first and the second.
    values : float[J]
        Of all judgements.
    size : int
        By how many inputs it is divided: N, or those that both have.

    Returns
    -------
    added : float
        Infinite where it cannot be seen.
    people : float
        G; 1 there.
    """
    people = 1 + max(int(said.workers.max(initial=0)) for said, _ in sides)
    summed, shares, squares = np.zeros(people), np.zeros(people), 0.0
    for (said, side), sign in zip(sides, (1.0, -1.0), strict=False):
        c, ce = said.weighted(side, values)
        summed += sign * np.bincount(said.workers, ce, minlength=people)
        shares += np.bincount(said.workers, c, minlength=people)
        squares += float((ce**2).sum())
    added, effective = of_clusters(summed[None], shares[None], np.array([squares]))
    return float(added[0]) / size**2, float(effective[0])


def of_clusters(summed: FloatArray, shares: FloatArray, squares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return what people add to variances, and G, from Σ ce and Σ c by person, a row each, and Σ c²e²."""
    total = shares.sum(axis=1)
    people = np.divide(total**2, (shares**2).sum(axis=1), out=np.ones(total.size), where=total > 0)
    seen = people > 1.0 + _ROUNDING
    added = np.maximum(0.0, people / np.where(seen, people - 1.0, 1.0) * ((summed**2).sum(axis=1) - squares))
    return np.where(seen, added, np.inf), np.where(seen, people, 1.0)
