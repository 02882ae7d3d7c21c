"""The scores of systems that write, from judgements of a sample of their outputs. Pure.

A unit is an output: a text for an input, the same for all systems that give it. Which units are judged is
drawn by a random number of the *input*, so all systems are judged on the same inputs. Of a system with N
outputs, p = 1/N each, f the mean judgement that a unit would have of everybody:

    μ̂ = Σ_Z p ĝ + Σ_sample (p/π)(ȳ − ĝ),    ĝ = β̂₋ₖ·(1, g),

where folds k are of inputs and β̂₋ₖ is fitted in the other folds (`evaluation.estimators.control`). Which of the
candidates g, fixed when the epoch opens, serves a fold is decided in the other folds too: the one that misses
least there by generalised cross-validation, none of them where none helps. What the fold itself says has no
part in it, so μ̂ is exactly unbiased whatever the candidates.

*This crowd*: V̂ = Σ_sample (1 − π)/π² p²e² + Σ_sample p²σ̂_a²/(πk), the draw of outputs and that of people for an
output, e = ȳ − ĝ. *Another crowd*: people are lenient or severe in all that they judge, so they are clusters:
V̂ + max(0, G/(G − 1) (Σ_w (Σ_{j by w} c_j e_j)² − Σ_j (c_j e_j)²)), with c_j = p/(πk) and G the effective number
of people.

Intervals are made on the logit scale of the measure (of the log, where it has no upper end) with Student's t.
Its degrees of freedom are Satterthwaite's, 2V̂²/Var(V̂), from the squares that V̂ sums: an edit distance has a long
tail, of which a sample that happens to miss it knows too little (ADR 76).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from evaluation.estimators import _checks
from evaluation.estimators._checks import BoolArray, FloatArray, IntArray
from evaluation.estimators.control import Lines, lines, standard
from evaluation.estimators.differences import Differences
from evaluation.estimators.intervals import DEFAULT_LEVEL, LEVELS, Interval, wilson

FEW = 20
"""With fewer judged outputs than this too little is known of a system."""
OWN_NOISE = 30
"""Outputs judged twice by which a system has a σ̂_a² of its own; with fewer it is that of the whole epoch."""
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Scale:
    """The values that a measure can have.

    Attributes
    ----------
    low : float
    high : float or None
        None where there is no upper end.
    """

    low: float
    high: float | None

    @property
    def span(self) -> float:
        """How far apart its ends are; 1 where there is no upper end: as far as edits usually go."""
        return 1.0 if self.high is None else self.high - self.low

    def clip(self, values: FloatArray) -> FloatArray:
        """Return values within the scale."""
        return np.clip(values, self.low, self.high)


SCALES: Mapping[str, Scale] = MappingProxyType(
    {
        "overall": Scale(-1.0, 1.0),
        "fluency": Scale(-1.0, 1.0),
        "redundancy": Scale(-1.0, 1.0),
        "edit": Scale(0.0, None),
        "edit_capped": Scale(0.0, 1.0),
        "any": Scale(0.0, 1.0),
        "average": Scale(0.0, 1.0),
    }
)


@dataclass(frozen=True, slots=True, eq=False)
class Judgements:
    """What people said of the units of a pool.

    Attributes
    ----------
    units : int[J]
        Which unit each judges.
    workers : int[J]
        Who gave it, by number from 0.
    values : mapping of str to float[J]
        By measure.
    """

    units: IntArray
    workers: IntArray
    values: Mapping[str, FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What one system gives.

    Attributes
    ----------
    inputs : int[N]
        The input of each output, no input twice.
    units : int[N]
        Its unit.
    candidates : mapping of str to float[N] or mapping of str to float[N]
        The candidates for g that it has, by name: a column, or one for each measure that has one.
    """

    inputs: IntArray
    units: IntArray
    candidates: Mapping[str, FloatArray | Mapping[str, FloatArray]]

    def of_measure(self, measure: str) -> dict[str, FloatArray]:
        """Return the candidates for one measure."""
        found = {
            name: one.get(measure) if isinstance(one, Mapping) else one
            for name, one in self.candidates.items()
        }
        return {name: one for name, one in found.items() if one is not None}


# From here on arrays may have more dimensions before the last: simulations estimate many samples at once.


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """What is foretold of all outputs.

    Attributes
    ----------
    values : float[..., N]
        ĝ, within the scale.
    chosen : int[..., K]
        Which candidate serves each fold, from 1; 0 for none.
    """

    values: FloatArray
    chosen: IntArray


