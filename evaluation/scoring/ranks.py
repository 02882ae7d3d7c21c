"""Ranks: how many systems of a corpus are significantly above each, stored with their scores."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from django.db import connection

from annotations.models import Corpus
from evaluation.choices import Choices
from evaluation.estimators.intervals import Interval
from evaluation.estimators.pairs import Pairs, pairs
from evaluation.estimators.ranks import ranks, told_apart
from evaluation.models import Epoch, Estimate, Ranking, Submission
from evaluation.scores import Choice, ReadSide, Side
from evaluation.scoring.scales import Scale
from evaluation.task import Task
from evaluation.units import FloatArray, IntArray
from kbpo.core.database.bulk import array_literal, copy_rows, read_rows

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


def update_ranks(*, corpus: Corpus, task: Task) -> None:
    """Rank all systems of a corpus, for every choice and level, and store the ranks.

    By the measure that ranks the part, simultaneously over all pairs at the level. Systems that are hidden
    count like others: what somebody looks at never moves a rank. Those with too few labels and withdrawn
    ones are left out, and have none.
    """
    found = find_ranks(corpus=corpus, task=task)
    rows = [(*key, rank) for key, rank in found.ranks.items()]
    columns: list[Any] = [list(one) for one in zip(*rows, strict=True)] or [[]] * (3 + len(Choice._fields))
    for number in (0, -2, -1):
        columns[number] = array_literal(columns[number])
    with connection.cursor() as cursor:
        cursor.execute(_UPDATE, [*columns, list(corpus.epochs.values_list("pk", flat=True))])
    Ranking.objects.filter(corpus=corpus).delete()
    copy_rows(
        Ranking,
        ("corpus_id", *Choice._fields, "level", "systems", "apart"),
        ((corpus.pk, *key, *counts) for key, counts in found.counts.items()),
    )


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
    """Rank all systems of a corpus by their stored scores, as `update_ranks` says."""
    read, epochs = task.sides(), {one.pk: one for one in corpus.epochs.select_related("document_sample")}
    found = Ranks({}, {})
    for choice, figures in _read_figures(corpus, task.choices).items():
        sides = _read_sides(epochs, read, choice)
        systems = [one for one in figures if one.epoch_id in sides]
        if not systems:
            continue
        blocks = _blocks(systems, sides, task.choices.parts[choice.part].ranked_by, task.choices)
        gaps = _whole(len(systems), blocks, lambda block: block.gaps, sign=-1)
        reach = partial(_reach, len(systems), blocks)
        for level in task.choices.levels:
            apart = told_apart(gaps, reach, level / 100)
            for one, rank in zip(systems, ranks(gaps, apart), strict=True):
                found.ranks[one.submission_id, *choice, level] = int(rank)
            found.counts[*choice, level] = len(systems), int(np.triu(apart).sum())
    return found


def _read_figures(corpus: Corpus, choices: Choices) -> dict[Choice, list[_Ranked]]:
    """Read by choice what ranks the systems that have enough labels; what is not estimable is left out."""
    estimates = Estimate.objects.filter(
        score__epoch__corpus=corpus,
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
    scale = Scale.of(measure, choices)
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
