"""A metric against what people said: pairs of ranges, the line through all systems, and who lies off it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.generation.explorer.finding import System, fit_all, of_both
from evaluation.generation.explorer.lines import Line, goodness
from evaluation.generation.explorer.published import Judged
from evaluation.generation.metrics.registry import METRICS
from evaluation.models import Submission
from evaluation.units import FloatArray, IntArray

FEW = 20
"""Judged outputs of a system below which nothing is said of its bias."""
EXTREMES = 5
"""Outputs on either side that are named, at most."""
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
    overrated : float
        By how many standard deviations of what the line misses it predicts better than people say; a mean.
    """

    column: int
    row: int
    least: float
    most: float
    low: float
    high: float
    outputs: int
    overrated: float

    @property
    def side(self) -> str:
        """Say whether the metric overrates them: `over`, `under`, or by little, `near`."""
        return "over" if self.overrated > 1 else "under" if self.overrated < -1 else "near"


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
        Whether the line predicts better where the metric is higher.
    is_reversed : bool
        Whether the metric is meant the other way round.
    columns, rows : Ranges
        Of the metric, and of judgements.
    cells : sequence of Cell
        Those with outputs.
    line : Line or None
        What the metric predicts; None where it is constant.
    liked, disliked : int[n]
        Where outputs stand in the file: those that the line puts above the average and people below it, what
        is overrated most first; and the reverse. None where the slope of the line could be chance.
    systems : sequence of OfSystem
        Those that may be seen and are judged, the one that is looked at among them, by what people say.
    """

    correlation: float | None
    is_more_better: bool
    is_reversed: bool
    columns: Ranges
    rows: Ranges
    cells: Sequence[Cell]
    line: Line | None
    liked: IntArray
    disliked: IntArray
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
    pairs = [of_both(one, said, metric) for one, said in zip(others, judged, strict=True)]
    own = next(pair for one, pair in zip(others, pairs, strict=True) if one.submission == system.submission)
    places, values, said = own
    if not places.size:
        return None
    line = fit_all(others, judged, metric)
    overrated = np.zeros(values.size) if line is None else line.overrated(values, measure, said)
    is_more_better = line is not None and bool(goodness(measure, np.array([line.slope]))[0] > 0)
    meant = METRICS[metric].higher_is_better if metric in METRICS else None
    columns, rows = _of_metric(values), _of_judgements(said)
    liked, disliked = _extremes(own, line, overrated, measure)
    return Scatter(
        correlation=_correlation(values, said),
        is_more_better=is_more_better,
        is_reversed=meant is not None and meant != is_more_better,
        columns=columns,
        rows=rows,
        cells=_cells(values, said, columns, rows, overrated),
        line=line,
        liked=liked,
        disliked=disliked,
        systems=[] if line is None else _of_systems(others, pairs, line, measure),
    )


def _extremes(
    own: tuple[IntArray, FloatArray, FloatArray], line: Line | None, overrated: FloatArray, measure: str
) -> tuple[IntArray, IntArray]:
    """Return where outputs stand on which metric and people fall on either side of the average."""
    places, values, said = own
    if line is None or line.is_level:
        return places[:0], places[:0]
    is_liked, is_good = line.is_liked(values, measure), line.is_good(measure, said)
    order = np.argsort(-overrated, kind="stable")
    liked = order[(is_liked & ~is_good)[order]]
    disliked = order[::-1][(~is_liked & is_good)[order[::-1]]]
    return places[liked[:EXTREMES]], places[disliked[:EXTREMES]]


def _correlation(values: FloatArray, said: FloatArray) -> float | None:
    if values.size < 2 or not values.std() or not said.std():
        return None
    return float(np.corrcoef(values, said)[0, 1])


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
    values: FloatArray, said: FloatArray, columns: Ranges, rows: Ranges, overrated: FloatArray
) -> list[Cell]:
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
                overrated=float(overrated[inside].mean()),
            )
        )
    return cells


def _of_systems(
    systems: Sequence[System],
    pairs: Sequence[tuple[IntArray, FloatArray, FloatArray]],
    line: Line,
    measure: str,
) -> list[OfSystem]:
    found = []
    for one, (_, values, said) in zip(systems, pairs, strict=True):
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
