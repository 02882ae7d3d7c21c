"""How much more each system of a pool has of a measure than each other: `comparing.compare`, of all pairs."""

import numpy as np
from scipy.sparse import csr_array

from kbpo_estimators._checks import BoolArray, FloatArray, IntArray
from kbpo_estimators.generation.comparing import Side
from kbpo_estimators.generation.crowds import Said, of_clusters


class AllPairs:
    """All systems over all inputs.

    Parameters
    ----------
    inputs, units : list of int[n]
        Of each system's outputs.
    judged : bool[U]
        Of the units.
    size : int
        The number of inputs.
    """

    def __init__(self, inputs: list[IntArray], units: list[IntArray], judged: BoolArray, size: int) -> None:
        self._inputs = inputs
        self._units = np.full((len(inputs), size), -1)
        for row, place, unit in zip(self._units, inputs, units, strict=True):
            row[place] = unit
        has = self._units >= 0
        self._common = has.astype(np.float64) @ has.T
        self._common[self._common == 0] = np.nan
        # Only what is judged adds to variances.
        self._judged = np.flatnonzero((judged[self._units] & has).any(axis=0))
        self._judged_units = self._units[:, self._judged]

    def differences(self, sides: list[Side]) -> tuple[FloatArray, FloatArray]:
        """Return how much more each has of a measure than each, and the variances; NaN if no input is common.

        Parameters
        ----------
        sides : list of Side
            All outputs of each system, by that measure.
        """
        values, e, own = (np.zeros(self._units.shape) for _ in range(3))
        pi = np.ones(self._units.shape)
        for number, (side, place) in enumerate(zip(sides, self._inputs, strict=True)):
            values[number, place] = side.values
            e[number, place] = side.e
            pi[number, place] = side.pi
            own[number, place] = side.of_draw + side.of_people * side.sigma2
        e, pi, own = e[:, self._judged], pi[:, self._judged], own[:, self._judged]
        m = len(sides)
        gaps, variances = np.zeros((m, m)), np.zeros((m, m))
        for first in range(m):
            apart = self._apart(self._units, first)
            gap = np.einsum("ij,ij->i", apart, values[first] - values[first:])
            apart = self._apart(self._judged_units, first)
            cross = e[first:] * e[first] * (1.0 - np.maximum(pi[first:], pi[first]))
            summed = own[first:] + own[first] - 2.0 * cross / (pi[first:] * pi[first])
            gaps[first, first:], gaps[first:, first] = gap, -gap
            variances[first, first:] = variances[first:, first] = np.einsum("ij,ij->i", apart, summed)
        return gaps / self._common + 0.0, np.maximum(0.0, variances) / self._common**2

    def clusters(self, sides: list[Side], said: list[Said], values: FloatArray) -> FloatArray:
        """Return what it adds to each variance that people are clusters, as `clusters` does of one pair.

        Parameters
        ----------
        sides : list of Side
        said : list of Said
            What was said of all outputs of each system.
        values : float[J]
            Of all judgements.
        """
        found = [one.weighted(side, values) for one, side in zip(said, sides, strict=True)]
        column = np.full(self._units.shape[1], -1)
        column[self._judged] = np.arange(self._judged.size)
        places = [column[place[one.outputs]] for one, place in zip(said, self._inputs, strict=True)]
        sizes = [one.outputs.size for one in said]
        start = np.concatenate([[0], np.cumsum(sizes)])
        of, place = np.repeat(np.arange(len(said)), sizes), np.concatenate(places)
        who = np.concatenate([one.workers for one in said])
        c, ce = (np.concatenate(one) for one in zip(*found, strict=True))
        people = 1 + int(who.max(initial=0))
        m = len(said)
        added = np.zeros((m, m))
        for first in range(m):
            apart = self._apart(self._judged_units, first)
            # Of the system itself, whose judgements are the same for each that it is compared with.
            mine = slice(start[first], start[first + 1])
            shape = self._judged.size, people
            own_c, own_ce = (
                csr_array((one[mine], (place[mine], who[mine])), shape).T @ apart.T.astype(np.float64)
                for one in (c, ce)
            )
            squares = apart @ _summed(place[mine], ce[mine] ** 2, self._judged.size)
            # Of each that it is compared with.
            rest = slice(start[first], None)
            row = of[rest] - first
            counts = apart[row, place[rest]]
            row, others, c_there, ce_there = row[counts], who[rest][counts], c[rest][counts], ce[rest][counts]
            cells, size = row * people + others, (m - first) * people
            shares = own_c.T + _summed(cells, c_there, size).reshape(-1, people)
            summed = own_ce.T - _summed(cells, ce_there, size).reshape(-1, people)
            squares = squares + _summed(row, ce_there**2, m - first)
            differs = self._apart(self._units, first).any(axis=1)
            more, _ = of_clusters(summed, shares, squares)
            added[first, first:] = added[first:, first] = np.where(differs, more, 0.0)
        return np.asarray(added / self._common**2)

    def _apart(self, units: IntArray, first: int) -> BoolArray:
        """Return where one system has another output than itself and each of those after it, a row each."""
        mine, others = units[first], units[first:]
        return np.asarray((others >= 0) & (mine >= 0) & (others != mine))


def _summed(places: IntArray, values: FloatArray, size: int) -> FloatArray:
    """Return the sum of the values at each of so many places."""
    return np.asarray(np.bincount(places, values, minlength=size), dtype=np.float64)
