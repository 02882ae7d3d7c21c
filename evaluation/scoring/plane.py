"""The picture of systems by two measures: where their dots, intervals, names and lines of equal F1 lie. Pure.

Places are in units of the picture, which is `WIDTH` wide and `HEIGHT` high; its middle is inside `LEFT` to
`RIGHT` and `TOP` to `BOTTOM`.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from evaluation.scoring import axis
from evaluation.scoring.axis import Axis
from evaluation.scoring.leaderboard import Row
from evaluation.scoring.stored import Measure

WIDTH, HEIGHT = 360.0, 320.0
LEFT, RIGHT, TOP, BOTTOM = 36.0, 350.0, 10.0, 282.0
MOST = 200
"""Systems that are drawn."""
FEW = 12
"""Systems of which all have their intervals and, where there is room, their names."""
NAMED = 8
"""Systems of more that have them."""
_STEPS = 24
_LETTER, _LINE = 5.4, 11.0  # of a name, in the picture's units
_LONGEST = 22  # letters of a name


@dataclass(frozen=True, slots=True)
class Label:
    """A name beside its dot."""

    text: str
    x: float
    y: float
    anchor: str


@dataclass(frozen=True, slots=True)
class Dot:
    """A system: its place, the ends of its intervals (those of a system that has none drawn are None)."""

    name: str
    words: str
    x: float
    y: float
    left: float | None
    right: float | None
    low: float | None
    high: float | None
    is_own: bool
    is_baseline: bool
    label: Label | None


@dataclass(frozen=True, slots=True)
class Line:
    """A line of equal F1, in per cent, with the place of its number."""

    f1: int
    points: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Tick:
    """A number on an axis, in per cent, with its place."""

    number: int
    at: float


@dataclass(frozen=True, slots=True)
class Plane:
    """A picture of systems.

    Attributes
    ----------
    dots : tuple of Dot
        The last is drawn on top.
    left_out : int
        Systems beyond `MOST`.
    has_all_intervals : bool
        Whether each system has its intervals.
    lines : tuple of Line
    across, up : tuple of Tick
    """

    dots: tuple[Dot, ...]
    left_out: int
    has_all_intervals: bool
    lines: tuple[Line, ...]
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]


def draw(
    rows: Sequence[Row], measures: tuple[str, str], *, has_equal_f1: bool, named: Collection[int] = ()
) -> Plane | None:
    """Draw systems by two measures.

    Parameters
    ----------
    rows : sequence of Row
        In the order of the table. Those without one of the measures are left out.
    measures : (str, str)
        Across and up.
    has_equal_f1 : bool
        Whether to draw lines of equal F1.
    named : collection of int
        Submissions that have names and intervals where there are many; the first that are drawn, if empty.

    Returns
    -------
    Plane or None
        None where there is nothing to draw.
    """
    across, up = measures
    known = [row for row in rows if None not in (row.measures[across].estimate, row.measures[up].estimate)]
    drawn = sorted(known, key=lambda row: bool(named) and row.submission not in named)[:MOST]
    if not drawn:
        return None
    has_all = len(drawn) <= FEW
    first = [row.submission for row in drawn if not named or row.submission in named][:NAMED]
    marked = {row.submission for row in drawn if has_all or row.is_own or row.submission in first}
    horizontal, vertical = (_fit(drawn, name, marked) for name in measures)
    taken = [
        (_x(horizontal, row.measures[across].estimate), _y(vertical, row.measures[up].estimate))
        for row in drawn
    ]
    boxes = [(x - 3.0, y - 3.0, x + 3.0, y + 3.0) for x, y in (taken if has_all else ())]
    dots = [
        _dot(row, place, measures, (horizontal, vertical), row.submission in marked, boxes)
        for row, place in zip(drawn, taken, strict=True)
    ]
    dots.sort(key=lambda dot: dot.left is not None)
    return Plane(
        dots=tuple(dots),
        left_out=len(known) - len(drawn),
        has_all_intervals=has_all,
        lines=tuple(_lines(horizontal, vertical)) if has_equal_f1 else (),
        across=tuple(Tick(round(100 * tick), _x(horizontal, tick)) for tick in horizontal.ticks),
        up=tuple(Tick(round(100 * tick), _y(vertical, tick)) for tick in vertical.ticks),
    )


def _fit(rows: Sequence[Row], measure: str, marked: Collection[int]) -> Axis:
    found = []
    for row in rows:
        one = row.measures[measure]
        ends = (one.low, one.estimate, one.high) if row.submission in marked else (one.estimate,)
        found += [end for end in ends if end is not None]
    return axis.fit(found)


def _x(of: Axis, value: float | None) -> float:
    return round(LEFT + (RIGHT - LEFT) * of.place(value or 0.0) / 100, 1)


def _y(of: Axis, value: float | None) -> float:
    return round(BOTTOM - (BOTTOM - TOP) * of.place(value or 0.0) / 100, 1)


def _dot(
    row: Row,
    place: tuple[float, float],
    measures: tuple[str, str],
    axes: tuple[Axis, Axis],
    is_marked: bool,
    boxes: list[tuple[float, float, float, float]],
) -> Dot:
    across, up = (row.measures[name] for name in measures)
    words = f"{row.name}, {row.team}: {_words(measures[1], up)}; {_words(measures[0], across)}"
    x, y = place
    has_ends = is_marked and None not in (across.low, across.high, up.low, up.high)
    return Dot(
        name=row.name,
        words=words,
        x=x,
        y=y,
        left=_x(axes[0], across.low) if has_ends else None,
        right=_x(axes[0], across.high) if has_ends else None,
        low=_y(axes[1], up.low) if has_ends else None,
        high=_y(axes[1], up.high) if has_ends else None,
        is_own=row.is_own,
        is_baseline=row.is_baseline,
        label=_label(row.name, x, y, boxes) if is_marked else None,
    )


@lru_cache(maxsize=10_000)
def _words(name: str, measure: Measure) -> str:
    if measure.estimate is None:
        return ""
    found = f"{name} {100 * measure.estimate:.1f}"
    if measure.low is None or measure.high is None:
        return found
    return f"{found} ({100 * measure.low:.1f} to {100 * measure.high:.1f})"


def _label(name: str, x: float, y: float, boxes: list[tuple[float, float, float, float]]) -> Label | None:
    """Place a name where it covers nothing that is there, and keep its box; None where there is no room."""
    text = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
    wide = _LETTER * len(text)
    for dx, dy, anchor in (
        *((6.0, -4.0, "start"), (-6.0, -4.0, "end"), (6.0, 10.0, "start"), (-6.0, 10.0, "end")),
        *((6.0, -13.0, "start"), (-6.0, -13.0, "end"), (6.0, 19.0, "start"), (-6.0, 19.0, "end")),
    ):
        left = x + dx if anchor == "start" else x + dx - wide
        box = (left, y + dy - _LINE + 2, left + wide, y + dy + 2)
        inside = box[0] >= LEFT and box[2] <= RIGHT and box[1] >= TOP and box[3] <= BOTTOM
        own = (x - 3.0, y - 3.0, x + 3.0, y + 3.0)
        if inside and not any(_overlap(box, other) for other in boxes if other != own):
            boxes.append(box)
            return Label(text, round(x + dx, 1), round(y + dy, 1), anchor)
    return None


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _lines(across: Axis, up: Axis) -> Iterator[Line]:
    """Draw where F1 is a tenth, two tenths and so on: precision F R / (2 R - F) at recall R."""
    for tenth in range(1, 10):
        f1 = tenth / 10
        start = max(across.low, f1 * up.high / (2 * up.high - f1) if 2 * up.high > f1 else 1.0)
        if start >= across.high:
            continue
        points = []
        for step in range(_STEPS + 1):
            value = start + (across.high - start) * (step / _STEPS) ** 2
            other = f1 * value / (2 * value - f1) if 2 * value > f1 else up.high
            if other < up.low:
                break
            points.append((_x(across, value), _y(up, min(other, up.high))))
        if len(points) < 2 or points[0] == points[-1]:
            continue
        x, y = points[-1]
        yield Line(10 * tenth, " ".join(f"{a},{b}" for a, b in points), x, y)
