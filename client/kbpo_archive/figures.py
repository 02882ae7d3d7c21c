"""Figures: what an archive states, and what comes of computing it again."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from kbpo_archive.reading import NOTHING, Archive
from kbpo_estimators.differences import Differences
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


class Choice(NamedTuple):
    """A way to score."""

    estimator: str
    weighting: str
    part: str
    standard: str


class SubsetPlace(NamedTuple):
    """What a figure of a subset is of: a system by its number, a division, the place of its subset."""

    system: int
    division: str
    subset: int
    part: str
    standard: str
    measure: str


Differ = Callable[[str], Differences]
"""From a measure to how much more of it each system of the epoch has than each."""


@dataclass(frozen=True, eq=False)
class Scored:
    """What is computed of some choices.

    Attributes
    ----------
    figures : iterable of (Place, Figure)
    differs : iterable of (Choice, Differ)
        What comparing the systems needs.
    """

    figures: "Iterable[tuple[Place, Figure]]"
    differs: Iterable[tuple[Choice, Differ]]


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
SubsetFigures = Mapping[SubsetPlace, Figure]
LABELS, TRUE = "labels", "true"
"""What stands as a measure of a subset for the two numbers that its figures rest on."""


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


def stated_subsets(archive: Archive) -> SubsetFigures:
    """Return the figures of subsets that an archive states as published, and what they rest on."""
    if not archive.has("subset_scores"):
        return {}
    table = archive.table("subset_scores")
    numbers = [table[name].tolist() for name in ("system", "subset", "estimate", "low", "high")]
    counts = [table[name].tolist() for name in (LABELS, TRUE)]
    texts = [table[name] for name in ("division", "part", "standard", "measure")]
    found = {}
    for row in zip(*numbers, *counts, *texts, strict=True):
        system, subset, estimate, low, high, labels, true, division, part, standard, measure = row
        place = SubsetPlace(system, division, subset, part, standard, measure)
        found[place] = Figure(*(None if math.isnan(one) else one for one in (estimate, low, high)))
        found[place._replace(measure=LABELS)] = counted(None if labels == NOTHING else labels)
        found[place._replace(measure=TRUE)] = counted(None if true == NOTHING else true)
    return found


def counted(number: int | None) -> Figure:
    """Return a number, known exactly or not at all, as a figure."""
    return Figure(None if number is None else float(number), None, None)


def measured_subset(
    place: SubsetPlace, measures: Mapping[str, Interval | None], labels: int | None, true: int | None
) -> Iterator[tuple[SubsetPlace, Figure]]:
    """Yield what is estimated of a subset, measure by measure, and what it rests on."""
    for measure, interval in measures.items():
        yield place._replace(measure=measure), Figure.of(interval)
    yield place._replace(measure=LABELS), counted(labels)
    yield place._replace(measure=TRUE), counted(true)
