"""Ranks: how many systems of a corpus are significantly above each, stored with their scores.

Simultaneous over all pairs at the level, by the measure that ranks the part. Systems that are hidden count
like others: what somebody looks at never moves a rank. Those with too few labels and withdrawn ones are left
out, and have none.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from django.db import connection

from annotations.models import Corpus
from evaluation.choices import Choices
from evaluation.models import Epoch, Estimate, Ranking, Submission
from evaluation.scores import Choice, ReadSide, ScoreRow, Side
from evaluation.task import Task
from evaluation.units import FloatArray, IntArray
from kbpo.core.database.bulk import array_literal, copy_rows, read_rows
from kbpo_estimators.intervals import Interval
from kbpo_estimators.pairs import Pairs, pairs
from kbpo_estimators.ranks import ranks, told_apart
from kbpo_estimators.share_scales import Scale

_UPDATE = """
UPDATE evaluation_score AS score SET rank = new.rank
FROM evaluation_score AS old
LEFT JOIN unnest(%s::bigint[], %s::text[], %s::text[], %s::text[], %s::text[], %s::int[], %s::int[])
    AS new (submission_id, estimator, weighting, part, standard, level, rank)
    USING (submission_id, estimator, weighting, part, standard, level)
WHERE score.id = old.id AND old.epoch_id = ANY(%s) AND old.rank IS DISTINCT FROM new.rank
"""

RANKED = (Submission.State.JUDGING, Submission.State.SCORED)


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A system, its epoch, and the measure that ranks it."""

    submission_id: int
    epoch_id: int
    figure: Interval


@dataclass(frozen=True, slots=True)
class _Epoch:
    """The systems of an epoch, by row id where each stands in it."""

    side: Side
    places: dict[int, int]


@dataclass(frozen=True, slots=True)
class Ranks:
    """The ranks of a corpus' systems.

    Attributes
    ----------
    ranks : dict
        By submission, choice and level.
    counts : dict
        By choice and level, how many are ranked, and how many pairs differ significantly.
    """

    ranks: dict[tuple[Any, ...], int]
    counts: dict[tuple[Any, ...], tuple[int, int]]


def find_ranks(*, corpus: Corpus, task: Task) -> Ranks:
    """Rank all systems of a corpus by their stored scores, for every choice and level."""
    ranker = Ranker.of(corpus, task)
    ranker.rank_stored()
    return ranker.found


@dataclass(frozen=True, eq=False)
class Ranker:
    """Ranks the systems of a corpus while scores of one of its epochs are made: these need not be stored yet.

    Attributes
    ----------
    corpus : Corpus
    task : Task
        Its.
    epochs : dict of int to Epoch
        The corpus', by row id.
    stored : dict of Choice to list of _Ranked
        What ranks the systems whose scores are stored; without those of the epoch that is scored.
    found : Ranks
        So far.
    """

    corpus: Corpus
    task: Task
    epochs: dict[int, Epoch]
    stored: dict[Choice, list[_Ranked]]
    found: Ranks
    _read: ReadSide

    @classmethod
    def of(cls, corpus: Corpus, task: Task, scored: Epoch | None = None) -> "Ranker":
        """Begin; `scored` is the epoch whose scores are just made."""
        epochs = {one.pk: one for one in corpus.epochs.select_related("document_sample")}
        stored = _read_figures(corpus, task.choices, scored)
        return cls(corpus, task, epochs, stored, Ranks({}, {}), task.sides())

    def rank(
        self,
        epoch: Epoch,
        submissions: Sequence[Submission],
        rows: Iterable[ScoreRow],
        comparisons: Iterable[tuple[Choice, bytes]],
    ) -> None:
        """Rank by some choices, by new scores of an epoch beside the stored ones of others.

        Parameters
        ----------
        epoch : Epoch
        submissions : sequence of Submission
            Its systems, in their order.
        rows : iterable of ScoreRow
            All of those choices.
        comparisons : iterable of (Choice, bytes)
        """
        choices, figures = self.task.choices, defaultdict(list)
        for row in rows:
            submission, part = submissions[row.system], choices.parts[row.choice.part]
            figure = row.measures[part.ranked_by]
            is_ranked = row.labels >= choices.ranked_from and submission.state in RANKED
            if row.level == choices.level and is_ranked and figure is not None:
                figures[row.choice].append(_Ranked(submission.pk, epoch.pk, figure))
        places = {submission.pk: place for place, submission in enumerate(submissions)}
        for choice, arrays in comparisons:
            others = self.stored.pop(choice, [])
            sides = _read_sides(self.epochs, self._read, choice) if others else {}
            sides[epoch.pk] = _Epoch(self._read(arrays, self.epochs[epoch.pk]), places)
            of_choice = [*others, *figures[choice]]
            self._rank(choice, sorted(of_choice, key=lambda one: one.submission_id), sides)

    def rank_stored(self) -> None:
        """Rank by the choices of which there are stored scores alone."""
        for choice in list(self.stored):
            figures = self.stored.pop(choice)
            self._rank(choice, figures, _read_sides(self.epochs, self._read, choice))

    def _rank(self, choice: Choice, figures: Sequence[_Ranked], sides: dict[int, _Epoch]) -> None:
        systems = [one for one in figures if one.epoch_id in sides]
        if not systems:
            return
        choices, found = self.task.choices, self.found
        blocks = _blocks(systems, sides, choices.parts[choice.part].ranked_by, choices)
        gaps = _whole(len(systems), blocks, lambda block: block.gaps, sign=-1)
        reach = partial(_reach, len(systems), blocks)
        for level in choices.levels:
            apart = told_apart(gaps, reach, level / 100)
            for one, rank in zip(systems, ranks(gaps, apart), strict=True):
                found.ranks[one.submission_id, *choice, level] = int(rank)
            found.counts[*choice, level] = len(systems), int(np.triu(apart).sum())


