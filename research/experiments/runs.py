"""Precision and recall of the runs of a shared task: read from a file, or drawn to be like those of 2015."""

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from kbpo.core.errors import InvalidInput

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

TOP = 40
"""The paper reports on the best forty runs by F1."""

# TAC KBP 2015, 69 runs of 17 teams: the marginals of their scores, and how these hang together.
TEAM_SIZES = (9, 6, 5, 5, 5, 5, 5, 5, 4, 4, 4, 4, 3, 2, 1, 1, 1)
QUANTILES = (0.0, 0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 1.0)
PRECISION = (0.041, 0.078, 0.115, 0.272, 0.352, 0.538, 0.613, 0.638, 1.0)
RECALL = (0.003, 0.009, 0.015, 0.063, 0.196, 0.264, 0.316, 0.376, 0.446)
WITHIN_TEAMS = (0.30, 0.17)
"""The shares of the variance of precision and of recall that lie within teams, on the scale of ranks."""
PREDICTIONS = 36.6
"""Σ R/P: the instances of all runs together, for each that is true."""
TOLERANCE = 0.05
CORRELATION_OF_TEAMS = -0.05
CORRELATION_IN_TEAMS = -0.41
"""Of precision with recall: between the teams' means, and between the runs of a team."""


@dataclass(frozen=True, eq=False)
class Runs:
    """What the runs of a task scored.

    Attributes
    ----------
    precision, recall : float[m]
        In (0, 1].
    teams : int[m]
        Runs of one team have one number; numbers begin at 0.
    """

    precision: FloatArray
    recall: FloatArray
    teams: IntArray

    @property
    def f1(self) -> FloatArray:
        """Return the harmonic means, float[m]."""
        return 2 * self.precision * self.recall / (self.precision + self.recall)

    def top(self, n: int = TOP) -> IntArray:
        """Return the positions of the best n runs by F1, the best first."""
        return np.argsort(-self.f1, kind="stable")[:n]


def draw_runs(rng: np.random.Generator) -> Runs:
    """Draw 69 runs of 17 teams that score like those of TAC KBP 2015.

    Precision and recall each have the quantiles of 2015, without chance; which run has which is drawn, with
    the correlations of 2015 between and within teams. Draws are repeated until the runs together claim about
    as much as in 2015.

    Parameters
    ----------
    rng : numpy.random.Generator

    Returns
    -------
    Runs
    """
    teams = np.repeat(np.arange(len(TEAM_SIZES)), TEAM_SIZES)
    within = np.array(WITHIN_TEAMS)
    while True:
        of_team = _correlated(rng, len(TEAM_SIZES), CORRELATION_OF_TEAMS)[teams]
        of_run = _correlated(rng, teams.size, CORRELATION_IN_TEAMS)
        ranks = np.argsort(
            np.argsort(np.sqrt(1 - within) * of_team + np.sqrt(within) * of_run, axis=0), axis=0
        )
        precision, recall = (
            np.interp(ranks[:, column] / (teams.size - 1), QUANTILES, values)
            for column, values in enumerate((PRECISION, RECALL))
        )
        if abs((recall / precision).sum() / PREDICTIONS - 1) < TOLERANCE:
            return Runs(precision, recall, teams)


def _correlated(rng: np.random.Generator, n: int, correlation: float) -> FloatArray:
    first, second = rng.standard_normal((2, n))
    return np.column_stack([first, correlation * first + np.sqrt(1 - correlation**2) * second])


def read_runs(lines: Iterable[str]) -> Runs:
    """Read runs from a table with the columns run_id, precision and recall, separated by tabs.

    A run's team is its id without the task before the first underscore and the number at the end:
    ``SF_Stanford2`` and ``KB_Stanford1`` are of one team.

    Parameters
    ----------
    lines : iterable of str
        With a line of headings.

    Returns
    -------
    Runs

    Raises
    ------
    InvalidInput
        If a column is missing, there is no run, or a score does not lie in (0, 1].
    """
    names, scores = [], []
    for number, row in enumerate(csv.DictReader(lines, delimiter="\t"), start=2):
        try:
            names.append(row["run_id"])
            scores.append([float(row["precision"]), float(row["recall"])])
        except (KeyError, TypeError, ValueError):
            raise InvalidInput(
                f"line {number} is {row!r}; run_id, precision and recall are needed", where="--runs"
            ) from None
        if not all(0 < score <= 1 for score in scores[-1]):
            raise InvalidInput(f"line {number}: {scores[-1]} do not both lie in (0, 1]", where="--runs")
    if not names:
        raise InvalidInput("there are no runs; at least one line is needed", where="--runs")
    teams = [re.sub(r"\d$", "", name.split("_", 1)[-1]) for name in names]
    index: dict[str, int] = {}
    numbers = [index.setdefault(team, len(index)) for team in teams]
    table = np.array(scores)
    return Runs(table[:, 0], table[:, 1], np.array(numbers))


def normal_quantile(level: float) -> float:
    """Return z: a normal variable lies within ±z with this probability."""
    return float(ndtri((1 + level) / 2))
