"""Scores from an archive alone, held against those that it states."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Generic, TypeVar

from kbpo_archive import classification, generation, kbp
from kbpo_archive.errors import BadArchive
from kbpo_archive.figures import (
    Choice,
    Differ,
    Figure,
    Place,
    Scored,
    SubsetPlace,
    stated,
    stated_subsets,
)
from kbpo_archive.ranking import Ranking
from kbpo_archive.reading import Archive

P = TypeVar("P", Place, SubsetPlace)

AGREE = 1e-12
"""Within which a figure that is computed again agrees."""


@dataclass(frozen=True, slots=True)
class _Task:
    """How the scores of a task are computed, and which of them rest on more than an archive tells."""

    score: Callable[[Archive], Iterator[Scored]]
    is_held_back: Callable[[Archive, Place], bool]
    subsets: Callable[[Archive], Iterator[tuple[SubsetPlace, Figure]]]
    is_subset_held_back: Callable[[Archive, SubsetPlace], bool]


_TASKS: Mapping[str, _Task] = MappingProxyType(
    {
        name: _Task(
            module.score,
            module.is_held_back,
            module.subsets,
            module.is_subset_held_back,
        )
        for name, module in (("kbp", kbp), ("classification", classification), ("generation", generation))
    }
)


@dataclass(frozen=True, slots=True)
class Compared(Generic[P]):
    """Some of an archive's figures, as computed and as published.

    Attributes
    ----------
    figures : mapping of place to Figure
        As computed now.
    stated : mapping of place to Figure
        As published, as far as they can be computed.
    held_back : int
        How many more were published, which rest on what the archive does not tell.
    """

    figures: Mapping[P, Figure]
    stated: Mapping[P, Figure]
    held_back: int

    @property
    def differences(self) -> Mapping[P, float]:
        """By how much figures differ; infinity where one is missing."""
        found = {}
        for place in sorted(self.figures.keys() | self.stated.keys()):
            own, other = self.figures.get(place), self.stated.get(place)
            found[place] = math.inf if own is None or other is None else own.difference(other)
        return found


@dataclass(frozen=True, slots=True)
class Recomputed:
    """What came of computing an archive's scores again.

    Attributes
    ----------
    scores : Compared of Place
    ranks : Compared of Place
        Ranks, and how many systems are ranked and pairs differ (`kbpo_archive.ranking`).
    subsets : Compared of SubsetPlace
    differences : mapping of place to float
        By how much any differ where it is more than `AGREE`; infinity where one is missing.
    largest : float
        By how much any differs.
    """

    scores: Compared[Place]
    ranks: Compared[Place]
    subsets: Compared[SubsetPlace]
    differences: Mapping[Place | SubsetPlace, float]
    largest: float

    @property
    def agrees(self) -> bool:
        """Say whether everything that can be computed is as it was published."""
        return not self.differences


def compare(archive: Archive) -> Recomputed:
    """Compute an archive's scores, ranks and scores of subsets, and hold them against those that it states.

    Raises
    ------
    BadArchive
        If it is of a task that this version does not know, or is damaged.
    """
    task = _find_task(archive)
    ranking = Ranking.of(archive)
    figures: dict[Place, Figure] = {}
    ranked: dict[Place, Figure] = {}
    for figures_of, differs in _scored(archive, task):
        figures |= figures_of
        if ranking is not None:
            for choice, differ in differs:
                ranked.update(ranking.rank(choice, differ, figures_of))
    scores = _held(figures, stated(archive), lambda place: task.is_held_back(archive, place))
    ranks: Compared[Place] = Compared({}, {}, 0)
    if ranking is not None:
        shown = {
            place: one
            for place, one in ranked.items()
            if place in ranking.stated and not _is_rank_held_back(archive, task, ranking, place)
        }  # not of hidden systems
        ranks = _held(shown, ranking.stated, lambda place: _is_rank_held_back(archive, task, ranking, place))
    of_subsets: dict[SubsetPlace, Figure] = {}
    if "subsets" in archive.manifest and has_systems(archive):
        of_subsets = {
            place: one for place, one in task.subsets(archive) if not task.is_subset_held_back(archive, place)
        }
    subsets = _held(
        of_subsets, stated_subsets(archive), lambda place: task.is_subset_held_back(archive, place)
    )
    every: dict[Place | SubsetPlace, float] = {}
    every.update(scores.differences.items())
    every.update(ranks.differences.items())
    every.update(subsets.differences.items())
    return Recomputed(
        scores,
        ranks,
        subsets,
        {place: one for place, one in every.items() if not one <= AGREE},
        max(every.values(), default=0.0),
    )


def has_systems(archive: Archive) -> bool:
    """Say whether any system was sampled in the epoch."""
    return archive.has("systems") and bool(archive.table("systems")["system"].size)


def _scored(
    archive: Archive, task: _Task
) -> Iterator[tuple[dict[Place, Figure], Iterable[tuple[Choice, Differ]]]]:
    if not has_systems(archive):
        return
    for some in task.score(archive):
        figures = {place: one for place, one in some.figures if not task.is_held_back(archive, place)}
        yield figures, some.differs


def _held(
    figures: Mapping[P, Figure], published: Mapping[P, Figure], is_held_back: Callable[[P], bool]
) -> Compared[P]:
    comparable = {place: one for place, one in published.items() if not is_held_back(place)}
    return Compared(figures, comparable, len(published) - len(comparable))


def _is_rank_held_back(archive: Archive, task: _Task, ranking: Ranking, place: Place) -> bool:
    of_measure = place._replace(measure=ranking.measure(Choice(*place[1:5])) or "")
    return ranking.is_held_back(place) or task.is_held_back(archive, of_measure)


def _find_task(archive: Archive) -> _Task:
    """Return how the scores of an archive's task are computed; BadArchive if it is not known."""
    name = archive.manifest["task"]
    if name not in _TASKS:
        raise BadArchive(
            f"is of the task {name!r:.40}, whose scores this version does not compute",
            where=str(archive.path),
        )
    return _TASKS[name]
