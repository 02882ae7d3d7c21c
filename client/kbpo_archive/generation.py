"""Scores of generated texts, from an archive."""

from collections.abc import Iterator, Mapping

import numpy as np

from kbpo_archive.figures import Figure, Place, measured
from kbpo_archive.pool import ArchivedPool
from kbpo_archive.reading import Archive
from kbpo_estimators._checks import FloatArray
from kbpo_estimators.generation import Given, Judgements, Scores
from kbpo_estimators.intervals import LEVELS
from kbpo_estimators.judging.sampled import numbered

CORRECTED, PLAIN = "corrected", "plain"
"""Estimators: with the metrics that were fixed beforehand, and from judgements alone."""
THIS_CROWD, ANOTHER_CROWD = "votes", "crowd"
"""Standards: for those who judged, and for others like them."""
WEIGHTING = "output"


def compute(archive: Archive) -> Iterator[tuple[Place, Figure]]:
    """Compute every score of an epoch's systems.

    Yields
    ------
    (Place, Figure)
    """
    pool = ArchivedPool(archive)
    measures: list[str] = archive.manifest["measures"]
    judgements = _judgements(archive, measures)
    folds = archive.table("inputs")["fold"]
    systems = _systems(pool)
    bare = [Given(one.inputs, one.units, {}) for one in systems]
    for estimator, given in ((CORRECTED, systems), (PLAIN, bare)):
        scores = Scores(given, judgements, pool.units["pi"], pool.sampled, folds)
        for system in range(len(systems)):
            found = {name: scores.score(system, name) for name in measures}
            for standard in (THIS_CROWD, ANOTHER_CROWD):
                estimated = {
                    name: None
                    if one is None
                    else one.this_crowd
                    if standard == THIS_CROWD
                    else one.another_crowd
                    for name, one in found.items()
                }
                for level in LEVELS:
                    intervals = {
                        name: None if one is None else one.interval(level) for name, one in estimated.items()
                    }
                    for part in measures:
                        choice = estimator, WEIGHTING, part, standard
                        yield from measured(system + 1, choice, round(100 * level), intervals)


def is_held_back(archive: Archive, place: Place) -> bool:
    """Say that nothing is: no score rests on what is sealed."""
    return False


def _judgements(archive: Archive, measures: list[str]) -> Judgements:
    table = archive.table("judgements")
    values: dict[str, list[float]] = {name: [] for name in measures}
    units: list[int] = []
    people: list[str] = []
    rows = zip(
        table["unit"].tolist(), table["annotator"], table["measure"], table["value"].tolist(), strict=True
    )
    for unit, annotator, measure, value in rows:
        if measure == measures[0]:
            units.append(unit)
            people.append(annotator)
        if measure in values:
            values[measure].append(value)
    codes = np.unique(np.array(people, dtype=object), return_inverse=True)[1] if people else np.empty(0)
    return Judgements(
        np.array(units, dtype=np.int64),
        numbered(codes.astype(np.int64)),
        {name: np.array(column) for name, column in values.items()},
    )


def _systems(pool: ArchivedPool) -> list[Given]:
    """Return what each system wrote, with the metrics that may correct its judgements."""
    candidates: list[dict[str, FloatArray | dict[str, FloatArray]]] = [{} for _ in pool.systems]
    if pool.archive.has("metrics"):
        table = pool.archive.table("metrics")
        place = [dict(zip(one.rows.tolist(), range(one.rows.size), strict=True)) for one in pool.systems]
        columns: dict[tuple[int, str, str], FloatArray] = {}
        rows = zip(
            *(table["system"].tolist(), table["unit"].tolist()),
            *(table["metric"], table["measure"], table["value"].tolist()),
            strict=True,
        )
        for system, unit, metric, measure, value in rows:
            key = system - 1, metric, measure
            if key not in columns:
                columns[key] = np.full(pool.systems[system - 1].rows.size, np.nan)
            columns[key][place[system - 1][unit]] = value
        for (number, metric, measure), column in columns.items():
            if measure:
                of_metric = candidates[number].setdefault(metric, {})
                assert isinstance(of_metric, dict), "a metric has one column, or one for each measure"
                of_metric[measure] = column
            else:
                candidates[number][metric] = column
    return [
        Given(inputs, system.rows, _mapping(own))
        for inputs, system, own in zip(pool.split("input"), pool.systems, candidates, strict=True)
    ]


def _mapping(
    own: Mapping[str, FloatArray | dict[str, FloatArray]],
) -> Mapping[str, FloatArray | Mapping[str, FloatArray]]:
    return dict(own)
