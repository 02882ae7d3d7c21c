"""Where a scatter's circles, line and ticks are drawn: pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from evaluation.generation.explorer.scatter import Cell, Ranges, Scatter

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 64, 24, 32, 60
_LARGEST = 20.0
_SMALLEST = 3.0


@dataclass(frozen=True, slots=True)
class Circle:
    """A cell as it is drawn: its area goes with how many outputs it holds.

    Attributes
    ----------
    query : str
        What finds its outputs, behind an address' question mark.
    """

    cell: Cell
    query: str
    x: float
    y: float
    radius: float


@dataclass(frozen=True, slots=True)
class Tick:
    """A number at an axis, and where it stands."""

    at: float
    words: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """A scatter as it is drawn, in the units of its view box."""

    circles: Sequence[Circle]
    line: tuple[float, float, float, float] | None
    columns: Sequence[Tick]
    rows: Sequence[Tick]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    bottom: int = HEIGHT - BOTTOM
    right: int = WIDTH - RIGHT
    top: int = TOP
    below: int = HEIGHT - BOTTOM + 22
    lowest: int = HEIGHT - 8


@dataclass(frozen=True, slots=True)
class _Axis:
    ranges: Ranges
    start: float
    end: float

    @property
    def low(self) -> float:
        return float(self.ranges.lows[0])

    @property
    def high(self) -> float:
        return float(self.ranges.highs[-1])

    def place(self, value: float) -> float:
        if self.high <= self.low:
            return round((self.start + self.end) / 2, 1)
        share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 1)

    def middle(self, index: int) -> float:
        return self.place(float(self.ranges.lows[index] + self.ranges.highs[index]) / 2)

    def ticks(self) -> list[Tick]:
        """Return round numbers; where values are few, these."""
        values = self.ranges.lows.tolist()
        if self.high > self.low and (self.ranges.lows < self.ranges.highs).any():
            values = round_numbers(self.low, self.high)
        return [Tick(self.place(one), f"{one:.3g}".replace("-", "−")) for one in values]


def round_numbers(low: float, high: float) -> list[float]:
    """Return round numbers between two ends, four to nine of them."""
    step = 10.0 ** math.floor(math.log10((high - low) / 3))
    step *= 5 if (high - low) / step > 16 else 2 if (high - low) / step > 8 else 1
    return [step * n for n in range(math.ceil(low / step), math.floor(high / step) + 1)]


def draw(found: Scatter, *, metric: str, measure: str) -> Drawing:
    """Place all that a scatter of a metric against a measure shows."""
    inset = _LARGEST
    columns = _Axis(found.columns, LEFT + inset, WIDTH - RIGHT - inset)
    rows = _Axis(found.rows, HEIGHT - BOTTOM - inset, TOP + inset)
    most = max(cell.outputs for cell in found.cells)
    largest = min(_LARGEST, (columns.end - columns.start) / 2 / max(1, found.columns.size - 1))
    circles = [
        Circle(
            cell,
            _query(cell, metric, measure),
            columns.middle(cell.column),
            rows.middle(cell.row),
            round(max(_SMALLEST, largest * (cell.outputs / most) ** 0.5), 1),
        )
        for cell in found.cells
    ]
    return Drawing(circles, _line(found, columns, rows), columns.ticks(), rows.ticks())


def _query(cell: Cell, metric: str, measure: str) -> str:
    within = {"from": cell.least, "to": cell.most, "low": cell.low, "high": cell.high}
    return urlencode({"metric": metric, "measure": measure, **within})


def _line(found: Scatter, columns: _Axis, rows: _Axis) -> tuple[float, float, float, float] | None:
    """Return the ends of the line as far as it lies within the drawing."""
    line = found.line
    if line is None or columns.high <= columns.low or rows.high <= rows.low:
        return None
    ends = [columns.low, columns.high]
    if line.slope:
        crossed = sorted((value - line.intercept) / line.slope for value in (rows.low, rows.high))
        ends = [max(ends[0], crossed[0]), min(ends[1], crossed[1])]
    if ends[0] >= ends[1]:
        return None
    first, last = ((columns.place(one), rows.place(line.at(one))) for one in ends)
    return (*first, *last)
