"""A made-up pool of runs over common instances, of the shape of TAC KBP 2015.

Each run has as many instances, and as many that are correct, as its precision and recall ask for. Which ones
is a matter of three tastes: everybody's (some facts are easy, some mistakes lie close at hand), the team's,
and the run's own. Some facts, and most mistakes, only one team can come upon. How strong each taste is, and
how much is one team's alone, is set so that the pool resembles the real one in size and overlap.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit

from kbpo_estimators import weighting
from research.experiments.runs import FloatArray, IntArray, Runs

BoolArray = NDArray[np.bool_]

TRUE_INSTANCES = 1_296
FALSE_INSTANCES = 15_000
"""To choose from. Runs like those of 2015 then take some 8,200 of them: 9,471 instances were judged there."""


@dataclass(frozen=True, slots=True)
class Taste:
    """How runs come to take what they take.

    Attributes
    ----------
    common, of_team : float
        The shares of the variance of a run's liking that are everybody's and its team's.
    alone : float
        The share of the instances that only one team can come upon.
    keen : float
        How much more a team likes those, in standard deviations.
    """

    common: float
    of_team: float
    alone: float
    keen: float


FACTS = Taste(common=0.65, of_team=0.2, alone=0.4, keen=1.2)
MISTAKES = Taste(common=0.05, of_team=0.2, alone=0.7, keen=0.0)
MISTAKES_IN_A_CORPUS = Taste(common=0.4, of_team=0.2, alone=0.4, keen=0.0)
"""In a corpus systems misread the same sentences: forty of them claim some 700,000 instances in all."""

TELLING = 0.8
"""How much more confident a run is of what is correct, in standard deviations; real ones are as telling."""
SUBJECTS_OF_FACTS, PREDICATES = 0.25, 41


@dataclass(frozen=True, eq=False)
class Pool:
    """Runs and the instances that they predict.

    Attributes
    ----------
    runs : Runs
        As they are asked for; the pool's own scores differ by rounding.
    correct : bool[N]
        The correct instances come first.
    members : sparse CSR bool[m, N]
        Row i: the instances of run i.
    facts : int
        The true instances of the world, those that no run has included.
    subjects, predicates : int[N]
        Entities and predicates, by number; the object of each instance is its own.
    confidence : sparse CSR float[m, N]
        What each run says of each of its instances, in (0, 1).
    """

    runs: Runs
    correct: BoolArray
    members: sparse.csr_array
    facts: int
    subjects: IntArray
    predicates: IntArray
    confidence: sparse.csr_array
    _weights: dict[str, sparse.csr_array] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """N: the instances that some run predicts."""
        return int(self.correct.size)

    def rows(self, run: int) -> IntArray:
        """Return the instances of a run, ascending."""
        start, end = self.members.indptr[run : run + 2]
        return np.asarray(self.members.indices[start:end], dtype=np.int64)

    def own(self, matrix: sparse.csr_array, run: int) -> FloatArray:
        """Return what a matrix over all instances, such as `confidence`, holds for those of a run."""
        return np.asarray(matrix.data[matrix.indptr[run] : matrix.indptr[run + 1]], dtype=np.float64)

    def weights(self, name: str) -> sparse.csr_array:
        """Return p_i of each run under a weighting, m × N."""
        if name not in self._weights:
            data = []
            for run in range(self.members.shape[0]):
                rows = self.rows(run)
                subjects, predicates = self.subjects[rows].astype(str), self.predicates[rows].astype(str)
                data.append(weighting.WEIGHTINGS[name](subjects, predicates, rows.astype(str)))
            self._weights[name] = sparse.csr_array(
                (np.concatenate(data), self.members.indices, self.members.indptr), shape=self.members.shape
            )
        return self._weights[name]

    def precision(self, name: str = "instance") -> FloatArray:
        """Return the exact precision of each run under a weighting."""
        return np.asarray(self.weights(name) @ self.correct.astype(float))

    def recall(self) -> FloatArray:
        """Return the exact share of the facts that each run has."""
        return np.asarray(self.members.astype(float) @ self.correct.astype(float)) / self.facts

    def found(self, facts: IntArray) -> BoolArray:
        """Return which run has which of some facts, bool[m, n]; facts are numbered 0 to `facts` − 1."""
        found = np.zeros((self.members.shape[0], facts.size), dtype=bool)
        in_pool = facts < int(self.correct.sum())
        found[:, in_pool] = self.members[:, facts[in_pool]].toarray()
        return found

    def take(self, runs: IntArray) -> "Pool":
        """Return the pool of some runs alone: the instances that none of them predicts are not in it."""
        some = self.members[runs]
        seen = np.flatnonzero(np.bincount(some.indices, minlength=self.size))
        return Pool(
            Runs(self.runs.precision[runs], self.runs.recall[runs], self.runs.teams[runs]),
            self.correct[seen],
            sparse.csr_array(some[:, seen]),
            self.facts,
            self.subjects[seen],
            self.predicates[seen],
            sparse.csr_array(self.confidence[runs][:, seen]),
        )

    def teams_of_instances(self) -> IntArray:
        """Count the teams that have each instance."""
        return np.asarray(self.by_team().sum(axis=0), dtype=np.int64)

    def by_team(self) -> BoolArray:
        """Return which team has which instance, bool[teams, N]."""
        names = np.unique(self.runs.teams)
        has = np.zeros((names.size, self.size), dtype=bool)
        for row, team in enumerate(names):
            has[row, self.members[np.flatnonzero(self.runs.teams == team)].indices] = True
        return has


def draw_pool(
    runs: Runs,
    rng: np.random.Generator,
    *,
    facts: int = TRUE_INSTANCES,
    mistakes: int = FALSE_INSTANCES,
    taste: Taste = MISTAKES,
    taste_for_facts: Taste = FACTS,
) -> Pool:
    """Draw which instances each run has.

    Parameters
    ----------
    runs : Runs
        Run i has R_i · `facts` correct instances, and as many false ones as make its precision P_i.
    rng : numpy.random.Generator
    facts, mistakes : int
        The true and the false instances that there are to choose from, at least 1 each.
    taste, taste_for_facts : Taste
        That for mistakes, and that for facts.

    Returns
    -------
    Pool
    """
    right = np.maximum(1, np.rint(runs.recall * facts)).astype(np.int64)
    wrong = np.rint(right * (1 / runs.precision - 1)).astype(np.int64)
    found = _choose(rng, runs.teams, right, facts, taste_for_facts)
    claimed = _choose(rng, runs.teams, wrong, mistakes, taste)
    members = sparse.csr_array(np.hstack([found, claimed]))
    seen = np.flatnonzero(np.bincount(members.indices, minlength=facts + mistakes))
    entities = max(1, round(SUBJECTS_OF_FACTS * facts))
    subjects = rng.choice(entities, size=seen.size, p=_zipf(entities))
    predicates = rng.choice(PREDICATES, size=seen.size, p=_zipf(PREDICATES))
    members, correct = sparse.csr_array(members[:, seen]), seen < facts
    signal = rng.standard_normal(members.nnz) + TELLING * correct[members.indices]
    confidence = sparse.csr_array((expit(signal), members.indices, members.indptr), shape=members.shape)
    return Pool(runs, correct, members, facts, subjects, predicates, confidence)


def _choose(
    rng: np.random.Generator, teams: IntArray, counts: IntArray, size: int, taste: Taste
) -> BoolArray:
    """Return which of `size` instances each run takes, bool[m, size]: those that it likes most."""
    likings = _likings_of_teams(rng, teams, counts, size, taste)
    taken = np.zeros((teams.size, size), dtype=bool)
    for run, (team, count) in enumerate(zip(teams, counts, strict=True)):
        own = np.sqrt(1 - taste.common - taste.of_team) * rng.standard_normal(size, dtype=np.float32)
        liking = likings[team] + own
        best = np.argpartition(-liking, min(count, size - 1))[:count]
        taken[run, best[np.isfinite(liking[best])]] = True
    return taken


def _likings_of_teams(
    rng: np.random.Generator, teams: IntArray, counts: IntArray, size: int, taste: Taste
) -> dict[int, NDArray[np.float32]]:
    """Return how much each team likes each instance, −∞ where it cannot come upon it."""
    names = np.unique(teams)
    reach = np.array([1 + np.median(counts[teams == team]) for team in names])
    owners = np.where(rng.random(size) < taste.alone, rng.choice(names, size=size, p=reach / reach.sum()), -1)
    everybody = np.sqrt(taste.common) * rng.standard_normal(size, dtype=np.float32)
    likings = {}
    for team in names:
        liking = everybody + np.sqrt(taste.of_team) * rng.standard_normal(size, dtype=np.float32)
        liking[owners == team] += taste.keen
        liking[(owners >= 0) & (owners != team)] = -np.inf
        likings[int(team)] = liking
    return likings


def _zipf(n: int) -> FloatArray:
    weights = 1.0 / np.arange(1, n + 1)
    return np.asarray(weights / weights.sum(), dtype=np.float64)
