"""Scores from an archive alone, held against those that it states."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from kbpo_archive import classification, generation, kbp
from kbpo_archive.errors import BadArchive
from kbpo_archive.figures import Figure, Figures, Place, stated
from kbpo_archive.reading import Archive

AGREE = 1e-12
"""Within which a figure that is computed again agrees."""

Compute = Callable[[Archive], Iterator[tuple[Place, Figure]]]
IsHeldBack = Callable[[Archive, Place], bool]
TASKS: Mapping[str, tuple[Compute, IsHeldBack]] = MappingProxyType(
    {
        "kbp": (kbp.compute, kbp.is_held_back),
        "classification": (classification.compute, classification.is_held_back),
        "generation": (generation.compute, generation.is_held_back),
    }
)


@dataclass(frozen=True, slots=True)
class Recomputed:
    """What came of computing an archive's scores again.

    Attributes
    ----------
    figures : mapping of Place to Figure
        As computed now.
    stated : mapping of Place to Figure
        As published, as far as they can be computed.
    held_back : int
        How many more were published, which rest on documents that are sealed still.
    differences : mapping of Place to float
        By how much they differ where it is more than `AGREE`; infinity where one is missing.
    largest : float
        By how much any differs.
    """

    figures: Figures
    stated: Figures
    held_back: int
    differences: Mapping[Place, float]
    largest: float

    @property
    def agrees(self) -> bool:
        """Say whether everything that can be computed is as it was published."""
        return not self.differences


def recompute(archive: Archive) -> Figures:
    """Compute every published figure of an archive.

    Raises
    ------
    BadArchive
        If it is of a task that this version does not know, or is damaged.
    """
    compute, is_held_back = _task(archive)
    if not archive.table("systems")["system"].size:
        return {}
    return {place: figure for place, figure in compute(archive) if not is_held_back(archive, place)}


def compare(archive: Archive) -> Recomputed:
    """Compute an archive's scores again, and hold them against those that it states."""
    _, is_held_back = _task(archive)
    figures, published = recompute(archive), stated(archive)
    comparable = {place: one for place, one in published.items() if not is_held_back(archive, place)}
    found: dict[Place, float] = {}
    for place in figures.keys() | comparable.keys():
        own, other = figures.get(place), comparable.get(place)
        found[place] = math.inf if own is None or other is None else own.difference(other)
    return Recomputed(
        figures,
        comparable,
        len(published) - len(comparable),
        {place: one for place, one in sorted(found.items()) if not one <= AGREE},
        max(found.values(), default=0.0),
    )


def _task(archive: Archive) -> tuple[Compute, IsHeldBack]:
    name = archive.manifest["task"]
    if name not in TASKS:
        raise BadArchive(
            f"is of the task {name!r:.40}, whose scores this version does not compute",
            where=str(archive.path),
        )
    return TASKS[name]
