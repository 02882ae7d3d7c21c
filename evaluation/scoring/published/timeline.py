"""The picture of a system's scores over time: where its line, dots and intervals lie. Pure.

Places are in units of the picture, which is `WIDTH` wide and `HEIGHT` high.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from evaluation.scoring import axis
from evaluation.scoring.stored import Measure

WIDTH, HEIGHT = 720.0, 220.0
LEFT, RIGHT, TOP, BOTTOM = 36.0, 708.0, 12.0, 184.0
MOST = 200
"""Changes that are drawn: the last ones, and the first."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A number or a day on an axis, with its place."""

    words: str
    at: float
    anchor: str = "middle"


@dataclass(frozen=True, slots=True)
class Dot:
    """A change: its place, the ends of its interval, and what it says."""

    x: float
    y: float
    low: float | None
    high: float | None
    words: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """A picture of one measure over time.

    Attributes
    ----------
    line : str
        Points of a line in steps: a score holds until the next one.
    dots : tuple of Dot
    up, along : tuple of Mark
        Numbers in per cent; and days, with hours where both are the same.
    left_out : int
        Changes beyond `MOST`.
    """

    line: str
    dots: tuple[Dot, ...]
    up: tuple[Mark, ...]
    along: tuple[Mark, ...]
    left_out: int


def draw(
    points: Sequence[tuple[datetime, Measure]], *, name: str, until: datetime, left_out: int = 0
) -> Timeline | None:
    """Draw a measure over time.

    Parameters
    ----------
    points : sequence of (datetime, Measure)
        At most `MOST` in order: the first of all, and the last ones. Those that are not estimable are not
        drawn.
    name : str
        The measure's.
    until : datetime
        Where the line ends, since the last score still holds.
    left_out : int
        How many changes between the first and the last ones are not given.

    Returns
    -------
    Timeline or None
        None where fewer than two scores make no line.
    """
    drawn = [(at, one) for at, one in points if one.estimate is not None]
    if len(drawn) < 2:
        return None
    ends = [end for _, one in drawn for end in (one.low, one.estimate, one.high) if end is not None]
    fitted = axis.fit(ends)
    first, last = drawn[0][0], max(until, drawn[-1][0])
    seconds = (last - first).total_seconds() or 1.0

    def x(at: datetime) -> float:
        return round(LEFT + 4 + (RIGHT - LEFT - 4) * (at - first).total_seconds() / seconds, 1)

    def y(value: float | None) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * fitted.place(value or 0.0) / 100, 1)

    dots = [
        Dot(
            x(at),
            y(one.estimate),
            None if one.low is None else y(one.low),
            None if one.high is None else y(one.high),
            _words(name, at, one),
        )
        for at, one in drawn
    ]
    day = "%-d %b %Y" if first.date() != last.date() else "%-d %b %Y, %H:%M"
    steps = [f"{dots[0].x},{dots[0].y}"]
    for before, dot in pairwise(dots):
        steps += [f"{dot.x},{before.y}", f"{dot.x},{dot.y}"]
    steps.append(f"{RIGHT},{dots[-1].y}")
    return Timeline(
        line=" ".join(steps),
        dots=tuple(dots),
        up=tuple(Mark(f"{round(100 * tick)}".replace("-", "−"), y(tick)) for tick in fitted.ticks),
        along=(
            Mark(f"{first:{day}}", LEFT + 4, "start"),
            Mark(f"{last:{day}}", RIGHT, "end"),
        ),
        left_out=left_out,
    )


def _words(name: str, at: datetime, one: Measure) -> str:
    said = f"{at:%-d %B %Y, %H:%M}: {name} {100 * (one.estimate or 0.0):.1f}"
    if one.low is None or one.high is None:
        return said
    return f"{said} ({100 * one.low:.1f} to {100 * one.high:.1f})"
