"""What pooling does to those who were not pooled.

As in section 2 of the paper: a run's score with its own output in the pool, and without it (leave one system
out), or without any of its team's (leave one team out). Officially a fill is correct if somebody judged it in
the document that justifies it; by "anydoc", if it was judged correct in any document.

What decides the losses is how much only one team finds, and how often teams justify a fill by the same
document. Neither is published, so both are varied, and every world is shown: the paper's argument, that even
by anydoc a run loses more than sets it apart from the next, holds in some and not in others.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from evaluation.estimators.f1 import harmonic
from evaluation.experiments import figures
from evaluation.experiments.outcome import Compared, Options, Outcome
from evaluation.experiments.pool import FACTS, BoolArray, Pool, draw_pool
from evaluation.experiments.runs import TOP, FloatArray, IntArray

SCORES = ("official", "anydoc")
LEFT_OUT = ("system", "team")
MEASURES = ("precision", "recall", "F1")
PAPER: Mapping[tuple[str, str, str], float] = {
    ("official", "team", "precision"): 0.179,
    ("official", "team", "recall"): 0.170,
    ("official", "team", "F1"): 0.1551,
    ("anydoc", "team", "F1"): 0.0205,
}
PAPER_GAP = 0.015
"""The largest difference of F1 between two adjacent runs: smaller than what a run loses even by anydoc."""

COMMON_DOCUMENT = 0.67
"""How often a team justifies a fill with the document that others take too; else it has one of its own."""
DOCUMENT_OF_TEAM = 0.9
"""How often a run justifies a fill as the rest of its team does."""

FOUND_ALONE = (0.2, FACTS.alone, 0.6)
"""The share of the facts that one team alone can come upon, in the worlds that are shown."""
COMMON_DOCUMENTS = (0.5, COMMON_DOCUMENT, 0.85)
"""`COMMON_DOCUMENT` in the worlds that are shown."""

Losses = dict[tuple[str, str, str], float]


@dataclass(frozen=True, eq=False)
class Fills:
    """What runs said, line by line.

    Attributes
    ----------
    run, fill : int[L]
    statement : int[L]
        The pair of fill and document; equal numbers are equal pairs.
    """

    run: IntArray
    fill: IntArray
    statement: IntArray


@dataclass(frozen=True, eq=False)
class World:
    """One pool, and what leaving out costs in it.

    Attributes
    ----------
    pooled : float[TOP, 3]
        Macro precision, recall and F1 of the best runs, all of them in the pool.
    unpooled : mapping of (score, left out) to float[TOP, 3]
    """

    pooled: FloatArray
    unpooled: Mapping[tuple[str, str], FloatArray]

    @property
    def losses(self) -> Losses:
        """Return the median losses, by score, who is left out, and measure."""
        return {
            (*key, measure): float(np.median((self.pooled - values)[:, column]))
            for key, values in self.unpooled.items()
            for column, measure in enumerate(MEASURES)
        }

    @property
    def gap(self) -> float:
        """Return the largest difference of F1 between two adjacent runs."""
        return float(self._gaps.max())

    @property
    def usual_gap(self) -> float:
        """Return the median of these differences."""
        return float(np.median(self._gaps))

    @property
    def ranks_lost(self) -> float:
        """Return how many of the best runs overtake one, by F1 in the median, whose team nobody judged."""
        pooled, alone = self.pooled[:, 2], self.unpooled["anydoc", "team"][:, 2]
        overtaken = (pooled[None, :] < pooled[:, None]) & (pooled[None, :] > alone[:, None])
        return float(np.median(overtaken.sum(axis=1)))

    @property
    def _gaps(self) -> FloatArray:
        return np.asarray(-np.diff(np.sort(self.pooled[:, 2])[::-1]))


def run(options: Options) -> Outcome:
    """Leave every system, and every team, out of the pool in turn: in one world, then in several others."""
    world = play(options, FACTS.alone, COMMON_DOCUMENT)
    worlds = {
        (alone, common): play(options, alone, common)
        for alone, common in options.track(
            "world", product(FOUND_ALONE, COMMON_DOCUMENTS), len(FOUND_ALONE) * len(COMMON_DOCUMENTS)
        )
    }
    return Outcome(
        title="Pooling bias",
        says="How much of macro precision, recall and F1 a run loses when nobody judged what it, or its team,"
        " alone had found: the median over the best 40 runs.",
        compared=[
            *(
                Compared(
                    f"{score}, leave one {left} out: median loss of macro {measure}",
                    f"{PAPER[score, left, measure]:.4g}" if (score, left, measure) in PAPER else "",
                    loss,
                )
                for (score, left, measure), loss in world.losses.items()
            ),
            Compared("largest difference of F1 between adjacent runs", f"{PAPER_GAP}", world.gap),
            Compared("median difference of F1 between adjacent runs", "", world.usual_gap),
            Compared("anydoc, leave one team out: median of the ranks lost", "", world.ranks_lost),
            *_of_worlds(worlds),
        ],
        numbers={
            "pooled": world.pooled[:, 2].tolist(),
            "unpooled": {
                f"{score}, {left}": values[:, 2].tolist() for (score, left), values in world.unpooled.items()
            },
            "worlds": [
                {
                    "facts that one team alone finds": alone,
                    "fills justified alike": common,
                    "largest gap of F1": one.gap,
                    "median gap of F1": one.usual_gap,
                    "ranks lost by anydoc": one.ranks_lost,
                    **{", ".join(key): loss for key, loss in one.losses.items()},
                }
                for (alone, common), one in worlds.items()
            ],
        },
        draw=_draw_figure(
            world.pooled[:, 2], {score: world.unpooled[score, "team"][:, 2] for score in SCORES}
        ),
    )


def play(options: Options, found_alone: float, common_document: float) -> World:
    """Draw a world and leave everybody out of its pool in turn.

    Parameters
    ----------
    options : Options
    found_alone : float
        The share of the facts that one team alone can come upon.
    common_document : float
        How often a team justifies a fill with the document that others take too.

    Returns
    -------
    World
    """
    taste = replace(FACTS, alone=found_alone)
    pool = draw_pool(options.some_runs(), options.rng(1), taste_for_facts=taste)
    fills = justify(pool, options.rng(3), common_document)
    top = pool.runs.top(TOP)
    return World(
        macro_scores(pool, fills, pool.correct[fills.fill], pool.correct)[top],
        {(score, left): leave_out(pool, fills, score, left)[top] for score in SCORES for left in LEFT_OUT},
    )


def _of_worlds(worlds: Mapping[tuple[float, float], World]) -> list[Compared]:
    """Return what the worlds have between them, and in how many the paper's argument holds."""
    losses = [one.losses["anydoc", "team", "F1"] for one in worlds.values()]
    gaps = [one.gap for one in worlds.values()]
    holds = sum(loss > gap for loss, gap in zip(losses, gaps, strict=True))
    what = f"in {len(worlds)} worlds: "
    return [
        Compared(f"{what}least loss of F1 by anydoc, leave one team out", "", min(losses)),
        Compared(f"{what}largest loss of F1 by anydoc, leave one team out", "", max(losses)),
        Compared(f"{what}least of the largest differences between adjacent runs", "", min(gaps)),
        Compared(f"{what}largest of them", "", max(gaps)),
        Compared(f"{what}share in which that loss is more than that difference", "1", holds / len(worlds)),
        Compared(f"{what}least of the ranks lost", "", min(one.ranks_lost for one in worlds.values())),
        Compared(f"{what}most of them", "", max(one.ranks_lost for one in worlds.values())),
    ]


