"""Tiers: which systems of a corpus the data cannot tell apart, stored with their scores."""

from dataclasses import dataclass

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from annotations.models import Corpus
from evaluation.annotated import read_sample
from evaluation.comparing import interval, unpack
from evaluation.estimators.comparison import Comparable, Measure, differences, excludes_zero, tiers
from evaluation.estimators.documents import DocumentSample
from evaluation.estimators.intervals import DEFAULT_LEVEL, Interval, difference_interval
from evaluation.models import Comparison, Score, Submission

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
    epoch: Comparable
    place: int
    name: str


def update_tiers(*, corpus: Corpus) -> None:
    """Compute the tiers of all systems of a corpus, for every part, weighting and estimator, and store them.

    By F1; for `linking`, which has none, by precision. The level is always 95%, and systems that are hidden
    count like others: what somebody looks at never moves a tier. Withdrawn ones are left out.
    """
    stored = Comparison.objects.filter(epoch__corpus=corpus)
    drawn = read_sample(corpus)
    sample = drawn.design if drawn else None
    choices = stored.order_by("part", "weighting", "estimator").distinct("part", "weighting", "estimator")
    Score.objects.filter(epoch__corpus=corpus, tier__isnull=False).exclude(
        submission__state__in=RANKED
    ).update(tier=None)
    for part, weighting, estimator in list(choices.values_list("part", "weighting", "estimator")):
        choice = {"part": part, "weighting": weighting, "estimator": estimator}
        measure: Measure = "precision" if part == Score.Part.LINKING else "f1"
        ranked = _read(corpus, measure, choice)
        found = _tiers(ranked, measure, sample)
        with connection.cursor() as cursor:
            ids = [one.submission_id for one in ranked]
            cursor.execute(_UPDATE, [ids, found, estimator, weighting, part])


def _read(corpus: Corpus, measure: Measure, choice: dict[str, str]) -> list[_Ranked]:
    epochs = {
        row.epoch_id: (unpack(row.arrays), {pk: place for place, pk in enumerate(row.submissions)})
        for row in Comparison.objects.filter(epoch__corpus=corpus, **choice)
    }
    scores = Score.objects.filter(
        epoch__corpus=corpus, level=round(100 * DEFAULT_LEVEL), submission__state__in=RANKED, **choice
    ).select_related("submission")
    found = []
    for score in scores:
        figure = interval(score, measure)
        if figure is not None and score.epoch_id in epochs:
            epoch, places = epochs[score.epoch_id]
            found.append(
                _Ranked(
                    score.submission_id, figure, epoch, places[score.submission_id], score.submission.name
                )
            )
    return sorted(found, key=lambda one: (one.name.casefold(), one.submission_id))


def _tiers(ranked: list[_Ranked], measure: Measure, sample: DocumentSample | None) -> list[int]:
    def tell_apart(first: int, others: NDArray[np.int64]) -> NDArray[np.bool_]:
        top = ranked[first]
        by_epoch = {
            id(epoch): differences(top.epoch, top.place, epoch, measure, sample)
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
