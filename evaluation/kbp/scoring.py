"""The scores of a pool of knowledge bases: precision by the labels, recall by documents annotated in full."""

from collections.abc import Iterator
from dataclasses import replace

from annotations import names
from evaluation.design import columns
from evaluation.estimators.scores import (
    CoordinatedSample,
    coordinated_estimates,
    iid_estimates,
    noise_adjusted_scores,
)
from evaluation.estimators.subsets import Division, SubsetScore, subset_scores
from evaluation.kbp import divisions, kept, matching, weighting
from evaluation.kbp.pool_labels import read_labels, read_outside
from evaluation.kbp.recall import annotated
from evaluation.models import Epoch
from evaluation.task import Sample, Scored
from evaluation.units import Pool
from kbpo.core.database.coded import unpack_names


def score(pool: Pool, sample: Sample) -> Scored:
    """Estimate precision, recall and F1 of a pool's systems, for every part and weighting."""
    labels = read_labels(pool)
    exhaustive = annotated.read_exhaustive(pool.submissions, pool.epoch)
    documents = replace(exhaustive.documents, outside=read_outside(pool)) if exhaustive else None
    size = documents.true.size if documents else 0
    if not isinstance(sample, CoordinatedSample):
        estimates = iid_estimates(pool.systems, labels, sample, documents, weighting=weighting.DEFAULT)
        return Scored(estimates, (), size, matching.RULE)
    corrected = read_labels(pool, "corrected")
    return Scored(
        coordinated_estimates(pool.systems, labels, sample, documents),
        noise_adjusted_scores(pool.systems, corrected, sample, documents),
        size,
        matching.RULE,
    )


def count_names(epoch: Epoch) -> None:
    """Count in how many documents each subject's name occurs: read from there by the division of claims."""
    claimed = columns.read(list(epoch.batches.values_list("pk", flat=True)), [kept.NAMES])
    names.count_documents(
        epoch.corpus, {name for one in claimed for name in unpack_names(one[kept.NAMES]).values}
    )


def divide(pool: Pool, sample: Sample) -> Iterator[tuple[str, Division, Iterator[SubsetScore]]]:
    """Divide the claims of a pool, and score every system on every subset.

    Yields
    ------
    str
        A key of `divisions.SUBSETS`.
    Division
    iterator of SubsetScore
    """
    labels = read_labels(pool)
    exhaustive = annotated.read_exhaustive(pool.submissions, pool.epoch)
    relations = exhaustive.relations if exhaustive else None
    stored = list(columns.read([batch.pk for batch in pool.batches], (kept.PREDICATES, kept.NAMES)))
    divided = divisions.divisions(
        pool.epoch.corpus,
        [unpack_names(one[kept.PREDICATES]) for one in stored],
        [unpack_names(one[kept.NAMES]) for one in stored],
        exhaustive.annotations.values() if exhaustive else [],
    )
    for name, division in divided:
        yield (
            name,
            division,
            subset_scores(pool.systems, labels, sample, relations, division, weighting=weighting.DEFAULT),
        )
