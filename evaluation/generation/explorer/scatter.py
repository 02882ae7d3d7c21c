"""A metric against what people said: pairs of ranges, the line through all systems, and who lies off it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.generation.explorer.finding import System
from evaluation.generation.explorer.gaps import direction, gaps, goodness
from evaluation.generation.explorer.published import Judged
from evaluation.models import Submission
from evaluation.units import FloatArray, IntArray

FEW = 20
"""Judged outputs of a system below which nothing is said of its bias."""
COLUMNS, ROWS = 12, 8
"""Ranges of the metric and of what people said, at most."""
_TAIL = 0.01  # of the values on either side, which the outermost ranges have too
_NORMAL = 1.96


@dataclass(frozen=True, slots=True, eq=False)
class Ranges:
    """Ranges of values, in order, that cover them: where each begins and ends."""

    lows: FloatArray
    highs: FloatArray

    @property
    def size(self) -> int:
        """How many there are."""
        return self.lows.size

    def place(self, values: FloatArray) -> IntArray:
        """Return the range of each value; what lies beyond the ends is of the outermost."""
        return np.clip(np.searchsorted(self.lows, values, side="right") - 1, 0, self.size - 1)


@dataclass(frozen=True, slots=True)
class Cell:
    """The judged outputs with the metric and the judgement in two ranges.

    Attributes
    ----------
    column, row : int
    least, most : float
        Of the metric.
    low, high : float
        Of the judgement.
    outputs : int
    gap : float
        By how many standard deviations, on average, the metric likes them more than people do.
    """

    column: int
    row: int
    least: float
    most: float
    low: float
    high: float
    outputs: int
    gap: float

    @property
    def side(self) -> str:
        """Say who likes them more: `over` is the metric, `under` people, `near` neither by much."""
        return "over" if self.gap > 1 else "under" if self.gap < -1 else "near"


@dataclass(frozen=True, slots=True)
class Line:
    """What people say on average of outputs by all systems with a value of the metric."""

    slope: float
    intercept: float

    def at(self, value: float) -> float:
        """Return that for a value."""
        return self.intercept + self.slope * value


@dataclass(frozen=True, slots=True)
class OfSystem:
    """A system's judged outputs beside those of all systems with the same metric.

    Attributes
    ----------
    submission : Submission
    outputs : int
        Judged ones that have the metric.
    metric, judgement : float
        Means.
    foretold : float
        What people say on average of outputs by all systems with such values.
    margin : float
        Of a 95% interval around the difference.
    overrated : float
        By how much the metric alone overrates it, on the judgement's scale; positive whichever way is better.
    """

    submission: Submission
    outputs: int
    metric: float
    judgement: float
    foretold: float
    margin: float
    overrated: float

    @property
    def by(self) -> float:
        """By how much it overrates or underrates it."""
        return abs(self.overrated)

    @property
    def verdict(self) -> str:
        """Say whether the metric alone overrates it: `over`, `under`, or `near` where that cannot be told."""
        if self.outputs < FEW or abs(self.overrated) <= self.margin:
            return "near"
        return "over" if self.overrated > 0 else "under"


@dataclass(frozen=True, slots=True)
class Scatter:
    """A metric against judgements.

    Attributes
    ----------
    correlation : float or None
        Between metric and judgement over the system's judged outputs; None where one of the two is constant.
    is_more_better : bool
        Whether a higher metric is taken for better.
    columns, rows : Ranges
        Of the metric, and of judgements.
    cells : sequence of Cell
        Those with outputs.
    line : Line or None
        None where the metric is constant.
    systems : sequence of OfSystem
        Those that may be seen and are judged, the one that is looked at among them, by what people say.
    """

    correlation: float | None
    is_more_better: bool
    columns: Ranges
    rows: Ranges
    cells: Sequence[Cell]
    line: Line | None
    systems: Sequence[OfSystem]


def scatter(
    system: System, others: Sequence[System], judged: Sequence[Judged], metric: str, measure: str
) -> Scatter | None:
    """Set a metric of a system against what people said; None where nothing is published of both.

    Parameters
    ----------
    system : System
    others : sequence of System
        All that may be seen, the system among them.
    judged : sequence of Judged
        What is published of each, by the measure.
    metric, measure : str
    """
    pairs = [_pair(one, own, metric) for one, own in zip(others, judged, strict=True)]
    own = next(pair for one, pair in zip(others, pairs, strict=True) if one.submission == system.submission)
    if not own[0].size:
        return None
    values, said = (np.concatenate([pair[which] for pair in pairs]) for which in (0, 1))
    line = _fit(values, said)
    sign = direction(metric, own[0], goodness(measure, own[1]))
    columns, rows = _of_metric(own[0]), _of_judgements(own[1])
    return Scatter(
        correlation=_correlation(*own),
        is_more_better=sign > 0,
        columns=columns,
        rows=rows,
        cells=_cells(own, columns, rows, gaps(metric, own[0], measure, own[1])),
        line=line,
        systems=[] if line is None else _of_systems(others, pairs, line, measure),
    )


def _pair(system: System, judged: Judged, metric: str) -> tuple[FloatArray, FloatArray]:
    """Return metric and judgement of the outputs that have both."""
    column = system.columns.get(metric)
    if column is None:
        return np.zeros(0), np.zeros(0)
    known = ~column.missing[judged.places]
    return column.values[judged.places[known]], judged.values[known]


def _correlation(values: FloatArray, said: FloatArray) -> float | None:
    if values.size < 2 or not values.std() or not said.std():
        return None
    return float(np.corrcoef(values, said)[0, 1])


def _fit(values: FloatArray, said: FloatArray) -> Line | None:
    centred = values - values.mean()
    spread = float(np.dot(centred, centred))
    if spread <= 0:
        return None
    slope = float(np.dot(centred, said)) / spread
    return Line(slope, float(said.mean()) - slope * float(values.mean()))


def _of_metric(values: FloatArray) -> Ranges:
    return _cut(values, COLUMNS)


def _of_judgements(said: FloatArray) -> Ranges:
    """Return the judgements themselves where they are few, each a range of its own; else ranges."""
    found = np.unique(said)
    return Ranges(found, found) if found.size <= ROWS else _cut(said, ROWS)


def _cut(values: FloatArray, number: int) -> Ranges:
    """Cut a stretch that holds nearly all values into ranges of one width."""
    low, high = (float(one) for one in np.quantile(values, [_TAIL, 1 - _TAIL]))
    if high <= low:
        low, high = float(values.min()), float(values.max())
    if high <= low:
        return Ranges(np.array([low]), np.array([low]))
    edges = np.linspace(low, high, number + 1)
    return Ranges(edges[:-1], edges[1:])


def _cells(
    own: tuple[FloatArray, FloatArray], columns: Ranges, rows: Ranges, liked: FloatArray
) -> list[Cell]:
    values, said = own
    key = columns.place(values) * rows.size + rows.place(said)
    cells = []
    for one in np.unique(key).tolist():
        inside = key == one
        cells.append(
            Cell(
                column=one // rows.size,
                row=one % rows.size,
                least=float(values[inside].min()),
                most=float(values[inside].max()),
                low=float(said[inside].min()),
                high=float(said[inside].max()),
                outputs=int(inside.sum()),
                gap=float(liked[inside].mean()),
            )
        )
    return cells


def _of_systems(
    systems: Sequence[System], pairs: Sequence[tuple[FloatArray, FloatArray]], line: Line, measure: str
) -> list[OfSystem]:
    found = []
    for one, (values, said) in zip(systems, pairs, strict=True):
        if not values.size:
            continue
        misses = said - (line.intercept + line.slope * values)
        spread = float(misses.std(ddof=1)) if misses.size > 1 else 0.0
        better = goodness(measure, misses)
        found.append(
            OfSystem(
                one.submission,
                values.size,
                float(values.mean()),
                float(said.mean()),
                line.at(float(values.mean())),
                _NORMAL * spread / values.size**0.5,
                -float(better.mean()),
            )
        )
    return sorted(found, key=lambda one: -float(goodness(measure, np.array([one.judgement]))[0]))
