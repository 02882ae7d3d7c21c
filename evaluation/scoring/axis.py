"""Where an interval is drawn: one axis for a whole column."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

_WIDEST = 1.0
"""Of an axis in tenths: other scales are wider, and that of edits has no end."""
_MOST_STEPS = 6


@dataclass(frozen=True, slots=True)
class Drawing:
    """An interval's places on an axis, in per cent of its length."""

    low: float
    estimate: float
    high: float


@dataclass(frozen=True, slots=True)
class Axis:
    """A stretch of numbers with ticks.

    Attributes
    ----------
    low, high : float
        Its ends.
    ticks : tuple of float
        Equally spaced, the ends among them.
    """

    low: float
    high: float
    ticks: tuple[float, ...]

    def place(self, value: float) -> float:
        """Return where a value lies, in per cent of the axis, not beyond its ends."""
        share = (value - self.low) / (self.high - self.low)
        return round(100 * min(1.0, max(0.0, share)), 2)

    def draw(self, low: float, estimate: float, high: float) -> Drawing:
        """Return the places of an interval and its estimate."""
        return Drawing(self.place(low), self.place(estimate), self.place(high))

    @property
    def places(self) -> tuple[float, ...]:
        """The ticks' places, in per cent of the axis."""
        return tuple(self.place(tick) for tick in self.ticks)


@dataclass(frozen=True, slots=True)
class Column:
    """A measure's column in a table of scores: `common` is the axis where the columns stand in one."""

    measure: str
    name: str
    axis: Axis
    common: Axis


def fit(values: Iterable[float]) -> Axis:
    """Choose the axis of a column: the tenths that hold every value, at least three tenths of them.

    Parameters
    ----------
    values : iterable of float
        All ends of the column's intervals, usually in [0, 1] or [−1, 1].

    Returns
    -------
    Axis
        From 0 to 1 where there are no values.

    Examples
    --------
    >>> fit([0.42, 0.55, 0.68])
    Axis(low=0.4, high=0.7, ticks=(0.4, 0.5, 0.6, 0.7))
    """
    known = list(values)
    if not known:
        return Axis(0.0, 1.0, (0.0, 0.5, 1.0))
    if max(known) - min(known) > _WIDEST:
        return _fit_wide(min(known), max(known))
    first = math.floor(round(10 * min(known), 9))
    last = math.ceil(round(10 * max(known), 9))
    while last - first < 3:
        if last < 10:
            last += 1
        if last - first < 3 and first > 0:
            first -= 1
    step = 1 if last - first <= 5 else 2
    while (last - first) % step:
        if last < 10:
            last += 1
        else:
            first -= 1
    return Axis(first / 10, last / 10, tuple(tenth / 10 for tenth in range(first, last + 1, step)))


def _fit_wide(low: float, high: float) -> Axis:
    """Choose an axis with a few ticks, at 1, 2 or 5 times a power of ten."""
    least = (high - low) / _MOST_STEPS
    power = 10.0 ** math.floor(math.log10(least))
    step = power * next(one for one in (1, 2, 5, 10) if one * power >= least)
    first, last = math.floor(low / step), math.ceil(high / step)
    return Axis(first * step, last * step, tuple(step * tick for tick in range(first, last + 1)))
