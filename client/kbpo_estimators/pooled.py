"""The pooled model: how likely a unit is right, learnt from the labels of all systems of a pool.

A ridge logistic regression for each part of a prediction and each fold k, fitted on the sampled units of the
other folds alone. So ĝ₋ₖ knows no random number of fold k, and the difference estimator that takes it as a
regressor stays exactly unbiased, however bad the model is. It costs no label: other systems' labels say what
a system's own confidence cannot.

What it sees of a unit: which teams claim it and how confident each is (by its surest system, so that copies
add nothing), how many teams do, the largest of their confidences, and whatever the task says of it, by itself
and times the logarithm of the number of teams.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.special import expit

from kbpo_estimators import _checks, logistic
from kbpo_estimators._checks import BoolArray, FloatArray, IntArray
from kbpo_estimators.coordinated import FOLDS

RIDGE = 1.0
MOST_TEAMS = 50
"""Of so many teams, those that claim most, the model knows each; of the others only how many they are."""
MOST_ROWS = 20_000
"""About so many labelled units at most are learnt from: more would take long, and teach little."""
THIN = 0.1
"""Features of which fewer than this are not 0 are taken as sparse: faster, and the same to the last digit."""

_EMPTY = np.empty(0, dtype=np.int64)


class Claimed(Protocol):
    """A system's units, as the model needs them."""

    @property
    def rows(self) -> IntArray:
        """Return their positions in the pool, int[n], each once."""

    @property
    def confidence(self) -> FloatArray:
        """Return the confidences there, float[n]."""

    @property
    def team(self) -> int:
        """Return whose it is: any number that systems of one team share."""


class Entries(Protocol):
    """The sampled units of each system, one system after the other."""

    @property
    def indptr(self) -> IntArray:
        """Return where each system's begin and end, int[m + 1]."""

    @property
    def positions(self) -> IntArray:
        """Return for each its position in the pool's sample, int[E]."""

    @property
    def own(self) -> IntArray:
        """Return for each its position among the system's units, int[E]."""

    @property
    def systems(self) -> int:
        """Return m."""


@dataclass(frozen=True, slots=True, eq=False)
class SampleEntries:
    """The sampled units of each system; attributes are those of `Entries`."""

    indptr: IntArray
    positions: IntArray
    own: IntArray

    @property
    def systems(self) -> int:
        """M."""
        return self.indptr.size - 1

    @classmethod
    def of(cls, systems: Sequence[Claimed], sampled: BoolArray) -> "SampleEntries":
        """Find them; `sampled` is bool[N] over the pool."""
        place = np.cumsum(sampled) - 1
        own = [np.flatnonzero(sampled.take(system.rows)) for system in systems]
        positions = [place[system.rows[kept]] for system, kept in zip(systems, own, strict=True)]
        indptr = np.cumsum([0, *(kept.size for kept in own)])
        return cls(indptr, np.concatenate([_EMPTY, *positions]), np.concatenate([_EMPTY, *own]))