def fitted(
    values: FloatArray,
    weights: FloatArray,
    candidates: Sequence[FloatArray],
    folds: IntArray,
    k: int,
    scale: Scale,
) -> Fitted:
    """Foretell the mean judgement of every output, from what is judged in other folds than its own.

    Parameters
    ----------
    values : float[..., N]
        Mean judgements ȳ; any number where the weight is 0.
    weights : float[..., N]
        1/π of judged outputs, 0 of others.
    candidates : sequence of float[N] or float[..., N]
    folds : int[N] or int[..., N]
    k : int
    scale : Scale
    """
    level = lines(values, weights, np.zeros_like(values), folds, k)
    best, error = np.zeros(level.error.shape, dtype=np.int64), level.error
    of_level = np.broadcast_to(folds, values.shape)
    found = level.at(np.zeros_like(values), of_level)
    for number, column in enumerate(candidates, start=1):
        centre, spread = standard(column)
        g = np.broadcast_to((column - centre) / spread, values.shape)
        line = lines(values, weights, g, folds, k)
        better = line.error < error
        best, error = np.where(better, number, best), np.where(better, line.error, error)
        found = np.where(np.take_along_axis(better, of_level, -1), line.at(g, of_level), found)
    return Fitted(scale.clip(found), best)


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """An estimate with its variance, in two parts.

    Attributes
    ----------
    estimate, of_draw, of_people : float[...]
    degrees_of_freedom : float[...]
    """

    estimate: FloatArray
    of_draw: FloatArray
    of_people: FloatArray
    degrees_of_freedom: FloatArray

    @property
    def variance(self) -> FloatArray:
        """V̂."""
        return self.of_draw + self.of_people


@dataclass(frozen=True, slots=True, eq=False)
class Noise:
    """How much people differ about one output.

    Attributes
    ----------
    sigma2 : float[...]
        σ̂_a²; NaN where no output was judged twice.
    variance : float[...]
        Of σ̂_a².
    """

    sigma2: FloatArray
    variance: FloatArray


def noise(within: FloatArray, more: IntArray) -> Noise:
    """Estimate σ_a² from outputs judged twice or more.

    Parameters
    ----------
    within : float[..., n]
        Σ_j (y_j − ȳ)² of each output.
    more : int[..., n]
        Its judgements less one, 0 where it has none.
    """
    total = more.sum(axis=-1)
    some = np.maximum(1, total)
    sigma2 = within.sum(axis=-1) / some
    away = (within - sigma2[..., None] * more) ** 2
    nothing = total == 0
    return Noise(np.where(nothing, np.nan, sigma2), np.where(nothing, 0.0, away.sum(axis=-1) / some**2))


def estimated(
    values: FloatArray, foretold: FloatArray, pi: FloatArray, counts: IntArray, people: Noise
) -> Parts:
    """Estimate the mean of all outputs.

    Parameters
    ----------
    values, foretold : float[..., N]
        ȳ and ĝ.
    pi : float[..., N]
    counts : int[..., N]
        k of sampled outputs, 0 of others.
    people : Noise
    """
    p = 1.0 / values.shape[-1]
    inside = counts > 0
    e = np.where(inside, values - foretold, 0.0)
    e[np.abs(e) < _ROUNDING] = 0.0
    estimate = p * (foretold.sum(axis=-1) + (e / pi).sum(axis=-1))
    return Parts(estimate, *_parts(e, pi, counts, people, p))


