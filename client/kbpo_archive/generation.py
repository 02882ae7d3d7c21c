"""Scores of generated texts, from an archive."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from kbpo_archive.figures import Choice, Figure, Place, Scored, SubsetPlace, measured, measured_subset
from kbpo_archive.pool import ArchivedPool
from kbpo_archive.reading import NOTHING, Archive
from kbpo_archive.tables import SUBSET
from kbpo_estimators._checks import FloatArray
from kbpo_estimators.generation import Given, Judgements, Score, Scores
from kbpo_estimators.generation.sides import ANOTHER_CROWD, THIS_CROWD, sides_of
from kbpo_estimators.intervals import DEFAULT_LEVEL, LEVELS, Interval
from kbpo_estimators.judging.sampled import numbered

CORRECTED, PLAIN = "corrected", "plain"
"""Estimators: with the metrics that were fixed beforehand, and from judgements alone."""
WEIGHTING = "output"


def score(archive: Archive) -> Iterator[Scored]:
    """Compute every score of an epoch's systems, by each estimator."""
    pool = _read(archive)
    for estimator, scores in pool.by_estimator.items():
        found = [
            {name: scores.score(system, name) for name in pool.measures}
            for system in range(len(scores.systems))
        ]
        differs = [
            (Choice(estimator, WEIGHTING, part, standard), partial(side.differences, side))
            for standard, side in sides_of(scores, found).items()
            for part in pool.measures
        ]
        yield Scored(_figures(estimator, pool.measures, found), differs)


def _figures(
    estimator: str, measures: list[str], found: Sequence[Mapping[str, Score | None]]
) -> Iterator[tuple[Place, Figure]]:
    for system, of_system in enumerate(found, start=1):
        for standard in (THIS_CROWD, ANOTHER_CROWD):
            for level in LEVELS:
                intervals = _intervals(of_system, standard, level)
                for part in measures:  # parts differ by what ranks alone
                    choice = estimator, WEIGHTING, part, standard
                    yield from measured(system, choice, round(100 * level), intervals)


def _intervals(found: Mapping[str, Score | None], standard: str, level: float) -> dict[str, Interval | None]:
    estimated = {
        name: None if one is None else one.this_crowd if standard == THIS_CROWD else one.another_crowd
        for name, one in found.items()
    }
    return {name: None if one is None else one.interval(level) for name, one in estimated.items()}


def subsets(archive: Archive) -> Iterator[tuple[SubsetPlace, Figure]]:
    """Compute every score of subsets of what systems wrote."""
    pool = _read(archive)
    scores = pool.by_estimator[CORRECTED]
    for division, names in archive.manifest["subsets"]["divisions"].items():
        for number, (given, of_unit) in enumerate(
            zip(scores.systems, pool.pool.split(f"{SUBSET}{division}"), strict=True)
        ):
            which = np.full(pool.inputs, NOTHING)
            which[given.inputs] = of_unit
            for subset in range(len(names)):
                within = which == subset
                if not within.any():
                    continue
                found = {name: scores.score(number, name, within) for name in pool.measures}
                judged = next((one.outputs for one in found.values() if one is not None), None)
                for standard in (THIS_CROWD, ANOTHER_CROWD):
                    intervals = _intervals(found, standard, DEFAULT_LEVEL)
                    for part in pool.measures:
                        place = SubsetPlace(number + 1, division, subset, part, standard, "")
                        yield from measured_subset(place, intervals, judged, None)


@dataclass(frozen=True, eq=False)
class _Pool:
    """A pool with its scores by each estimator, its measures, and how many inputs there are."""

    pool: ArchivedPool
    by_estimator: Mapping[str, Scores]
    measures: list[str]
    inputs: int


def _read(archive: Archive) -> _Pool:
    pool = ArchivedPool(archive)
    measures: list[str] = archive.manifest["measures"]
    judgements = _judgements(pool, measures)
    folds = archive.table("inputs")["fold"]
    systems = _systems(pool)
    given = {CORRECTED: systems, PLAIN: [Given(one.inputs, one.units, {}) for one in systems]}
    by_estimator = {
        estimator: Scores(some, judgements, pool.units["pi"], pool.sampled, folds)
        for estimator, some in given.items()
    }
    return _Pool(pool, by_estimator, measures, folds.size)


def is_held_back(archive: Archive, place: Place) -> bool:
    """Say that nothing is: no score rests on what is sealed."""
    return False


def is_subset_held_back(archive: Archive, place: SubsetPlace) -> bool:
    """Say that nothing is."""
    return False


def _judgements(pool: ArchivedPool, measures: list[str]) -> Judgements:
    table = pool.archive.table("judgements")
    judged = set(np.flatnonzero(pool.sampled).tolist())
    values: dict[str, list[float]] = {name: [] for name in measures}
    units: list[int] = []
    people: list[str] = []
    rows = zip(
        table["unit"].tolist(), table["annotator"], table["measure"], table["value"].tolist(), strict=True
    )
    for unit, annotator, measure, value in rows:
        if unit not in judged:
            continue  # it came into the sample later
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
            if system > len(pool.systems):
                continue  # it came later
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