def store_ranks(ranker: Ranker, *, scored: Epoch) -> None:
    """Store how many systems are ranked, and the ranks of all epochs but one: its scores have theirs."""
    ranker.rank_stored()
    others = [pk for pk in ranker.epochs if pk != scored.pk]
    if others:
        rows = [(*key, rank) for key, rank in ranker.found.ranks.items()]
        columns: list[Any] = [list(one) for one in zip(*rows, strict=True)] or [[]] * (
            3 + len(Choice._fields)
        )
        for number in (0, -2, -1):
            columns[number] = array_literal(columns[number])
        with connection.cursor() as cursor:
            cursor.execute(_UPDATE, [*columns, others])
    Ranking.objects.filter(corpus=ranker.corpus).delete()
    copy_rows(
        Ranking,
        ("corpus_id", *Choice._fields, "level", "systems", "apart"),
        ((ranker.corpus.pk, *key, *counts) for key, counts in ranker.found.counts.items()),
    )


def _read_figures(
    corpus: Corpus, choices: Choices, scored: Epoch | None = None
) -> dict[Choice, list[_Ranked]]:
    """Read by choice what ranks the systems that have enough labels; what is not estimable is left out."""
    epochs = corpus.epochs.all() if scored is None else corpus.epochs.exclude(pk=scored.pk)
    estimates = Estimate.objects.filter(
        score__epoch__in=epochs,
        score__level=choices.level,
        score__labels__gte=choices.ranked_from,
        score__submission__state__in=RANKED,
        estimate__isnull=False,
    ).values_list(
        *(f"score__{name}" for name in Choice._fields),
        *("score__submission_id", "score__epoch_id", "measure", "estimate", "low", "high"),
    )
    found: dict[Choice, list[_Ranked]] = defaultdict(list)
    for estimator, weighting, part, standard, pk, epoch_id, measure, *figure in estimates.order_by(
        "score__submission_id"
    ):
        # what is stored may be of a part that is offered no more
        if part in choices.parts and measure == choices.parts[part].ranked_by:
            found[Choice(estimator, weighting, part, standard)].append(
                _Ranked(pk, epoch_id, Interval(*figure))
            )
    return found


def _read_sides(epochs: dict[int, Epoch], read: ReadSide, choice: Choice) -> dict[int, _Epoch]:
    rows = read_rows(
        "SELECT epoch_id, submissions, arrays FROM evaluation_comparison"
        " WHERE epoch_id = ANY(%s) AND estimator = %s AND weighting = %s AND part = %s AND standard = %s",
        [list(epochs), *choice],
    )
    return {
        epoch_id: _Epoch(read(arrays, epochs[epoch_id]), {pk: place for place, pk in enumerate(submissions)})
        for epoch_id, submissions, arrays in rows
    }


@dataclass(frozen=True, slots=True)
class _Block:
    """The pairs of two epochs' systems, or of one's, and where these stand among all."""

    pairs: Pairs
    first: IntArray
    second: IntArray


def _blocks(
    systems: Sequence[_Ranked], sides: dict[int, _Epoch], measure: str, choices: Choices
) -> list[_Block]:
    scale = Scale.of(measure, choices.scales, choices.less_is_better)
    members: dict[int, list[int]] = defaultdict(list)
    for position, one in enumerate(systems):
        members[one.epoch_id].append(position)
    blocks = []
    for first, second in combinations_with_replacement(members, 2):
        here, there = ([systems[position] for position in members[epoch]] for epoch in (first, second))
        places = [
            np.array([sides[epoch].places[one.submission_id] for one in own], dtype=np.int64)
            for epoch, own in ((first, here), (second, there))
        ]
        found = sides[first].side.differences(sides[second].side, measure).take(places[0], places[1])
        own, others = ([scale.share(one.figure) for one in systems_of] for systems_of in (here, there))
        prepared = pairs(scale.shares(found), own, others, choices.level / 100)
        blocks.append(_Block(prepared, np.array(members[first]), np.array(members[second])))
    return blocks


def _whole(
    size: int, blocks: Sequence[_Block], of: Callable[[Pairs], FloatArray], *, sign: int = 1
) -> FloatArray:
    """Put what blocks have into one float[m, m]; turned pairs have it with the sign."""
    whole = np.zeros((size, size))
    for block in blocks:
        found = of(block.pairs)
        whole[np.ix_(block.second, block.first)] = sign * found.T
        whole[np.ix_(block.first, block.second)] = found
    return whole


def _reach(size: int, blocks: Sequence[_Block], at: float) -> FloatArray:
    return _whole(size, blocks, lambda block: block.reach(at))
