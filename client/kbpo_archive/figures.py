"""Figures: what an archive states, and what comes of computing it again."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from kbpo_archive.reading import Archive
from kbpo_estimators.intervals import Interval


class Place(NamedTuple):
    """What a figure is of: a system by its number, a way to score, a level, a measure."""

    system: int
    estimator: str
    weighting: str
    part: str
    standard: str
    level: int
    measure: str


@dataclass(frozen=True, slots=True)
class Figure:
    """An estimate with its interval; None where not estimable.

    Attributes
    ----------
    estimate, low, high : float or None
    """

    estimate: float | None
    low: float | None
    high: float | None

    @classmethod
    def of(cls, interval: Interval | None) -> "Figure":
        """Return an interval as a figure."""
        return (
            cls(None, None, None) if interval is None else cls(interval.estimate, interval.low, interval.high)
        )

    def difference(self, other: "Figure") -> float:
        """Return by how much two differ at most; infinity where only one of them is estimable."""
        largest = 0.0
        for own, theirs in ((self.estimate, other.estimate), (self.low, other.low), (self.high, other.high)):
            if own is None or theirs is None:
                largest = max(largest, 0.0 if own is theirs else math.inf)
            else:
                largest = max(largest, abs(own - theirs))
        return largest


Figures = Mapping[Place, Figure]


def stated(archive: Archive) -> Figures:
    """Return the figures that an archive states as published."""
    table = archive.table("scores")
    numbers = [table[name].tolist() for name in ("system", "level", "estimate", "low", "high")]
    texts = [table[name] for name in ("estimator", "weighting", "part", "standard", "measure")]
    found = {}
    for row in zip(*numbers, *texts, strict=True):
        system, level, estimate, low, high, estimator, weighting, part, standard, measure = row
        place = Place(system, estimator, weighting, part, standard, level, measure)
        found[place] = Figure(*(None if math.isnan(one) else one for one in (estimate, low, high)))
    return found


def measured(
    system: int, choice: tuple[str, str, str, str], level: int, measures: Mapping[str, Interval | None]
) -> Iterator[tuple[Place, Figure]]:
    """Yield what is estimated of a system, measure by measure; `choice` as in `Place`."""
    for measure, interval in measures.items():
        yield Place(system, *choice, level, measure), Figure.of(interval)
