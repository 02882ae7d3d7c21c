"""Archive editions: made, read, and held against published figures."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import connection
from django.utils import timezone

from annotations.models import Corpus
from evaluation.archives import making
from evaluation.kbp.task import TASK as KBP
from evaluation.models import Edition
from evaluation.registry import task_of
from evaluation.scoring import releasing
from evaluation.scoring.published.files import Leaderboard
from kbpo.core.storage.folder import path_of
from kbpo_archive.figures import Choice, Differ, Figures, Place
from kbpo_archive.ranking import ALL, APART, RANK, SYSTEMS, Ranking, _interval
from kbpo_archive.reading import Archive
from kbpo_archive.recomputing import Recomputed, _find_task, compare
from kbpo_estimators.intervals import Interval
from kbpo_estimators.two_systems import Among, Ranked, compare_two

EPOCHS = Edition.objects.filter(kind=Edition.Kind.EPOCH)
"""The archives of released epochs."""


def recomputed(tag: str) -> Recomputed:
    """Make the archive of a corpus' newest released epoch; return what computing its scores again gives."""
    assert making.make_archives(find_task=task_of, now=timezone.now()) > 0
    found = EPOCHS.filter(epoch__corpus__tag=tag).order_by("epoch__number", "edition").last()
    assert found is not None
    with Archive(path_of(found.place)) as archive:
        assert archive.check() > 0
        return compare(archive)


def released(retire: float | None) -> Edition:
    """Release the one corpus' open epoch; return the archive that is made of it."""
    releasing.release(corpus=Corpus.objects.get(), task=KBP, retire=retire)
    return made()


def made() -> Edition:
    """Return the archive that is made now."""
    assert making.make_archives(find_task=task_of, now=timezone.now()) == 1
    found = EPOCHS.order_by("edition").last()
    assert found is not None
    return found


def forget_archives() -> None:
    """Delete the archives of released epochs, which Postgres refuses otherwise."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        EPOCHS.all().delete()
        cursor.execute("SET LOCAL session_replication_role = DEFAULT")


def leaderboard(edition: Edition | None = None) -> dict[str, Any]:
    """Return the manifest and the tables of a leaderboard edition; of the only one if left out."""
    kept = Leaderboard(edition or Edition.objects.get(kind=Edition.Kind.LEADERBOARD))
    return {"manifest": kept.manifest, "tables": list(kept.tables())}


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference between two systems: by itself, and among all ranked systems."""

    choice: Choice
    level: int
    measure: str
    difference: Interval
    among: Among | None


def differences(archive: Archive, first: int, second: int) -> Iterator[Difference]:
    """Compute the differences of two systems of an archive: every choice, measure and level."""
    ranking = Ranking.of(archive)
    assert ranking is not None
    task = _find_task(archive)
    for some in task.score(archive):
        figures = {place: one for place, one in some.figures if not task.is_held_back(archive, place)}
        for choice, differ in some.differs:
            yield from _between(ranking, choice, differ, figures, (first, second))


def _between(
    ranking: Ranking, choice: Choice, differ: Differ, figures: Figures, pair: tuple[int, int]
) -> Iterator[Difference]:
    settings: Mapping[str, Any] = ranking._settings
    places = np.array([pair[0] - 1]), np.array([pair[1] - 1])
    for level in settings["levels"]:
        are_ranked = all(Place(number, *choice, level, RANK) in ranking.stated for number in pair)
        sizes = [ranking.stated.get(Place(ALL, *choice, level, name)) for name in (SYSTEMS, APART)]
        counts = [int(one.estimate) for one in sizes if one is not None and one.estimate is not None]
        ranked = Ranked(*counts) if are_ranked and len(counts) == 2 and counts[0] >= 2 else None
        for measure in sorted({place.measure for place in figures if place[1:5] == choice}):
            found = [figures.get(Place(number, *choice, level, measure)) for number in pair]
            ours, theirs = (None if one is None else _interval(one) for one in found)
            if ours is None or theirs is None:
                continue
            is_ranked_by = measure == settings["by"].get(choice.part)
            differ_by = differ(measure).take(*places)
            scale = ranking.scale(measure)
            compared = compare_two(
                differ_by, ours, theirs, scale, level / 100, ranked, is_ranked_by=is_ranked_by
            )
            if compared is not None:
                yield Difference(choice, level, measure, *compared)
