"""Tiers: which systems of a corpus the data cannot tell apart, stored with their scores."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from annotations.models import Corpus
from evaluation.choices import Choices
from evaluation.estimators.comparison import excludes_zero, tiers
from evaluation.estimators.intervals import DEFAULT_LEVEL, Interval, difference_interval
from evaluation.models import Comparison, Estimate, Score, Submission
from evaluation.scoring.comparing import Side, side_differences, unpack
from evaluation.task import Task
from evaluation.units import AnnotatedDocuments
from kbpo.core.database.bulk import read_rows

_UPDATE = """
UPDATE evaluation_score AS score SET tier = new.tier
FROM unnest(%s::bigint[], %s::int[]) AS new (submission_id, tier)
WHERE score.submission_id = new.submission_id
AND score.estimator = %s AND score.weighting = %s AND score.part = %s
"""

RANKED = (Submission.State.JUDGING, Submission.State.SCORED)


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A system with what ranks it, its place in its epoch's arrays, and its name for ties."""

    submission_id: int
    figure: Interval
    epoch: Side
    place: int
    name: str


def update_tiers(*, corpus: Corpus, task: Task) -> None:
    """Compute the tiers of all systems of a corpus, for every part, weighting and estimator, and store them.

    By the measure that ranks the part, always at the default level. Systems that are hidden count like
    others: what somebody looks at never moves a tier. Withdrawn ones are left out.
    """
    stored = Comparison.objects.filter(epoch__corpus=corpus)
    samples = {sample.pk: task.read_documents(sample) for sample in corpus.document_samples.all()}
    choices = stored.order_by("part", "weighting", "estimator").distinct("part", "weighting", "estimator")
    Score.objects.filter(epoch__corpus=corpus, tier__isnull=False).exclude(
        submission__state__in=RANKED
    ).update(tier=None)
    figures = _read_figures(corpus, task.choices)
    for part, weighting, estimator in list(choices.values_list("part", "weighting", "estimator")):
        epochs = _read_epochs(corpus, samples, part, weighting, estimator)
        ranked = [
            _Ranked(pk, figure, *epochs[epoch_id].place(pk), name)
            for pk, epoch_id, name, figure in figures[part, weighting, estimator]
            if epoch_id in epochs
        ]
        found = _tiers(ranked, task.choices.parts[part].ranked_by)
        with connection.cursor() as cursor:
            ids = [one.submission_id for one in ranked]
            cursor.execute(_UPDATE, [ids, found, estimator, weighting, part])


Choice = tuple[str, str, str]
Figure = tuple[int, int, str, Interval]
"""The submission and its epoch, by row id, its name, and what ranks it."""


@dataclass(frozen=True, slots=True)
class _Epoch:
    side: Side
    places: dict[int, int]

    def place(self, submission_id: int) -> tuple[Side, int]:
        return self.side, self.places[submission_id]


def _read_figures(corpus: Corpus, choices: Choices) -> dict[Choice, list[Figure]]:
    """Read by choice what ranks systems, in the order of their names; what is not estimable is left out."""
    estimates = Estimate.objects.filter(
        score__epoch__corpus=corpus,
        score__level=choices.level,
        score__submission__state__in=RANKED,
        estimate__isnull=False,
    ).values_list(
        *("score__part", "score__weighting", "score__estimator"),
        *("score__submission_id", "score__epoch_id", "score__submission__name"),
        *("measure", "estimate", "low", "high"),
    )
    found: dict[Choice, list[Figure]] = defaultdict(list)
    for part, weighting, estimator, pk, epoch_id, name, measure, *figure in estimates:
        if measure == choices.parts[part].ranked_by:
            found[part, weighting, estimator].append((pk, epoch_id, name, Interval(*figure)))
    for figures in found.values():
        figures.sort(key=lambda one: (one[2].casefold(), one[0]))
    return found


def _read_epochs(
    corpus: Corpus,
    samples: Mapping[int, AnnotatedDocuments | None],
    part: str,
    weighting: str,
    estimator: str,
) -> dict[int, _Epoch]:
    rows = read_rows(
        "SELECT epoch.id, epoch.document_sample_id, comparison.submissions, comparison.arrays"
        " FROM evaluation_comparison AS comparison"
        " JOIN evaluation_epoch AS epoch ON epoch.id = comparison.epoch_id"
        " WHERE epoch.corpus_id = %s AND part = %s AND weighting = %s AND estimator = %s",
        [corpus.pk, part, weighting, estimator],
    )
    return {
        epoch_id: _Epoch(
            Side(unpack(arrays), sample_id, samples.get(sample_id)),
            {pk: place for place, pk in enumerate(submissions)},
        )
        for epoch_id, sample_id, submissions, arrays in rows
    }


def _tiers(ranked: list[_Ranked], measure: str) -> list[int]:
    def tell_apart(first: int, others: NDArray[np.int64]) -> NDArray[np.bool_]:
        top = ranked[first]
        by_epoch = {
            id(epoch): side_differences(top.epoch, top.place, epoch, measure)
            for epoch in {id(ranked[other].epoch): ranked[other].epoch for other in others}.values()
        }
        apart = []
        for other in others:
            one = ranked[other]
            difference = by_epoch[id(one.epoch)][one.place]
            # None: an epoch's scores are of fewer documents, and about to be made again.
            apart.append(
                difference is not None
                and excludes_zero(difference_interval(difference, top.figure, one.figure, DEFAULT_LEVEL))
            )
        return np.array(apart, dtype=np.bool_)

    return tiers([one.figure.estimate for one in ranked], tell_apart)
