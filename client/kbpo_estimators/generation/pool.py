"""The scores of a pool's systems."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from kbpo_estimators import _checks
from kbpo_estimators._checks import BoolArray, FloatArray, IntArray
from kbpo_estimators.differences import Differences
from kbpo_estimators.generation.comparing import Side, compare
from kbpo_estimators.generation.crowds import Said, clusters
from kbpo_estimators.generation.fitting import (
    OWN_NOISE,
    Noise,
    Parts,
    estimated,
    fitted,
    noise,
    of_system,
    residuals,
)
from kbpo_estimators.generation.judged import Given, Judgements
from kbpo_estimators.generation.pairs import AllPairs
from kbpo_estimators.generation.results import Compared, Estimated, Score
from kbpo_estimators.generation.scales import SCALES, Scale
from kbpo_estimators.generation.worth import Judged, Variances, Worth, worth
from kbpo_estimators.intervals import DEFAULT_LEVEL

FEW = 20
"""With fewer judged outputs than this too little is known of a system."""
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    """A system by one measure: its outputs, or some of them."""

    side: Side
    parts: Parts
    chosen: IntArray
    names: list[str]

    @property
    def metric(self) -> str | None:
        number = int(np.bincount(self.chosen, minlength=len(self.names) + 1).argmax())
        return self.names[number - 1] if number else None


class Scores:
    """The scores of all systems of a pool.

    Parameters
    ----------
    systems : sequence of Given
    judgements : Judgements
        Those of units outside the sample are left out: a label sampled or known, and nothing else.
    pi : float[U]
        The units' inclusion probabilities after the last complete batch, in (0, 1]; 1 where the judgements
        were published before.
    sampled : bool[U]
        Whether it is in the sample, or published; those with π = 1 among them.
    folds : int[I]
        Of the inputs, from 0.
    scales : mapping of str to Scale, optional
        By measure.

    Raises
    ------
    InvalidInput
        If lengths differ, a value is out of its range, a sampled unit of a system has no judgement, or a
        system has an input twice.
    """

    def __init__(
        self,
        systems: Sequence[Given],
        judgements: Judgements,
        pi: ArrayLike,
        sampled: ArrayLike,
        folds: ArrayLike,
        scales: Mapping[str, Scale] = SCALES,
    ) -> None:
        self._pi = _checks.probabilities("pi", pi)
        u = self._pi.size
        self._sampled = _checks.flags("sampled", sampled, u)
        if (missing := (self._pi == 1.0) & ~self._sampled).any():
            _checks.refuse("sampled", f"leaves out unit {int(np.argmax(missing))}, whose π is 1; it must not")
        self._folds = _checks.integers("folds", folds)
        self._k = max(2, 1 + int(self._folds.max(initial=0)))
        self.measures = list(judgements.values)
        if unknown := [name for name in self.measures if name not in scales]:
            _checks.refuse("values", f"have the measure {unknown[0]!r}; one with a scale is needed")
        self._scales = {name: scales[name] for name in self.measures}
        self._read(judgements)
        self.systems = list(systems)
        for number, one in enumerate(self.systems):
            self._check(number, one)
        self._fits: dict[tuple[int, str], _Fit] = {}
        self._pooled: dict[str, Noise] = {}
        self._said_of: dict[int, Said] = {}

    def _read(self, judgements: Judgements) -> None:
        u = self._pi.size
        units = _checks.integers("units", judgements.units, below=u)
        workers = _checks.integers("workers", judgements.workers, length=units.size)
        counted = self._sampled[units]
        self._units, self._workers = units[counted], workers[counted]
        self._counts: IntArray = np.bincount(self._units, minlength=u)
        self._values: dict[str, FloatArray] = {}
        self._means: dict[str, FloatArray] = {}
        self._within: dict[str, FloatArray] = {}
        for name, values in judgements.values.items():
            given = _checks.vector(name, values, units.size)[counted]
            if (wrong := self._scales[name].clip(given) != given).any():
                _checks.refuse(name, f"has the value {given[wrong][0]!s}; that is not on its scale")
            means = np.asarray(np.bincount(self._units, given, minlength=u) / np.maximum(1, self._counts))
            away = _checks.without_rounding(given - means[self._units], given) ** 2
            self._values[name], self._means[name] = given, means
            self._within[name] = np.asarray(np.bincount(self._units, away, minlength=u), dtype=np.float64)

    def _check(self, number: int, system: Given) -> None:
        n = system.inputs.size
        _checks.not_empty(f"system {number}", n)
        _checks.integers("inputs", system.inputs, below=self._folds.size)
        _checks.integers("units", system.units, length=n, below=self._pi.size)
        if np.unique(system.inputs).size != n:
            _checks.refuse(f"system {number}", "has an input twice; one output for each is needed")
        unjudged = self._sampled[system.units] & (self._counts[system.units] == 0)
        if unjudged.any():
            unit = int(system.units[np.argmax(unjudged)])
            _checks.refuse("judgements", f"has none of unit {unit}, which is sampled; one at least is needed")
        for measure in self.measures:
            for name, column in system.of_measure(measure).items():
                _checks.vector(name, column, n)

    # People's noise

    @cached_property
    def _in_use(self) -> IntArray:
        found = np.zeros(self._pi.size, dtype=np.bool_)
        for one in self.systems:
            found[one.units] = True
        return np.flatnonzero(found)

    def _noise_among(self, units: IntArray, measure: str) -> Noise:
        return noise(self._within[measure][units], np.maximum(0, self._counts[units] - 1))

    def _twice(self, system: int) -> int:
        return int((self._counts[self.systems[system].units] > 1).sum())

    def _noise(self, system: int, measure: str) -> Noise:
        """Return σ̂_a² of a system."""
        own = self._noise_among(self.systems[system].units, measure)
        return of_system(own, self._noise_of_all(measure), np.array(self._twice(system)))

    def _noise_of_all(self, measure: str) -> Noise:
        if measure not in self._pooled:
            self._pooled[measure] = self._noise_among(self._in_use, measure)
        return self._pooled[measure]

    # Scores

    def _fit(self, system: int, measure: str) -> _Fit:
        """Fit a system as a whole, once."""
        if (system, measure) not in self._fits:
            self._fits[system, measure] = self._fit_some(system, measure, None)
        return self._fits[system, measure]

    def _fit_some(self, system: int, measure: str, some: BoolArray | None, *, bare: bool = False) -> _Fit:
        """Fit a system, on some of its outputs; `bare`: without a metric."""
        given = self.systems[system]
        rows = slice(None) if some is None else some
        units = given.units[rows]
        candidates = {} if bare else given.of_measure(measure)
        values, pi, counts = self._means[measure][units], self._pi[units], self._counts[units]
        found = fitted(
            values,
            (counts > 0) / pi,
            [column[rows] for column in candidates.values()],
            self._folds[given.inputs[rows]],
            self._k,
            self._scales[measure],
        )
        people = self._noise(system, measure)
        side = Side(found.values, residuals(values, found.values, counts), pi, counts, people)
        parts = estimated(values, found.values, pi, counts, people)
        return _Fit(side, parts, found.chosen, list(candidates))

    def score(self, system: int, measure: str, within: ArrayLike | None = None) -> Score | None:
        """Return a system's score by a measure; None where fewer than `FEW` outputs are judged.

        Parameters
        ----------
        system : int
        measure : str
        within : bool[I], optional
            A subset of the inputs: lines are fitted to it alone.
        """
        given, some = self.systems[system], None
        if within is not None:
            some = _checks.flags("within", within, self._folds.size)[given.inputs]
        units = given.units if some is None else given.units[some]
        counts = self._counts[units]
        outputs = int((counts > 0).sum())
        if outputs < FEW:
            return None
        fit = self._fit(system, measure) if some is None else self._fit_some(system, measure, some)
        bare = self._fit_some(system, measure, some, bare=True) if fit.names else fit
        p = 1.0 / units.size
        n_eff = 1.0 / (p * p * float((fit.side.of_people / self._pi[units]).sum()))
        this = self._estimated(fit.parts, n_eff, measure)
        said = self._said(system)
        if some is not None:
            said = said.among(np.flatnonzero(some), given.units.size)
        extra, people = clusters([(said, fit.side)], self._values[measure], units.size)
        another = None
        if people > 1.0:
            another = Estimated(
                this.estimate,
                this.variance + extra,
                min(this.degrees_of_freedom, max(1.0, people - 1.0)),
                min(n_eff, people),
                this.scale,
            )
        return Score(
            this,
            another,
            self._estimated(bare.parts, n_eff, measure),
            float(fit.parts.of_draw),
            float(fit.parts.of_people),
            float(fit.side.people.sigma2),
            outputs,
            int(counts.sum()),
            fit.metric,
            people,
        )

    def _estimated(self, parts: Parts, n_eff: float, measure: str) -> Estimated:
        return Estimated(
            float(parts.estimate),
            float(parts.variance),
            float(parts.degrees_of_freedom),
            n_eff,
            self._scales[measure],
        )

    def _said(self, system: int) -> Said:
        """Return what people said of a system's outputs."""
        if system not in self._said_of:
            units = self.systems[system].units
            place = np.full(self._pi.size, -1)
            place[units] = np.arange(units.size)
            outputs = place[self._units]
            judgements = np.flatnonzero(outputs >= 0)
            self._said_of[system] = Said(judgements, outputs[judgements], self._workers[judgements])
        return self._said_of[system]

    # Comparisons

    def _is_known(self, system: int) -> bool:
        return int((self._counts[self.systems[system].units] > 0).sum()) >= FEW

    @cached_property
    def _pairs(self) -> AllPairs:
        inputs, units = [one.inputs for one in self.systems], [one.units for one in self.systems]
        return AllPairs(inputs, units, self._counts > 0, self._folds.size)

    def _sides(self, measure: str) -> list[Side]:
        return [self._fit(number, measure).side for number in range(len(self.systems))]

    def differences(self, measure: str) -> Differences:
        """Return how much more each system has of a measure than each other, on the inputs that both have.

        Where two systems give the same output their difference is 0, whatever was foretold of it.

        Returns
        -------
        Differences
            In units of the measure; NaN where too little is known of one.
        """
        gaps, variances = self._pairs.differences(self._sides(measure))
        numbers = range(len(self.systems))
        known = np.where([self._is_known(number) for number in numbers], 0.0, np.nan)
        nothing = known[:, None] + known
        own = np.array([float(self._fit(number, measure).parts.variance) for number in numbers]) + known
        return Differences(gaps + nothing, variances + nothing, own, own, None)

    def added_by_crowds(self, measure: str) -> FloatArray:
        """Return what another crowd adds to the variance of each difference, float[m, m].

        Infinite where that cannot be seen: one person gave all judgements.
        """
        said = [self._said(number) for number in range(len(self.systems))]
        return self._pairs.clusters(self._sides(measure), said, self._values[measure])

    def difference(self, first: int, second: int, measure: str) -> Compared | None:
        """Return how much more one system has of a measure than another; None where too little is known."""
        one, other = self.score(first, measure), self.score(second, measure)
        if one is None or other is None:
            return None
        a, b = self.systems[first], self.systems[second]
        common, of_a, of_b = np.intersect1d(a.inputs, b.inputs, return_indices=True)
        apart = a.units[of_a] != b.units[of_b]
        different = int(apart.sum())
        gap, variance, degrees, extra, people = 0.0, 0.0, 1.0, 0.0, 1.0
        if different:
            of_a, of_b = of_a[apart], of_b[apart]
            left, right = self._fit(first, measure).side.at(of_a), self._fit(second, measure).side.at(of_b)
            gap, variance, degrees = compare(left, right, common.size)
            sides = [
                (self._said(number).among(rows, given.units.size), side)
                for number, given, rows, side in ((first, a, of_a, left), (second, b, of_b, right))
            ]
            extra, people = clusters(sides, self._values[measure], common.size)
        return Compared(
            gap,
            variance,
            degrees,
            variance + extra,
            max(1.0, min(degrees, people - 1.0)),
            different,
            int(common.size) - different,
            one.this_crowd,
            other.this_crowd,
        )

    # What metrics are worth

    def _judged(self, units: IntArray, measure: str) -> Judged:
        units = units[self._counts[units] > 0]
        return Judged(
            self._means[measure][units],
            self._within[measure][units],
            self._counts[units],
            1.0 / self._pi[units],
        )

    def judged(self, system: int | None, measure: str) -> Judged | None:
        """Return what is judged of a system, or of all units, each once; None where fewer than `FEW` are."""
        found = self._judged(self.units_of(system), measure)
        return None if found.means.size < FEW else found

    def units_of(self, system: int | None) -> IntArray:
        """Return the units of a system, int[N], or those that some system has, ascending."""
        return self._in_use if system is None else self.systems[system].units

    def variances(self, system: int | None, measure: str) -> Variances | None:
        """Return σ̂_a² and σ̂_f² of a system, or of all units; None where fewer than `FEW` are judged.

        σ̂_a² is NaN where none was judged twice.
        """
        judged = self.judged(system, measure)
        if judged is None:
            return None
        people = self._noise_of_all(measure) if system is None else self._noise(system, measure)
        sigma2 = float(people.sigma2)
        return Variances(sigma2, judged.spread()[0] - sigma2)

    def worth(
        self, system: int | None, measure: str, metrics: ArrayLike, level: float = DEFAULT_LEVEL
    ) -> Worth | None:
        """Return what metrics are worth; None where fewer than `FEW` outputs are judged.

        Parameters
        ----------
        system : int or None
            None for all units, each once.
        measure : str
        metrics : float[C, N]
            Of its outputs, in the order of `units_of`, a row each.
        level : float
            Of the intervals.
        """
        units = self.units_of(system)
        g = np.asarray(metrics, dtype=np.float64)
        if g.ndim != 2 or g.shape[1] != units.size or not np.isfinite(g).all():
            _checks.refuse("metrics", f"has the shape {g.shape} or is not finite; a row each is needed")
        inside = self._counts[units] > 0
        if int(inside.sum()) < FEW:
            return None
        spreads = g.std(axis=1)
        spreads[spreads <= _ROUNDING * np.maximum(1.0, np.abs(g.mean(axis=1)))] = 0.0
        return worth(
            self._judged(units, measure),
            g[:, inside],
            spreads,
            float((self._noise_of_all(measure) if system is None else self._noise(system, measure)).sigma2),
            is_own=system is None or self._twice(system) >= OWN_NOISE,
            level=level,
        )
