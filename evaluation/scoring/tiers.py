"""Tiers: which systems of a corpus the data cannot tell apart, stored with their scores."""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from annotations.models import Corpus
from evaluation.choices import Choices
from evaluation.estimators.intervals import DEFAULT_LEVEL, Interval, difference_interval
from evaluation.estimators.tiers import excludes_zero, tiers
from evaluation.models import Comparison, Epoch, Estimate, Score, Submission
from evaluation.scores import Choice, ReadSide, Side
from evaluation.task import Task
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
    read, of_corpus = task.sides(), list(corpus.epochs.select_related("document_sample"))
    choices = stored.order_by("part", "weighting", "estimator").distinct("part", "weighting", "estimator")
    Score.objects.filter(epoch__corpus=corpus, tier__isnull=False).exclude(
        submission__state__in=RANKED
    ).update(tier=None)
    figures = _read_figures(corpus, task.choices)
    for part, weighting, estimator in list(choices.values_list("part", "weighting", "estimator")):
        choice = Choice(estimator, weighting, part)
        epochs = _read_epochs(of_corpus, read, choice)
        ranked = [
            _Ranked(pk, figure, *epochs[epoch_id].place(pk), name)
            for pk, epoch_id, name, figure in figures[choice]
            if epoch_id in epochs
        ]
        found = _tiers(ranked, task.choices.parts[part].ranked_by)
        with connection.cursor() as cursor:
            ids = [one.submission_id for one in ranked]
            cursor.execute(_UPDATE, [ids, found, *choice])


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
            found[Choice(estimator, weighting, part)].append((pk, epoch_id, name, Interval(*figure)))
    for figures in found.values():
        figures.sort(key=lambda one: (one[2].casefold(), one[0]))
    return found


def _read_epochs(epochs: list[Epoch], read: ReadSide, choice: Choice) -> dict[int, _Epoch]:
    by_id = {epoch.pk: epoch for epoch in epochs}
    rows = read_rows(
        "SELECT epoch_id, submissions, arrays FROM evaluation_comparison"
        " WHERE epoch_id = ANY(%s) AND estimator = %s AND weighting = %s AND part = %s",
        [list(by_id), *choice],
    )
    return {
        epoch_id: _Epoch(read(arrays, by_id[epoch_id]), {pk: place for place, pk in enumerate(submissions)})
        for epoch_id, submissions, arrays in rows
    }


def _tiers(ranked: list[_Ranked], measure: str) -> list[int]:
    def tell_apart(first: int, others: NDArray[np.int64]) -> NDArray[np.bool_]:
        top = ranked[first]
        by_epoch = {
            id(epoch): top.epoch.differences(top.place, epoch, measure)
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