@dataclass(frozen=True, slots=True, eq=False)
class UnitFeatures:
    """What a task says of the units of a pool.

    It must be fixed before any unit is drawn, and must not depend on labels.

    Attributes
    ----------
    names : sequence of str
        Of the d features.
    table : float[c, d], or scipy.sparse
        Rows that many units share stand there once.
    codes : int[N]
        Which row says what is known of each unit of the pool.
    """

    names: Sequence[str]
    table: Any
    codes: IntArray

    @classmethod
    def nothing(cls, size: int) -> "UnitFeatures":
        """Return features of a pool of `size` units of which nothing is known."""
        return cls((), np.empty((1, 0)), np.zeros(size, dtype=np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class PooledModel:
    """What was learnt for one part: K logistic regressions.

    Attributes
    ----------
    names : tuple of str
        Of the coefficients; the intercept first.
    coefficients : float[K, 1 + D]
        Row k was fitted without fold k.
    rows : int[K]
        The labelled units that each was fitted on.
    inputs : str
        SHA-256 of what they were fitted on: features, labels, and folds, in the order of the pool.
    """

    names: tuple[str, ...]
    coefficients: FloatArray
    rows: IntArray
    inputs: str

    @property
    def digest(self) -> str:
        """SHA-256 of names and coefficients, and of `inputs`."""
        said = [self.names, self.coefficients.tolist(), self.rows.tolist(), self.inputs]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()


@dataclass(frozen=True, slots=True, eq=False)
class Predicted:
    """What a model says of a pool's units.

    Attributes
    ----------
    of_pool : float[N]
        ĝ₋ₖ of each unit, k its own fold.
    of_sample : float[S, K]
        ĝ₋ₖ of each sampled unit, for every k.
    model : PooledModel or None
        None where a caller predicts in another way.
    """

    of_pool: FloatArray
    of_sample: FloatArray
    model: PooledModel | None = None


def learn(
    systems: Sequence[Claimed],
    features: UnitFeatures,
    sampled: ArrayLike,
    folds: ArrayLike,
    entries: Entries,
    labels: Mapping[str, FloatArray],
    *,
    k: int = FOLDS,
    most_teams: int = MOST_TEAMS,
    most_rows: int = MOST_ROWS,
) -> dict[str, Predicted]:
    """Learn from a pool's labels how likely its units are right, by part.

    The label of a unit for a part is the mean over the teams that claim it, and within a team over its
    systems: where f depends on the system, as for canonical mentions, each system's own level and slope in
    the difference estimator make up for what is its own.

    Parameters
    ----------
    systems : sequence of Claimed
        All of the pool's.
    features : UnitFeatures
        The task's.
    sampled : bool[N]
        {u < π_B}, and what is known.
    folds : int[N]
        From 0 to k − 1.
    entries : Entries
        The systems' sampled units.
    labels : mapping of str to float[E]
        By part, f_i of each entry, in [0, 1].
    k : int
    most_teams, most_rows : int
        As the constants of this module. What is left out is chosen without a look at the fold itself.

    Returns
    -------
    dict of str to Predicted

    Raises
    ------
    InvalidInput
        If lengths differ or a value is out of range.
    """
    teams = np.unique([system.team for system in systems], return_inverse=True)[1]
    size = int(np.count_nonzero(sampled))
    values = {
        part: _of_units(entries, teams, _checks.vector(part, f, entries.positions.size), size)
        for part, f in labels.items()
    }
    return learn_units(
        systems, features, sampled, folds, values, k=k, most_teams=most_teams, most_rows=most_rows
    )


def learn_units(
    systems: Sequence[Claimed],
    features: UnitFeatures,
    sampled: ArrayLike,
    folds: ArrayLike,
    values: Mapping[str, FloatArray],
    *,
    k: int = FOLDS,
    most_teams: int = MOST_TEAMS,
    most_rows: int = MOST_ROWS,
) -> dict[str, Predicted]:
    """Learn as `learn`, from labels of units that are everybody's, claimed or not.

    Parameters
    ----------
    systems, features, sampled, folds, k, most_teams, most_rows
        As in `learn`.
    values : mapping of str to float[S]
        By part, the label of each sampled unit, in [0, 1].

    Returns
    -------
    dict of str to Predicted
    """
    k = _checks.whole("k", k, 2)
    inside = _checks.flags("sampled", sampled)
    size = inside.size
    fold = _checks.integers("folds", folds, length=size, below=k)
    codes = _checks.integers("features", features.codes, length=size, below=features.table.shape[0])
    columns = _Columns.of(systems, fold, _dense(features.table), codes, list(features.names), most_teams)
    X = columns.of_units(np.flatnonzero(inside))
    fold_of_sample = fold[inside]
    kept = _thinned(fold_of_sample, k, -(-most_rows // k))
    rows_kept, fold_kept = X[kept], fold_of_sample[kept]
    told = _hashed(columns.names, rows_kept, fold_kept)
    filled = np.count_nonzero(rows_kept, axis=1)
    thin: Any = None
    labels = {part: _checks.vector(part, given, X.shape[0]) for part, given in values.items()}
    coefficients = {part: np.empty((k, 1 + X.shape[1])) for part in labels}
    rows = np.empty(k, dtype=np.int64)
    for one in range(k):
        outside = np.flatnonzero(fold_kept != one)
        others = kept[outside]
        if filled[outside].sum() < THIN * outside.size * X.shape[1]:
            thin = sparse.csr_array(rows_kept) if thin is None else thin
            own = thin[outside]
        else:
            own = rows_kept[outside]
        for part, y in labels.items():
            fit = logistic.fit(own, y[others], ridge=RIDGE)
            coefficients[part][one] = [fit.intercept, *fit.coefficients]
        rows[one] = others.size
    found = {}
    for part, y in labels.items():
        inputs = hashlib.sha256(told + y[kept].tobytes()).hexdigest()
        found[part] = Predicted(
            columns.predicted(coefficients[part], fold),
            np.asarray(expit(X @ coefficients[part][:, 1:].T + coefficients[part][:, 0])),
            PooledModel(("intercept", *columns.names), coefficients[part], rows, inputs),
        )
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Team:
    """A team's units; copies of a system add nothing, since the largest confidence counts.

    Attributes
    ----------
    rows : int[n]
    confidence : float[n]
    """

    number: int
    rows: IntArray
    confidence: FloatArray

    @property
    def moments(self) -> tuple[float, float]:
        """Return the mean of the confidences, and one over their deviation; 0 where all are alike."""
        if self.rows.size == 0 or self.confidence.min() == self.confidence.max():
            return 0.0, 0.0
        spread = float(self.confidence.std())
        return float(self.confidence.mean()), 1.0 / spread if spread > 0 else 0.0


def _teams(systems: Sequence[Claimed], size: int) -> Iterator[_Team]:
    members: dict[int, list[Claimed]] = {}
    for system in systems:
        members.setdefault(system.team, []).append(system)
    largest: FloatArray | None = None
    for number, own in members.items():
        if len(own) == 1:
            yield _Team(number, own[0].rows, own[0].confidence)
            continue
        if largest is None:
            largest = np.full(size, -np.inf)
        for system in own:
            largest[system.rows] = np.maximum(largest[system.rows], system.confidence)
        rows = np.flatnonzero(largest > -np.inf)
        yield _Team(number, rows, largest[rows])
        largest[rows] = -np.inf


def _counted(teams: Iterator[_Team], size: int, most: int) -> tuple[IntArray, list[_Team]]:
    """Return how many teams have each unit, and the teams that claim most, in the order of their arrival."""
    count: Any = np.zeros(size, dtype=np.uint16)  # small, so that more of it stays in a processor's cache
    named: list[_Team] = []
    for number, team in enumerate(teams):
        if number == np.iinfo(count.dtype).max:
            count = count.astype(np.int64)
        rows = team.rows.astype(np.intp, copy=False)
        count[rows] = count.take(rows) + 1
        named.append(team)
        if len(named) > most:  # of two as large the first to come stays
            named.remove(min(reversed(named), key=lambda one: one.rows.size))
    return count, named


@dataclass(frozen=True, slots=True, eq=False)
class _Columns:
    """The features of a pool's units: of teams, of all teams together, of the task.

    Attributes
    ----------
    named : list of _Team
    folds : list of uint8[n]
        Of each one's units.
    moments : list of (float, float)
        Mean, and one over the standard deviation, of the confidences of each.
    several : float[N]
        The logarithm of the number of teams.
    surest : float[N]
        The largest of their standardised confidences; 0 where none of them claims it.
    table : float[c, d]
    codes : int[N]
    names : list of str
    """

    named: list[_Team]
    folds: list[Any]
    moments: list[tuple[float, float]]
    several: FloatArray
    surest: FloatArray
    table: FloatArray
    codes: IntArray
    names: list[str]

    @classmethod
    def of(
        cls,
        systems: Sequence[Claimed],
        fold: IntArray,
        table: FloatArray,
        codes: IntArray,
        names: list[str],
        most_teams: int,
    ) -> "_Columns":
        size = fold.size
        count, named = _counted(_teams(systems, size), size, most_teams)
        moments = [team.moments for team in named]
        surest = np.full(size, -np.inf)
        for team, (mean, scale) in zip(named, moments, strict=True):
            own = (team.confidence - mean) * scale
            surest[team.rows] = np.maximum(surest.take(team.rows), own)
        surest[surest == -np.inf] = 0.0
        several = np.log(np.maximum(count, 1.0))
        said = [f"team {team.number}" for team in named]
        said += [f"confidence of team {team.number}" for team in named]
        said += ["teams", "largest confidence", *names, *(f"{name}, with teams" for name in names)]
        small = fold.astype(np.uint8)
        return cls(
            named, [small.take(team.rows) for team in named], moments, several, surest, table, codes, said
        )

    def of_units(self, units: IntArray) -> FloatArray:
        """Return the features of some units of the pool, ascending, float[u, D]."""
        t, d = len(self.named), self.table.shape[1]
        X = np.zeros((units.size, 2 * t + 2 + 2 * d))
        place = np.full(self.codes.size, -1, dtype=np.int64)
        place[units] = np.arange(units.size)
        for column, (team, (mean, scale)) in enumerate(zip(self.named, self.moments, strict=True)):
            at = place.take(team.rows)
            kept = np.flatnonzero(at >= 0)
            X[at[kept], column] = 1.0
            X[at[kept], t + column] = (team.confidence[kept] - mean) * scale
        X[:, 2 * t] = self.several[units]
        X[:, 2 * t + 1] = self.surest[units]
        X[:, 2 * t + 2 : 2 * t + 2 + d] = self.table[self.codes[units]]
        X[:, 2 * t + 2 + d :] = X[:, 2 * t + 2 : 2 * t + 2 + d] * X[:, [2 * t]]
        return X

    def predicted(self, coefficients: FloatArray, fold: IntArray) -> FloatArray:
        """Return the probability of each unit of the pool by the coefficients of its own fold, float[N]."""
        t, d = len(self.named), self.table.shape[1]
        k = coefficients.shape[0]
        of_team, of_confidence = coefficients[:, 1 : 1 + t], coefficients[:, 1 + t : 1 + 2 * t]
        several, surest = coefficients[:, 1 + 2 * t], coefficients[:, 2 + 2 * t]
        rest = coefficients[:, 3 + 2 * t :]
        cell = self.codes * k + fold
        eta = (self.table @ rest[:, :d].T + coefficients[:, 0]).ravel().take(cell)
        eta += ((self.table @ rest[:, d:].T) + several).ravel().take(cell) * self.several
        eta += surest.take(fold) * self.surest
        standardised = zip(self.named, self.folds, self.moments, strict=True)
        for column, (team, own, (mean, scale)) in enumerate(standardised):
            level = of_team[:, column] - of_confidence[:, column] * mean * scale
            slope = of_confidence[:, column] * scale
            eta[team.rows] += level.take(own) + slope.take(own) * team.confidence
        return np.asarray(expit(eta))


def _dense(table: Any) -> FloatArray:
    is_sparse = bool(sparse.issparse(table))
    return np.asarray(table.toarray() if is_sparse else table, dtype=np.float64)


def _thinned(fold: IntArray, k: int, most: int) -> IntArray:
    """Return the positions to learn from: of each fold at most about `most`, at equal distances.

    What is left of a fold depends on its own sample alone: that of another would let its random numbers in.
    """
    kept = []
    for one in range(k):
        of_fold = np.flatnonzero(fold == one)
        kept.append(of_fold[:: max(1, -(-of_fold.size // most))])
    return np.sort(np.concatenate(kept))


def _of_units(entries: Entries, teams: IntArray, f: FloatArray, size: int) -> FloatArray:
    """Return the label of each sampled unit: the mean over teams of the mean over their systems."""
    ends = entries.indptr[1:-1]
    of_systems = list(zip(np.split(entries.positions, ends), np.split(f, ends), strict=True))
    total, count = np.zeros(size), np.zeros(size)
    for members in np.split(np.argsort(teams, kind="stable"), np.cumsum(np.bincount(teams))[:-1]):
        units, right = of_systems[members[0]]
        if members.size > 1:
            units = np.concatenate([of_systems[number][0] for number in members])
            votes = np.bincount(units, minlength=size)
            right = np.bincount(units, np.concatenate([of_systems[number][1] for number in members]), size)
            units = np.flatnonzero(votes)
            right = right[units] / votes[units]
        total[units] += right
        count[units] += 1.0
    return np.clip(np.divide(total, count, out=np.zeros(size), where=count > 0), 0.0, 1.0)


def _hashed(names: Sequence[str], X: FloatArray, fold: IntArray) -> bytes:
    digest = hashlib.sha256(json.dumps(list(names)).encode())
    digest.update(
        np.ascontiguousarray(np.round(X, 9) + 0.0).data
    )  # the same wherever logarithms have another last digit
    digest.update(fold.tobytes())
    return digest.digest()