def justify(pool: Pool, rng: np.random.Generator, common_document: float = COMMON_DOCUMENT) -> Fills:
    """Draw the document that each run gives for each of its fills.

    Parameters
    ----------
    pool : Pool
        Its instances are the fills.
    rng : numpy.random.Generator
    common_document : float
        How often a team justifies a fill with the document that others take too.

    Returns
    -------
    Fills
    """
    runs = np.repeat(np.arange(pool.members.shape[0]), np.diff(pool.members.indptr))
    fill = np.asarray(pool.members.indices, dtype=np.int64)
    teams = pool.runs.teams
    common = rng.random((int(teams.max()) + 1, pool.size)) < common_document
    document = np.where(common[teams[runs], fill], 0, 1 + teams[runs])
    alone = rng.random(fill.size) >= DOCUMENT_OF_TEAM
    document[alone] = 1 + teams.max() + 1 + runs[alone]
    statement = fill * (int(document.max()) + 1) + document
    return Fills(runs, fill, np.unique(statement, return_inverse=True)[1])


def leave_out(pool: Pool, fills: Fills, score: str, left: str) -> FloatArray:
    """Return each run's macro scores when it, or its team, is not in the pool.

    Parameters
    ----------
    pool : Pool
    fills : Fills
    score : {"official", "anydoc"}
    left : {"system", "team"}

    Returns
    -------
    float[m, 3]
        As `macro_scores` returns them.
    """
    group = pool.runs.teams if left == "team" else np.arange(pool.runs.teams.size)
    said = fills.statement if score == "official" else fills.fill
    by_group = np.zeros((int(group.max()) + 1, int(said.max()) + 1), dtype=bool)
    by_group[group[fills.run], said] = True
    has_fill = np.zeros((by_group.shape[0], pool.size), dtype=bool)
    has_fill[group[fills.run], fills.fill] = True
    judged_statements, judged_fills = by_group.sum(axis=0), has_fill.sum(axis=0)
    scores = np.empty((group.size, len(MEASURES)))
    for one in np.unique(group):
        members = group == one
        judged = (judged_statements - by_group[one] > 0)[said] & pool.correct[fills.fill]
        known = (judged_fills - has_fill[one] > 0) & pool.correct
        scores[members] = macro_scores(pool, fills, judged, known)[members]
    return scores


