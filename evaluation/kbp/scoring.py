"""The scores of a pool of knowledge bases: precision by the labels, recall by documents annotated in full."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from evaluation.design import columns
from evaluation.kbp import comparing, divisions, kept, matching
from evaluation.kbp.choices import CHOICES
from evaluation.kbp.pool_labels import read_audited, read_claims, read_labels, read_outside
from evaluation.kbp.recall import annotated
from evaluation.scores import Choice, Divided, Scored, ScoredPart, ScoreRow, SubsetRow
from evaluation.scoring.pool import resampling
from evaluation.task import Sample
from evaluation.units import Pool
from kbpo.core.database.coded import unpack_coded, unpack_names
from kbpo_estimators.comparison import comparables
from kbpo_estimators.pooled import UnitFeatures
from kbpo_estimators.scores import (
    CoordinatedSample,
    Estimates,
    SystemScore,
    coordinated_estimates,
    iid_estimates,
    pooled_models,
)
from kbpo_estimators.subsets import subset_scores


def score(pool: Pool, sample: Sample, features: UnitFeatures) -> Scored:
    """Estimate precision, recall and F1 of a pool's systems, for every part and weighting."""
    claims = read_claims(pool)
    labels = read_labels(pool, claims)
    exhaustive = annotated.read_exhaustive(pool.submissions, pool.epoch)
    documents = replace(exhaustive.documents, outside=read_outside(pool)) if exhaustive else None
    size = documents.true.size if documents else 0
    if isinstance(sample, CoordinatedSample):
        estimates = coordinated_estimates(
            pool.systems,
            labels,
            sample,
            documents,
            features=features,
            audited=read_audited(pool, sample.sampled, labels, claims),
        )
    else:
        estimates = iid_estimates(pool.systems, labels, sample, documents, resampling=resampling(pool))
    return Scored((_part(one, size) for one in estimates), matching.RULE)


def _part(estimates: Estimates, documents: int) -> ScoredPart:
    return ScoredPart(
        (_row(score, documents) for score in estimates.scores()),
        (
            (Choice(estimator, weighting, estimates.part, estimates.standard), comparing.pack(comparable))
            for estimator, weighting, comparable in comparables(estimates)
        ),
        estimates.part,
        estimates.model,
    )


def _row(score: SystemScore, documents: int) -> ScoreRow:
    counts: Mapping[str, int | None] = {"documents": documents, "true": score.true, "found": score.found}
    choice = Choice(score.estimator, score.weighting, score.part, score.standard)
    return ScoreRow(score.system, choice, score.level, score.measures, score.labels, counts)


def divide(pool: Pool, sample: Sample, features: UnitFeatures) -> Iterator[Divided]:
    """Divide the claims of a pool in each way of `divisions.SUBSETS`; score every system on every subset."""
    labels = read_labels(pool)
    models = None
    if isinstance(sample, CoordinatedSample):
        models = pooled_models(pool.systems, labels, sample, features)
    weighting = CHOICES.default_weighting(pool.epoch.corpus.design)
    exhaustive = annotated.read_exhaustive(pool.submissions, pool.epoch)
    relations = exhaustive.relations if exhaustive else None
    stored = list(columns.read([batch.pk for batch in pool.batches], (kept.PREDICATES, kept.NAMES)))
    divided = divisions.divisions(
        pool.epoch.corpus,
        [unpack_names(one[kept.PREDICATES]) for one in stored],
        [unpack_coded(one[kept.NAMES]) for one in stored],
        exhaustive.annotations.values() if exhaustive else [],
    )
    for name, division in divided:
        scores = subset_scores(
            pool.systems, labels, sample, relations, division, weighting=weighting, models=models
        )
        yield Divided(
            name,
            division.names,
            (
                SubsetRow(one.system, one.subset, one.part, one.measures, one.labels, one.true)
                for one in scores
            ),
        )