def _parts(
    e: FloatArray, pi: FloatArray, counts: IntArray, people: Noise, p: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return both parts of a variance, and its degrees of freedom."""
    squares = (p * e / pi) ** 2
    draws = (1.0 - pi) * squares
    unknown = np.isnan(people.sigma2)
    shares = np.divide(p * p, pi * counts, out=np.zeros_like(e), where=counts > 0).sum(axis=-1)
    of_draw = draws.sum(axis=-1)
    of_people = np.where(unknown, (pi * squares).sum(axis=-1), shares * np.where(unknown, 0.0, people.sigma2))
    summed = np.where(np.asarray(unknown)[..., None], squares, draws)
    n = np.maximum(1, (counts > 0).sum(axis=-1))
    spread = np.maximum(0.0, (summed**2).sum(axis=-1) - summed.sum(axis=-1) ** 2 / n)
    spread = spread + shares**2 * people.variance
    total = of_draw + of_people
    most = np.maximum(1.0, n - 1.0)
    degrees = np.divide(2.0 * total**2, spread, out=np.array(most), where=spread > 0)
    return of_draw, of_people, np.clip(degrees, 1.0, most)


def ends(
    estimate: FloatArray, variance: FloatArray, degrees_of_freedom: FloatArray, scale: Scale, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of intervals, of estimates inside the scale with a variance above 0."""
    reach = stdtrit(degrees_of_freedom, (1.0 + level) / 2.0) * np.sqrt(variance)
    above = estimate - scale.low
    if scale.high is None:
        factor = np.exp(reach / above)
        return scale.low + above / factor, scale.low + above * factor
    below = scale.high - estimate
    # The logit of a share moves by reach · span/(above · below) in units of the measure.
    factor = np.exp(np.minimum(700.0, reach * scale.span / (above * below)))
    return (
        scale.low + scale.span * above / (above + below * factor),
        scale.low + scale.span * above / (above + below / factor),
    )


def interval(
    estimate: float,
    variance: float,
    degrees_of_freedom: float,
    n_eff: float,
    scale: Scale,
    level: float = DEFAULT_LEVEL,
) -> Interval:
    """Return a confidence interval of a mean, within the scale.

    Parameters
    ----------
    estimate, variance : float
    degrees_of_freedom : float
        At least 1, or infinite.
    n_eff : float
        The independent draws that it is worth, for where no variance is seen, or it is off the scale: the
        interval is Wilson's then, of the clipped estimate as a share of the scale.
    scale : Scale
    level : {0.80, 0.90, 0.95}

    Returns
    -------
    Interval
    """
    if level not in LEVELS:
        _checks.refuse("level", f"is {level!r}; one of {', '.join(map(str, LEVELS))} is needed")
    top = scale.high
    if variance > 0 and estimate > scale.low and (top is None or estimate < top):
        low, high = ends(
            np.float64(estimate), np.float64(variance), np.float64(degrees_of_freedom), scale, level
        )
        return Interval(estimate, float(low), float(high))
    top = max(scale.low + 1.0, estimate) if top is None else top
    clipped = min(top, max(scale.low, estimate))
    span = top - scale.low
    found = wilson((clipped - scale.low) / span, n_eff, level)
    return Interval(clipped, scale.low + span * found.low, scale.low + span * found.high)


# One pool


@dataclass(frozen=True, slots=True)
class Estimated:
    """An estimated mean that has an interval.

    Attributes
    ----------
    estimate, variance, degrees_of_freedom, n_eff : float
    scale : Scale
    """

    estimate: float
    variance: float
    degrees_of_freedom: float
    n_eff: float
    scale: Scale

    def interval(self, level: float = DEFAULT_LEVEL) -> Interval:
        """Return its interval at a level."""
        return interval(self.estimate, self.variance, self.degrees_of_freedom, self.n_eff, self.scale, level)


@dataclass(frozen=True, slots=True)
class Score:
    """A system's score by one measure.

    Attributes
    ----------
    this_crowd : Estimated
        With a variance for other outputs drawn, and other people of this crowd asked.
    another_crowd : Estimated or None
        For another crowd altogether; None where one person gave all judgements.
    plain : Estimated
        The same without a metric.
    of_draw, of_people : float
        Both parts of the variance of `this_crowd`.
    sigma2_a : float
        σ̂_a² as it was used; NaN where no output was judged twice: then the variance is an upper bound.
    outputs, judgements : int
        Judged outputs, and judgements of them.
    metric : str or None
        The candidate that serves most folds.
    workers : float
        G: how many people of equal shares the judgements amount to.
    """

    this_crowd: Estimated
    another_crowd: Estimated | None
    plain: Estimated
    of_draw: float
    of_people: float
    sigma2_a: float
    outputs: int
    judgements: int
    metric: str | None
    workers: float

    @property
    def efficiency(self) -> float:
        """How many judgements one is worth, with the metric: the ratio of both variances."""
        if self.this_crowd.variance > 0:
            return self.plain.variance / self.this_crowd.variance
        return 1.0 if self.plain.variance == 0 else math.inf

    @property
    def saved(self) -> float:
        """The judgements more that the plain mean would take; below 0 where the metric harms."""
        return self.judgements * (self.efficiency - 1.0)


@dataclass(frozen=True, slots=True)
class Compared:
    """How much more one system has of a measure than another, on the inputs that both have.

    Attributes
    ----------
    estimate, variance, degrees_of_freedom : float
    crowd_variance, crowd_degrees : float
        For another crowd; infinite and 1 where one person gave all judgements.
    different, shared : int
        Inputs for which their outputs differ, and for which they are the same.
    span : float
        The largest difference that there can be.
    """

    estimate: float
    variance: float
    degrees_of_freedom: float
    crowd_variance: float
    crowd_degrees: float
    different: int
    shared: int
    span: float

    def interval(self, level: float = DEFAULT_LEVEL, *, another_crowd: bool = False) -> Interval:
        """Return its interval, clipped to what can be; without width where all outputs are shared."""
        variance, degrees = self.variance, self.degrees_of_freedom
        if another_crowd:
            variance, degrees = self.crowd_variance, self.crowd_degrees
        if not self.different:
            return Interval(0.0, 0.0, 0.0)
        if not variance > 0:
            return Interval(self.estimate, -self.span, self.span)
        reach = float(stdtrit(degrees, (1 + level) / 2)) * math.sqrt(variance)
        low, high = max(-self.span, self.estimate - reach), min(self.span, self.estimate + reach)
        return Interval(min(self.span, max(-self.span, self.estimate)), low, high)


@dataclass(frozen=True, slots=True, eq=False)
class Worth:
    """What metrics are worth for one measure of one system; float[C] each.

    Attributes
    ----------
    rho, rho_low, rho_high : float[C]
        Correlation with f; NaN where the outputs show no difference, or none was judged twice.
    efficiency, efficiency_low, efficiency_high : float[C]
    """

    rho: FloatArray
    rho_low: FloatArray
    rho_high: FloatArray
    efficiency: FloatArray
    efficiency_low: FloatArray
    efficiency_high: FloatArray


@dataclass(frozen=True, slots=True)
class Variances:
    """Where the variance of judgements comes from, as `control.Components`, and what follows.

    Attributes
    ----------
    sigma2_a, sigma2_f : float
    """

    sigma2_a: float
    sigma2_f: float

    @property
    def gamma(self) -> float:
        """σ_a²/σ_f²."""
        return self.sigma2_a / self.sigma2_f if self.sigma2_f > 0 else math.inf

    @property
    def alpha(self) -> float:
        """Agreement as on an interval scale."""
        total = self.sigma2_a + self.sigma2_f
        return self.sigma2_f / total if total > 0 else 1.0

    @property
    def cap(self) -> float:
        """The data efficiency of a perfect metric: (1 + γ)/γ."""
        return (
            (1.0 + self.gamma) / self.gamma
            if math.isfinite(self.gamma) and self.gamma > 0
            else (1.0 if self.sigma2_a > 0 else math.inf)
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """One system's outputs, by measure as they are needed again and again."""

    values: FloatArray
    foretold: FloatArray
    e: FloatArray
    people: Noise
    parts: Parts
    chosen: IntArray
    names: list[str]


class Scores:
    """The scores of all systems of a pool.

    Parameters
    ----------
    systems : sequence of Given
    judgements : Judgements
        Those that count; of units outside the sample they are left out.
    pi : float[U]
        The units' inclusion probabilities after the last complete batch, in (0, 1]; 1 for one whose judgements
        were published before.
    sampled : bool[U]
        Whether it is in the sample or published; those with π = 1 among them.
    folds : int[I]
        Of the inputs, from 0.
    scales : mapping of str to Scale, optional
        Of the measures; by default the known ones of those that the judgements have.

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
        self.pi = _checks.probabilities("pi", pi)
        u = self.pi.size
        self.sampled = _checks.flags("sampled", sampled, u)
        if (missing := (self.pi == 1.0) & ~self.sampled).any():
            _checks.refuse("sampled", f"leaves out unit {int(np.argmax(missing))}, whose π is 1; it must not")
        self.folds = _checks.integers("folds", folds)
        self.k = max(2, 1 + int(self.folds.max(initial=0)))
        units = _checks.integers("units", judgements.units, below=u)
        workers = _checks.integers("workers", judgements.workers, length=units.size)
        self.measures = list(judgements.values)
        counted = self.sampled[units]
        self._units, self._workers = units[counted], workers[counted]
        self._values = {
            name: scales[name].clip(_checks.vector(name, one, units.size))[counted]
            for name, one in judgements.values.items()
        }
        self.scales = {name: scales[name] for name in self.measures}
        self._counts = np.bincount(self._units, minlength=u)
        self._means = {
            name: np.bincount(self._units, one, minlength=u) / np.maximum(1, self._counts)
            for name, one in self._values.items()
        }
        self._within = {
            name: np.bincount(self._units, (one - self._means[name][self._units]) ** 2, minlength=u)
            for name, one in self._values.items()
        }
        self.systems = list(systems)
        for number, one in enumerate(self.systems):
            self._check(number, one)
        self._kept: dict[tuple[int, str], _Rows] = {}

    def _check(self, number: int, system: Given) -> None:
        n = system.inputs.size
        _checks.not_empty(f"system {number}", n)
        _checks.integers("inputs", system.inputs, below=self.folds.size)
        _checks.integers("units", system.units, length=n, below=self.pi.size)
        if np.unique(system.inputs).size != n:
            _checks.refuse(f"system {number}", "has an input twice; one output for each is needed")
        unjudged = self.sampled[system.units] & (self._counts[system.units] == 0)
        if unjudged.any():
            unit = int(system.units[np.argmax(unjudged)])
            _checks.refuse("judgements", f"has none of unit {unit}, which is sampled; one at least is needed")
        for measure in self.measures:
            for name, column in system.of_measure(measure).items():
                _checks.vector(name, column, n)

    # People's noise

    @cached_property
    def _in_use(self) -> BoolArray:
        found = np.zeros(self.pi.size, dtype=np.bool_)
        for one in self.systems:
            found[one.units] = True
        return found

    def _noise_of(self, units: IntArray | BoolArray, measure: str) -> tuple[Noise, int]:
        counts = self._counts[units]
        found = noise(self._within[measure][units], np.maximum(0, counts - 1))
        return found, int((counts > 1).sum())

    def people(self, system: int, measure: str) -> Noise:
        """Return σ̂_a²: the system's own where enough outputs were judged twice, else that of all systems."""
        own, twice = self._noise_of(self.systems[system].units, measure)
        return own if twice >= OWN_NOISE else self._noise_of(self._in_use, measure)[0]

    # Scores

    def _rows(self, system: int, measure: str) -> _Rows:
        if (system, measure) not in self._kept:
            self._kept[system, measure] = self._fit(system, measure, None)
        return self._kept[system, measure]

    def _fit(self, system: int, measure: str, within: BoolArray | None, *, bare: bool = False) -> _Rows:
        given = self.systems[system]
        some = slice(None) if within is None else within[given.inputs]
        units, folds = given.units[some], self.folds[given.inputs[some]]
        candidates = {} if bare else given.of_measure(measure)
        values, pi, counts = self._means[measure][units], self.pi[units], self._sampled_counts(units)
        weights = (counts > 0) / pi
        columns = [column[some] for column in candidates.values()]
        found = fitted(values, weights, columns, folds, self.k, self.scales[measure])
        people = self.people(system, measure)
        e = np.where(counts > 0, values - found.values, 0.0)
        e[np.abs(e) < _ROUNDING] = 0.0
        parts = estimated(values, found.values, pi, counts, people)
        return _Rows(values, found.values, e, people, parts, found.chosen, list(candidates))

    def _sampled_counts(self, units: IntArray) -> IntArray:
        return np.where(self.sampled[units], self._counts[units], 0)

    def score(self, system: int, measure: str, within: ArrayLike | None = None) -> Score | None:
        """Return a system's score by a measure; None where fewer than `FEW` outputs are judged.

        Parameters
        ----------
        system : int
        measure : str
        within : bool[I], optional
            A subset of the inputs.
        """
        mask = None if within is None else _checks.flags("within", within, self.folds.size)
        given = self.systems[system]
        units = given.units if mask is None else given.units[mask[given.inputs]]
        counts = self._sampled_counts(units)
        outputs = int((counts > 0).sum())
        if outputs < FEW:
            return None
        rows = self._rows(system, measure) if mask is None else self._fit(system, measure, mask)
        bare = self._fit(system, measure, mask, bare=True) if rows.names else rows
        scale, pi = self.scales[measure], self.pi[units]
        p = 1.0 / units.size
        inside = counts > 0
        n_eff = 1.0 / float((p * p / (pi[inside] ** 2 * counts[inside])).sum())
        this = self._estimated(rows.parts, n_eff, scale)
        c = np.divide(p, pi * counts, out=np.zeros(units.size), where=inside)
        extra, g = self._crowd([(units, c, rows.foretold, 1.0)], measure)
        another = None
        if g > 1.0:
            another = Estimated(
                this.estimate,
                this.variance + extra,
                min(this.degrees_of_freedom, g - 1.0),
                min(n_eff, g),
                scale,
            )
        return Score(
            this,
            another,
            self._estimated(bare.parts, n_eff, scale),
            float(rows.parts.of_draw),
            float(rows.parts.of_people),
            float(rows.people.sigma2),
            outputs,
            int(counts.sum()),
            _most(rows.chosen, rows.names),
            g,
        )

    def _estimated(self, parts: Parts, n_eff: float, scale: Scale) -> Estimated:
        return Estimated(
            float(parts.estimate), float(parts.variance), float(parts.degrees_of_freedom), n_eff, scale
        )

    def _crowd(
        self, given: Sequence[tuple[IntArray, FloatArray, FloatArray, float]], measure: str
    ) -> tuple[float, float]:
        """Return what people's leniency adds to a variance, and G.

        Parameters
        ----------
        given : sequence of (units int[n], c float[n], ĝ float[n], sign)
            A score is one, a difference two.
        measure : str
        """
        worker, squares = np.zeros(self._people), 0.0
        share = np.zeros(self._people)
        for units, c, foretold, sign in given:
            place = np.full(self.pi.size, -1)
            place[units] = np.arange(units.size)
            row = place[self._units]
            mine = row >= 0
            row = row[mine]
            ce = sign * c[row] * (self._values[measure][mine] - foretold[row])
            who = self._workers[mine]
            worker += np.bincount(who, ce, minlength=self._people)
            share += np.bincount(who, c[row], minlength=self._people)
            squares += float((ce**2).sum())
        total = float(share.sum())
        if total <= 0:
            return 0.0, 0.0
        g = 1.0 / float(((share / total) ** 2).sum())
        if g <= 1.0 + _ROUNDING:
            return math.inf, 1.0
        return max(0.0, g / (g - 1.0) * (float((worker**2).sum()) - squares)), g

    @cached_property
    def _people(self) -> int:
        return 1 + int(self._workers.max(initial=0))

    # Comparisons

    def differences(self, measure: str) -> Differences:
        """Return how much more each system has of a measure than each other, on the inputs that both have.

        Where two systems give the same output their difference is 0, whatever was foretold of it.

        Returns
        -------
        Differences
            In units of the measure; NaN where too little is known of one.
        """
        m = len(self.systems)
        every = _Dense(self, measure)
        gaps, variances = np.zeros((m, m)), np.zeros((m, m))
        for first in range(m):
            gaps[first], variances[first] = every.against(first)
        known = np.array([self._judged(system) >= FEW for system in range(m)])
        own = np.array([float(self._rows(system, measure).parts.variance) for system in range(m)])
        own[~known] = np.nan
        gaps[~known], variances[~known] = np.nan, np.nan
        gaps[:, ~known], variances[:, ~known] = np.nan, np.nan
        return Differences(gaps, variances, own, own, None)

    def _judged(self, system: int) -> int:
        return int((self._sampled_counts(self.systems[system].units) > 0).sum())

    def difference(self, first: int, second: int, measure: str) -> Compared | None:
        """Return how much more one system has of a measure than another; None where too little is known."""
        if min(self._judged(first), self._judged(second)) < FEW:
            return None
        a, b = self.systems[first], self.systems[second]
        common, of_a, of_b = np.intersect1d(a.inputs, b.inputs, return_indices=True)
        apart = a.units[of_a] != b.units[of_b]
        of_a, of_b = of_a[apart], of_b[apart]
        scale = self.scales[measure]
        if not of_a.size:
            return Compared(0.0, 0.0, 1.0, 0.0, 1.0, 0, common.size, scale.span)
        p = 1.0 / common.size
        estimate, draws, shares, spread, clusters = 0.0, [], 0.0, 0.0, []
        sides = []
        for number, rows_of, sign in ((first, of_a, 1.0), (second, of_b, -1.0)):
            rows, units = self._rows(number, measure), self.systems[number].units[rows_of]
            pi, counts = self.pi[units], self._sampled_counts(units)
            e, foretold = rows.e[rows_of], rows.foretold[rows_of]
            estimate += sign * p * float((foretold + e / pi).sum())
            draw, people, _ = _parts(e, pi, counts, rows.people, p)
            unknown = bool(np.isnan(rows.people.sigma2))
            squares = (p * e / pi) ** 2 * (1.0 if unknown else 1.0 - pi)
            share = float(np.divide(p * p, pi * counts, out=np.zeros_like(e), where=counts > 0).sum())
            sides.append((e, pi, counts, squares, float(draw + people)))
            spread += share**2 * float(rows.people.variance)
            c = np.divide(p, pi * counts, out=np.zeros(units.size), where=counts > 0)
            clusters.append((units, c, foretold, sign))
        (e, pi, k, one, own), (e_b, pi_b, k_b, two, other) = sides
        both = (k > 0) & (k_b > 0)
        cross = np.where(both, p * p * (1.0 - np.maximum(pi, pi_b)) / (pi * pi_b) * e * e_b, 0.0)
        summed = one + two - 2.0 * cross
        variance = max(0.0, own + other - 2.0 * float(cross.sum()))
        n = max(1, int(((k > 0) | (k_b > 0)).sum()))
        spread += max(0.0, float((summed**2).sum()) - float(summed.sum()) ** 2 / n)
        degrees = 2.0 * variance**2 / spread if spread > 0 else n - 1.0
        degrees = max(1.0, min(degrees, n - 1.0))
        extra, g = self._crowd(clusters, measure)
        return Compared(
            estimate,
            variance,
            degrees,
            variance + extra,
            max(1.0, min(degrees, g - 1.0)),
            int(of_a.size),
            int(common.size - of_a.size),
            scale.span,
        )

    # What metrics are worth

    def variances(self, system: int | None, measure: str) -> Variances | None:
        """Return σ̂_a² and σ̂_f² of a system, or of all units; None where fewer than `FEW` are judged.

        Outputs weigh 1/π. σ̂_a² is NaN where none was judged twice.
        """
        units = np.flatnonzero(self._in_use) if system is None else self.systems[system].units
        units = units[self._sampled_counts(units) > 0]
        if units.size < FEW:
            return None
        people = self._noise_of(units, measure)[0] if system is None else self.people(system, measure)
        total = _total(
            self._means[measure][units], self._within[measure][units], self._counts[units], 1 / self.pi[units]
        )
        return Variances(float(people.sigma2), total[0] - float(people.sigma2))

    def worth(
        self, system: int, measure: str, metrics: ArrayLike, level: float = DEFAULT_LEVEL
    ) -> Worth | None:
        """Return what metrics are worth; None where fewer than `FEW` outputs are judged.

        Intervals are by linearisation: of DE on Fisher's scale of the correlation of one judgement with the
        metric, of ρ by itself, clipped to [−1, 1].

        Parameters
        ----------
        system : int
        measure : str
        metrics : float[C, N]
            Of the system's outputs, a row each.
        level : float
        """
        given = self.systems[system]
        g = np.asarray(metrics, dtype=np.float64)
        if g.ndim != 2 or g.shape[1] != given.units.size or not np.isfinite(g).all():
            _checks.refuse("metrics", f"has the shape {g.shape} or is not finite; a row each is needed")
        inside = self._sampled_counts(given.units) > 0
        units = given.units[inside]
        if units.size < FEW:
            return None
        w = 1.0 / self.pi[units]
        w = w / w.sum()
        y, within, counts = self._means[measure][units], self._within[measure][units], self._counts[units]
        variance, away = _total(y, within, counts, w)
        own, twice = self._noise_of(units, measure)
        people = self.people(system, measure)
        centre, spread = g.mean(axis=1), g.std(axis=1)
        g = (g[:, inside] - centre[:, None]) / np.where(spread > 0, spread, 1.0)[:, None]
        g = g - (g @ w)[:, None]
        of_g = (g * g) @ w
        flat = (spread <= _ROUNDING * np.maximum(1.0, np.abs(centre))) | (of_g <= _ROUNDING) | (variance <= 0)
        of_g = np.where(flat, 1.0, of_g)
        y = y - y @ w
        along = np.where(flat, 0.0, (g * y) @ w)
        safe = variance if variance > 0 else 1.0
        norm = np.sqrt(of_g * safe)
        r = np.clip(along / norm, -1.0, 1.0)
        quantile = float(stdtrit(max(1, units.size - 2), (1 + level) / 2))
        moves = g * y / norm[:, None] - 0.5 * r[:, None] * (away / safe + g * g / of_g[:, None])
        moves -= (moves @ w)[:, None]
        se = np.sqrt((moves**2) @ (w * w))
        left = 1.0 - r * r
        middle = np.arctanh(np.clip(r, -1 + 1e-15, 1 - 1e-15))
        reach = quantile * se / np.maximum(left, 1e-12)
        low, high = np.tanh(middle - reach), np.tanh(middle + reach)
        least = np.where((low <= 0) & (high >= 0), 0.0, np.minimum(low**2, high**2))
        most = np.maximum(low**2, high**2)
        with np.errstate(divide="ignore"):
            efficiency, of_least, of_most = 1.0 / left, 1.0 / (1.0 - least), 1.0 / (1.0 - most)
        of_outputs = variance - float(people.sigma2)
        if not of_outputs > 0:
            nothing = np.full(r.size, np.nan)
            return Worth(nothing, nothing, nothing, efficiency, of_least, of_most)
        rho = along / np.sqrt(of_g * of_outputs)
        of_noise = np.zeros(units.size)
        if twice >= OWN_NOISE:
            more = np.maximum(0, counts - 1)
            of_noise = (within - float(own.sigma2) * more) / more.sum() / w
        moves = g * y / np.sqrt(of_g * of_outputs)[:, None] - 0.5 * rho[:, None] * (
            (away - of_noise) / of_outputs + g * g / of_g[:, None]
        )
        moves -= (moves @ w)[:, None]
        reach = quantile * np.sqrt((moves**2) @ (w * w))
        return Worth(
            rho, np.maximum(-1.0, rho - reach), np.minimum(1.0, rho + reach), efficiency, of_least, of_most
        )


def _total(y: FloatArray, within: FloatArray, counts: IntArray, w: FloatArray) -> tuple[float, FloatArray]:
    """Return the variance of one judgement, and of each output the mean square of its judgements from the mean."""
    w = w / w.sum()
    away = (y - y @ w) ** 2 + within / counts
    n = 1.0 / float((w * w).sum())
    return float(away @ w) * n / max(1.0, n - 1.0), away


def _most(chosen: IntArray, names: Sequence[str]) -> str | None:
    number = int(np.bincount(chosen, minlength=len(names) + 1).argmax())
    return names[number - 1] if number else None


class _Dense:
    """One measure of all systems over all inputs, for differences of all pairs."""

    def __init__(self, scores: Scores, measure: str) -> None:
        shape = len(scores.systems), scores.folds.size
        self.units = np.full(shape, -1)
        self.value, self.e, self.own = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self.pi = np.ones(shape)
        for number, one in enumerate(scores.systems):
            rows = scores._rows(number, measure)
            pi, counts = scores.pi[one.units], scores._sampled_counts(one.units)
            self.units[number, one.inputs] = one.units
            self.pi[number, one.inputs] = pi
            self.e[number, one.inputs] = rows.e
            self.value[number, one.inputs] = rows.foretold + rows.e / pi
            squares = (rows.e / pi) ** 2
            if np.isnan(rows.people.sigma2):
                own = squares
            else:
                share = np.divide(1.0, pi * counts, out=np.zeros(pi.size), where=counts > 0)
                own = (1.0 - pi) * squares + share * float(rows.people.sigma2)
            self.own[number, one.inputs] = own

    def against(self, first: int) -> tuple[FloatArray, FloatArray]:
        """Return the differences of one system from all, and their variances."""
        mine = np.flatnonzero(self.units[first] >= 0)
        units = self.units[:, mine]
        common = (units >= 0).sum(axis=1)
        apart = ((units >= 0) & (units != units[first])).astype(np.float64)
        n = np.maximum(1, common)
        gaps = (apart @ self.value[first, mine] - (apart * self.value[:, mine]).sum(axis=1)) / n
        # 0 where one is not judged: its residual is.
        both = self.e[first, mine] * self.e[:, mine] * apart
        pi = self.pi[:, mine]
        cross = (both * (1.0 - np.maximum(pi, pi[first])) / (pi * pi[first])).sum(axis=1)
        own = apart @ self.own[first, mine] + (apart * self.own[:, mine]).sum(axis=1)
        nothing = common == 0
        return (
            np.where(nothing, np.nan, gaps),
            np.where(nothing, np.nan, np.maximum(0.0, own - 2.0 * cross) / n**2),
        )


# Planning


@dataclass(frozen=True, slots=True)
class Needed:
    """What a target takes.

    Attributes
    ----------
    outputs, judgements : float
        To be judged, on average; all of them where the target is out of reach.
    half_width : float
        What comes of that: the target, or the least that there is.
    is_reached : bool
    efficiency : float
        (1 + γ)/(1 − ρ² + γ).
    """

    outputs: float
    judgements: float
    half_width: float
    is_reached: bool
    efficiency: float


def needed(
    planned: Variances,
    rho: float,
    outputs: int,
    half_width: float,
    *,
    quantile: float = 1.2815515655446004,
    twice: float = 0.3,
) -> Needed:
    """Say how many judgements a half-width takes with a metric.

    V = σ_f²(1 − ρ²)(1/n − 1/N) + σ_a² E[1/k]/n for n of N outputs, of which a share is judged twice.

    Parameters
    ----------
    planned : Variances
        Planning values: of the data set, or of an epoch before.
    rho : float
        Of the candidate metric; 0 for none.
    outputs : int
        N.
    half_width : float
        Of the normal interval, above 0.
    quantile : float
        Of the normal distribution; by default that of 80%.
    twice : float
        The share that is judged twice.

    Returns
    -------
    Needed
    """
    target = (_checks.positive("half_width", half_width) / _checks.positive("quantile", quantile)) ** 2
    n = _checks.whole("outputs", outputs, 1)
    if not -1.0 <= rho <= 1.0:
        _checks.refuse("rho", f"is {rho!r}; a correlation lies in [−1, 1]")
    of_outputs = max(0.0, planned.sigma2_f) * (1.0 - rho**2)
    of_people = planned.sigma2_a * (1.0 - twice / 2.0)
    total = max(0.0, planned.sigma2_f) + planned.sigma2_a
    left = total - max(0.0, planned.sigma2_f) * rho**2
    efficiency = total / left if left > 0 else math.inf if total > 0 else 1.0
    wanted = (of_outputs + of_people) / (target + of_outputs / n)
    judged = min(float(n), max(1.0, wanted))
    least = quantile * math.sqrt(max(0.0, of_outputs * (1.0 / judged - 1.0 / n) + of_people / judged))
    reached = wanted <= n
    return Needed(
        judged, judged * (1.0 + twice), half_width if reached and wanted >= 1 else least, reached, efficiency
    )