def macro_scores(pool: Pool, fills: Fills, judged_correct: BoolArray, known: BoolArray) -> FloatArray:
    """Return precision and recall, each the mean over subject entities, and their F1.

    Parameters
    ----------
    pool : Pool
    fills : Fills
    judged_correct : bool[L]
        Which lines count as correct.
    known : bool[N]
        Which fills the pool knows to be correct: those that recall is about.

    Returns
    -------
    float[m, 3]
    """
    shape = (pool.runs.teams.size, int(pool.subjects.max()) + 1)
    subject = pool.subjects[fills.fill]
    cell = fills.run * shape[1] + subject

    def counted(lines: BoolArray | None = None) -> FloatArray:
        weights = None if lines is None else lines.astype(float)
        return np.bincount(cell, weights, minlength=shape[0] * shape[1]).reshape(shape).astype(float)

    answered, right = counted(), counted(judged_correct)
    true = np.bincount(pool.subjects[known], minlength=shape[1])
    precision = np.divide(right, answered, out=np.zeros(shape), where=answered > 0).sum(axis=1)
    precision /= (answered > 0).sum(axis=1)
    recall = (np.minimum(right, true)[:, true > 0] / true[true > 0]).mean(axis=1)
    f1 = [harmonic(float(p), float(r)) for p, r in zip(precision, recall, strict=True)]
    return np.column_stack([precision, recall, f1])


def _draw_figure(pooled: FloatArray, unpooled: dict[str, FloatArray]) -> Callable[[Figure], None]:
    def draw(figure: Figure) -> None:
        figure.set_size_inches(figures.WIDTH, 3.2)
        axes = figure.subplots()
        order = np.argsort(-pooled)
        place = np.arange(1, order.size + 1)
        marks: dict[str, Any] = {"official": figures.MARKS["pooled"], "anydoc": figures.MARKS["joint"]}
        axes.plot(place, pooled[order], **figures.MARKS["coordinated"], label="in the pool")
        for score, values in unpooled.items():
            axes.plot(place, values[order], **marks[score], label=f"team left out, {score}")
            axes.vlines(place, values[order], pooled[order], color=marks[score]["color"], alpha=0.3)
        axes.set_xlabel("the best 40 runs")
        axes.set_ylabel("macro-F1")
        axes.set_ylim(bottom=0)
        axes.legend()

    return draw
