"""What pooling does to those who were not pooled.

As in section 2 of the paper: a run's score with its own output in the pool, and without it (leave one system
out), or without any of its team's (leave one team out). Officially a fill is correct if somebody judged it in
the document that justifies it; by "anydoc", if it was judged correct in any document.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from evaluation.estimators.f1 import harmonic
from evaluation.experiments import figures
from evaluation.experiments.outcome import Compared, Options, Outcome
from evaluation.experiments.pool import BoolArray, Pool, draw_pool
from evaluation.experiments.runs import TOP, FloatArray, IntArray

SCORES = ("official", "anydoc")
LEFT_OUT = ("system", "team")
PAPER = {("official", "team"): 0.1551, ("anydoc", "team"): 0.0205}

COMMON_DOCUMENT = 0.67
"""How often a team justifies a fill with the document that others take too; else it has one of its own."""
DOCUMENT_OF_TEAM = 0.9
"""How often a run justifies a fill as the rest of its team does."""


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


def run(options: Options) -> Outcome:
    """Leave every system, and every team, out of the pool in turn."""
    pool = draw_pool(options.some_runs(), options.rng(1))
    fills = justify(pool, options.rng(3))
    top = pool.runs.top(TOP)
    pooled = macro_f1(pool, fills, pool.correct[fills.fill], pool.correct)
    unpooled = {(score, left): leave_out(pool, fills, score, left) for score in SCORES for left in LEFT_OUT}
    bias = {key: float(np.median((pooled - values)[top])) for key, values in unpooled.items()}
    adjacent = -np.diff(np.sort(pooled[top])[::-1])
    return Outcome(
        title="Pooling bias",
        says="How much macro-F1 a run loses when nobody judged what it, or its team, alone had found: the"
        " median over the best 40 runs.",
        compared=[
            *(
                Compared(
                    f"{score}, leave one {left} out: median loss of macro-F1",
                    f"{PAPER[score, left]:.4f}" if (score, left) in PAPER else "",
                    loss,
                )
                for (score, left), loss in bias.items()
            ),
            Compared("largest difference of two adjacent runs among the best 40", "", float(adjacent.max())),
        ],
        numbers={
            "pooled": pooled[top].tolist(),
            "unpooled": {f"{score}, {left}": unpooled[score, left][top].tolist() for score, left in unpooled},
        },
        draw=_draw_figure(pooled[top], {score: unpooled[score, "team"][top] for score in SCORES}),
    )


def justify(pool: Pool, rng: np.random.Generator) -> Fills:
    """Draw the document that each run gives for each of its fills.

    Parameters
    ----------
    pool : Pool
        Its instances are the fills.
    rng : numpy.random.Generator

    Returns
    -------
    Fills
    """
    runs = np.repeat(np.arange(pool.members.shape[0]), np.diff(pool.members.indptr))
    fill = np.asarray(pool.members.indices, dtype=np.int64)
    teams = pool.runs.teams
    common = rng.random((int(teams.max()) + 1, pool.size)) < COMMON_DOCUMENT
    document = np.where(common[teams[runs], fill], 0, 1 + teams[runs])
    alone = rng.random(fill.size) >= DOCUMENT_OF_TEAM
    document[alone] = 1 + teams.max() + 1 + runs[alone]
    statement = fill * (int(document.max()) + 1) + document
    return Fills(runs, fill, np.unique(statement, return_inverse=True)[1])


def leave_out(pool: Pool, fills: Fills, score: str, left: str) -> FloatArray:
    """Return each run's macro-F1 when it, or its team, is not in the pool.

    Parameters
    ----------
    pool : Pool
    fills : Fills
    score : {"official", "anydoc"}
    left : {"system", "team"}

    Returns
    -------
    float[m]
    """
    group = pool.runs.teams if left == "team" else np.arange(pool.runs.teams.size)
    said = fills.statement if score == "official" else fills.fill
    by_group = np.zeros((int(group.max()) + 1, int(said.max()) + 1), dtype=bool)
    by_group[group[fills.run], said] = True
    has_fill = np.zeros((by_group.shape[0], pool.size), dtype=bool)
    has_fill[group[fills.run], fills.fill] = True
    judged_statements, judged_fills = by_group.sum(axis=0), has_fill.sum(axis=0)
    scores = np.empty(group.size)
    for one in np.unique(group):
        members = group == one
        judged = (judged_statements - by_group[one] > 0)[said] & pool.correct[fills.fill]
        known = (judged_fills - has_fill[one] > 0) & pool.correct
        scores[members] = macro_f1(pool, fills, judged, known)[members]
    return scores


def macro_f1(pool: Pool, fills: Fills, judged_correct: BoolArray, known: BoolArray) -> FloatArray:
    """Return the F1 of precision and recall, each the mean over subject entities.

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
    float[m]
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
    return np.array([harmonic(float(p), float(r)) for p, r in zip(precision, recall, strict=True)])


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
