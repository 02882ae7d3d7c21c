"""What metrics are worth in an epoch: computed with the scores, and stored.

How a metric goes with judgements is another thing that these say of a sample, and a team may submit fifty
columns: who saw ρ of each would soon know which outputs are judged, and how. So what rests on judgements
that are sealed is shown once they are published, when its epoch is released; what rests on published ones
alone, as of outputs that were judged before, at once.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

import numpy as np

from evaluation.generation.given import PoolGiven, read_given
from evaluation.generation.house import HOUSE
from evaluation.generation.judgements import read_judgements
from evaluation.generation.metrics import freezing, stored
from evaluation.models import JudgedVariance, MetricColumn, MetricWorth
from evaluation.task import Sample
from evaluation.units import BoolArray, FloatArray, Pool
from kbpo.core.database.bulk import read_rows
from kbpo_estimators.generation import Scores
from kbpo_estimators.scores import CoordinatedSample

_ANY = 0.5
"""π of units that are left out: it enters nothing, but 1 would say that they are judged."""
_Columns = Mapping[str, FloatArray]


@dataclass(frozen=True, eq=False)
class _Metrics:
    """The metrics of a system, or of all units.

    Attributes
    ----------
    columns : mapping of str to float[N]
    house : mapping of str to float[N]
        By measure.
    """

    columns: _Columns
    house: _Columns


def store(pool: Pool, sample: Sample) -> None:
    """Compute what metrics are worth in a pool, and store it in place of what was."""
    assert isinstance(sample, CoordinatedSample), "its corpora have no other design"
    given = read_given(pool)
    published, learnt = _published(pool)
    metrics = _read_metrics(pool, given)
    everything = not (sample.sampled & ~published).any()
    kinds: list[tuple[bool, FloatArray, BoolArray]] = [(everything, sample.pi, sample.sampled)]
    if not everything:
        shown = sample.sampled & published
        kinds.append((True, np.where(shown, 1.0, _ANY), shown))
    JudgedVariance.objects.filter(epoch=pool.epoch).delete()
    judgements = read_judgements(pool, given.measures)
    for is_published, pi, sampled in kinds:
        scores = Scores(given.systems, judgements, pi, sampled, given.folds)
        # Of what it has learnt from the house metric would know too much.
        fresh = Scores(given.systems, judgements, np.where(learnt, _ANY, pi), sampled & ~learnt, given.folds)
        _store(pool, metrics, given.measures, scores, fresh, is_published=is_published)


def _published(pool: Pool) -> tuple[BoolArray, BoolArray]:
    """Say which units' judgements are published, and which were before the epoch opened."""
    rows = read_rows(
        "SELECT sampled.unit_id, question.published_at <= epoch.opened_at"
        " FROM evaluation_sampledunit AS sampled"
        " JOIN evaluation_samplebatch AS batch ON batch.id = sampled.batch_id"
        " JOIN evaluation_epoch AS epoch ON epoch.id = sampled.epoch_id"
        " JOIN annotations_question AS question ON question.id = sampled.question_id"
        " WHERE sampled.epoch_id = %s AND batch.number <= %s AND question.published_at IS NOT NULL",
        [pool.epoch.pk, len(pool.batches)],
    )
    found = np.zeros((2, pool.size), dtype=np.bool_)
    places = pool.positions(np.array([unit for unit, _ in rows], dtype=np.int64))
    found[0, places] = True
    found[1, places] = [before for _, before in rows]
    return found[0], found[1]


def _read_metrics(pool: Pool, given: PoolGiven) -> Mapping[int | None, _Metrics]:
    """Return the metrics of each system, in the order of its units; under None those that all have."""
    rows = MetricColumn.objects.filter(submission__in=pool.submissions).order_by("is_uploaded", "pk")
    names = list(dict.fromkeys(rows.values_list("name", flat=True)))
    read = zip(
        stored.read(pool.submissions, names),
        freezing.read(pool.epoch, pool.submissions),
        given.places,
        strict=True,
    )
    found: dict[int | None, _Metrics] = {
        number: _Metrics(
            {name: columns[name][place] for name in names if name in columns},
            {measure: column[place] for measure, column in house.items()},
        )
        for number, (columns, house, place) in enumerate(read)
    }
    found[None] = _Metrics(
        _of_units(pool, given, [one.columns for one in found.values()]),
        _of_units(pool, given, [one.house for one in found.values()]),
    )
    return found


def _of_units(pool: Pool, given: PoolGiven, columns: list[_Columns]) -> dict[str, FloatArray]:
    """Return the columns that all systems have, by unit, for those units that some system has."""
    used = np.zeros(pool.size, dtype=np.bool_)
    for one in given.systems:
        used[one.units] = True
    found = {}
    for name in (name for name in columns[0] if all(name in one for one in columns)):
        whole = np.zeros(pool.size)
        for system, own in zip(given.systems, columns, strict=True):
            whole[system.units] = own[name]
        found[name] = whole[used]
    return found


def _store(
    pool: Pool,
    metrics: Mapping[int | None, _Metrics],
    measures: Iterable[str],
    scores: Scores,
    fresh: Scores,
    *,
    is_published: bool,
) -> None:
    for measure in measures:
        for system, own in metrics.items():
            judged, variances = scores.judged(system, measure), scores.variances(system, measure)
            if judged is None or variances is None:
                continue
            is_known = math.isfinite(variances.sigma2_a)
            row = JudgedVariance.objects.create(
                epoch=pool.epoch,
                submission=None if system is None else pool.submissions[system],
                is_published=is_published,
                measure=measure,
                mean=judged.mean,
                variance_outputs=variances.sigma2_f if is_known else None,
                variance_judgements=variances.sigma2_a if is_known else None,
                outputs=judged.means.size,
                judgements=int(judged.counts.sum()),
            )
            house = {HOUSE: own.house[measure]} if measure in own.house else {}
            worths = chain(_worths(row, scores, system, own.columns), _worths(row, fresh, system, house))
            MetricWorth.objects.bulk_create(worths)


def _worths(
    row: JudgedVariance, scores: Scores, system: int | None, columns: _Columns
) -> Iterator[MetricWorth]:
    if not columns:
        return
    found = scores.worth(system, row.measure, np.array(list(columns.values())))
    if found is None:
        return
    for number, (name, column) in enumerate(columns.items()):
        figures = {
            field: _finite(getattr(found, field)[number])
            for field in ("rho", "rho_low", "rho_high", "efficiency", "efficiency_low", "efficiency_high")
        }
        yield MetricWorth(judged=row, metric=name, mean=float(column.mean()), **figures)


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
