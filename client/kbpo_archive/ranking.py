"""Ranks from an archive.

Ranks are over all systems of a corpus. An archive has those of its epoch, and says whether earlier epochs had
any: where these were ranked beside them at the release, its ranks are stated, and cannot be computed from it
alone. Nor can ranks by what rests on documents, where these are not each told. Any others must come out, but
for what a task holds back.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kbpo_archive.figures import Choice, Differ, Figure, Figures, Place, counted
from kbpo_archive.figures import stated as published
from kbpo_archive.kbp import EACH
from kbpo_archive.reading import NOTHING, Archive
from kbpo_estimators.intervals import Interval
from kbpo_estimators.pairs import pairs
from kbpo_estimators.ranks import ranks, told_apart
from kbpo_estimators.share_scales import Scale

RANK, SYSTEMS, APART = "rank", "systems", "apart"
"""What stands as a measure for a rank; and of system 0 for how many are ranked, and pairs that differ."""
ALL = 0
PRECISION = "precision"
"""What rests on no document that is annotated in full, whatever the task."""
MANIFEST = "ranking"


@dataclass(frozen=True, eq=False)
class Ranking:
    """What an archive says of ranks.

    Attributes
    ----------
    stated : Figures
        Ranks as published, and of system 0 how many are ranked, and how many pairs differ.
    """

    stated: Figures
    _settings: Mapping[str, Any]
    _are_documents_told: bool
    _published: Figures
    _may_rank: list[bool]
    _labels: Mapping[tuple[int, Choice], int]
    _sizes: dict[Choice, int] = field(default_factory=dict)  # how many of its own are ranked, by choice

    @classmethod
    def of(cls, archive: Archive) -> "Ranking | None":
        """Read it; None where an archive says nothing of ranks."""
        settings = archive.manifest.get(MANIFEST)
        if settings is None or not archive.has("ranks"):
            return None
        scores = archive.table("scores")
        choices = map(Choice, *(scores[name] for name in Choice._fields))
        labels = {
            (system, choice): count
            for system, choice, count in zip(
                scores["system"].tolist(), choices, scores["labels"].tolist(), strict=True
            )
        }
        documents = archive.manifest.get("documents")
        are_told = documents is None or documents["told"] == EACH
        may_rank = archive.table("systems")["ranked"].tolist()
        return cls(_stated(archive), settings, are_told, published(archive), may_rank, labels)

    def is_held_back(self, place: Place) -> bool:
        """Say whether a rank, or a number of all that are ranked, rests on more than the archive has.

        That is on documents of which only sums are told; or on systems of earlier epochs, where there are
        any, and more were ranked than the archive has.
        """
        choice, level = Choice(*place[1:5]), self._settings["level"]
        if self.measure(choice) != PRECISION and not self._are_documents_told:
            return True
        size = self.stated.get(Place(ALL, *choice, level, SYSTEMS))
        ranked = None if size is None else size.estimate
        if self._settings["alone"] or ranked is None:
            return False
        if choice not in self._sizes:
            self._sizes[choice] = len(self._own(choice, self._published))
        return self._sizes[choice] < ranked

    def measure(self, choice: Choice) -> str | None:
        """Return by which measure systems are ranked under a choice."""
        measure: str | None = self._settings["by"].get(choice.part)
        return measure

    def _own(self, choice: Choice, figures: Figures) -> dict[int, Interval]:
        """Return the systems that are ranked under a choice, each with what it is ranked by."""
        level, measure = self._settings["level"], self.measure(choice)
        own: dict[int, Interval] = {}
        for number, may_rank in enumerate(self._may_rank, start=1):
            figure = None if measure is None else figures.get(Place(number, *choice, level, measure))
            has_labels = self._labels.get((number, choice), 0) >= self._settings["from"]
            interval = None if figure is None else _interval(figure)
            if may_rank and has_labels and interval is not None:
                own[number] = interval
        return own

    def rank(self, choice: Choice, differ: Differ, figures: Figures) -> Iterator[tuple[Place, Figure]]:
        """Yield the ranks of an archive's own systems under a choice, at every level.

        Nothing where how they differ is not known.
        """
        own, measure = self._own(choice, figures), self.measure(choice)
        if measure is None:
            return
        if not own:
            for one in self._settings["levels"]:
                yield Place(ALL, *choice, one, SYSTEMS), counted(0)
                yield Place(ALL, *choice, one, APART), counted(0)
            return
        level = self._settings["level"]
        places = np.array([number - 1 for number in own], dtype=np.int64)
        scale = self.scale(measure)
        shares = [scale.share(one) for one in own.values()]
        differences = differ(measure).take(places, places)
        if np.isnan(differences.estimates).any():
            return  # it rests on documents of which only sums are told
        prepared = pairs(scale.shares(differences), shares, shares, level / 100)
        for one in self._settings["levels"]:
            apart = told_apart(prepared.gaps, prepared.reach, one / 100)
            yield Place(ALL, *choice, one, SYSTEMS), counted(len(own))
            yield Place(ALL, *choice, one, APART), counted(int(np.triu(apart).sum()))
            for number, rank in zip(own, ranks(prepared.gaps, apart), strict=True):
                yield Place(number, *choice, one, RANK), counted(rank)

    def scale(self, measure: str) -> Scale:
        """Return the scale of a measure."""
        return Scale.of(measure, self._settings["scales"], self._settings["less_is_better"])


def _interval(figure: Figure) -> Interval | None:
    if figure.estimate is None or figure.low is None or figure.high is None:
        return None
    return Interval(figure.estimate, figure.low, figure.high)


def _stated(archive: Archive) -> Figures:
    table = archive.table("ranks")
    choices = map(Choice, *(table[name] for name in Choice._fields))
    found = {}
    for system, level, rank, apart, choice in zip(
        *(table[name].tolist() for name in ("system", "level", "rank", "apart")), choices, strict=True
    ):
        estimator, weighting, part, standard = choice
        place = Place(system, estimator, weighting, part, standard, level, RANK)
        found[place if system != ALL else place._replace(measure=SYSTEMS)] = counted(rank)
        if apart != NOTHING:
            found[place._replace(measure=APART)] = counted(apart)
    return found
