"""What pooling does to those who were not pooled.

As in section 2 of the paper: a run's score with its own output in the pool, and without it (leave one system
out), or without any of its team's (leave one team out). Officially a fill is correct if somebody judged it in
the document that justifies it; by "anydoc", if it was judged correct in any document.

The paper's argument is that even by anydoc a run loses more than sets it apart from the next. That depends on
how much only one team finds, how often teams justify a fill by the same document, how close runs lie, and
whether what few find is about entities of which little is said. None of it is published, so all are varied,
over several draws of runs, and every world is shown.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy.special import ndtri

from research.experiments import figures
from research.experiments.outcome import Compared, Options, Outcome
from research.experiments.pool import FACTS, BoolArray, Pool, draw_pool
from research.experiments.runs import TOP, FloatArray, IntArray, Runs, draw_runs

SCORES = ("official", "anydoc")
LEFT_OUT = ("system", "team")
MEASURES = ("precision", "recall", "F1")
PAPER: Mapping[tuple[str, str, str], float] = {
    ("official", "team", "precision"): 0.179,
    ("official", "team", "recall"): 0.170,
    ("official", "team", "F1"): 0.1551,
    ("anydoc", "team", "precision"): 0.0234,
    ("anydoc", "team", "recall"): 0.0193,
    ("anydoc", "team", "F1"): 0.0205,
}
PAPER_GAP, PAPER_USUAL_GAP = 0.015, 0.003
"""The largest and the median difference of F1 between two adjacent runs, of the best 40."""

COMMON_DOCUMENT = 0.67
"""How often a team justifies a fill with the document that others take too; else it has one of its own."""
DOCUMENT_OF_TEAM = 0.9
"""How often a run justifies a fill as the rest of its team does."""

FOUND_ALONE = (0.2, FACTS.alone, 0.6)
"""The share of the facts that one team alone can come upon, in the worlds that are shown."""
COMMON_DOCUMENTS = (0.5, COMMON_DOCUMENT, 0.85)
"""`COMMON_DOCUMENT` in the worlds that are shown."""
DRAWS = 6
"""Draws of runs and pools."""
SPACINGS = {False: "as drawn", True: "evenly spaced"}
"""How the best runs lie in F1. Evenly spaced is as close as they can lie between the first and the last."""
OBSCURE = (0.0, 0.5)
"""How much what few teams find is about entities of which little is said: a correlation of ranks."""

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


@dataclass(frozen=True)
class Setting:
    """What a world is made by.

    Attributes
    ----------
    alone : float
        The share of the facts that one team alone can come upon.
    common : float
        How often a team justifies a fill with the document that others take too.
    evenly : bool
        Whether the best runs are moved to equal distances in F1.
    obscure : float
        One of `OBSCURE`.
    draw : int
        Another draw of runs and pool; runs that were given stay, and their pool is drawn anew.
    """

    alone: float = FACTS.alone
    common: float = COMMON_DOCUMENT
    evenly: bool = False
    obscure: float = 0.0
    draw: int = 0


def settings(draws: int, found_alone: Sequence[float] = FOUND_ALONE) -> list[Setting]:
    """Return the worlds that are shown; documents in common, which anydoc does not see, vary in one draw."""
    varied = [
        Setting(alone, COMMON_DOCUMENT, evenly, obscure, draw)
        for draw, evenly, obscure, alone in product(range(draws), SPACINGS, OBSCURE, found_alone)
    ]
    return varied + [
        Setting(alone, common)
        for alone, common in product(found_alone, COMMON_DOCUMENTS)
        if common != COMMON_DOCUMENT
    ]


def run(options: Options) -> Outcome:
    """Leave every system, and every team, out of the pool in turn: in one world, then in several others."""
    shown = settings(options.count(DRAWS, 1), (FACTS.alone,) if options.quick else FOUND_ALONE)
    worlds = {setting: play(options, setting) for setting in options.track("world", shown, len(shown))}
    world = worlds[Setting()]
    return Outcome(
        title="Pooling bias",
        says="How much of macro precision, recall and F1 a run loses when nobody judged what it, or its team,"
        f" alone had found: the median over the best 40 runs. {_verdict(worlds)}",
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
            Compared("median difference of F1 between adjacent runs", f"{PAPER_USUAL_GAP}", world.usual_gap),
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
                    "draw of runs": setting.draw,
                    "runs": SPACINGS[setting.evenly],
                    "facts that one team alone finds": setting.alone,
                    "fills justified alike": setting.common,
                    "obscure facts of obscure entities": setting.obscure,
                    "best F1": float(one.pooled[0, 2]),
                    "fortieth F1": float(one.pooled[-1, 2]),
                    "largest gap of F1": one.gap,
                    "median gap of F1": one.usual_gap,
                    "ranks lost by anydoc": one.ranks_lost,
                    **{", ".join(key): loss for key, loss in one.losses.items()},
                }
                for setting, one in worlds.items()
            ],
        },
        draw=_draw_figure(
            world.pooled[:, 2], {score: world.unpooled[score, "team"][:, 2] for score in SCORES}
        ),
    )


def play(options: Options, setting: Setting) -> World:
    """Draw a world and leave everybody out of its pool in turn."""
    key = (setting.draw,) if setting.draw else ()
    runs = options.runs if options.runs is not None else draw_runs(options.rng(0, *key))
    runs = evenly_spaced(runs) if setting.evenly else runs
    pool = draw_pool(runs, options.rng(1, *key), taste_for_facts=replace(FACTS, alone=setting.alone))
    if setting.obscure:
        pool = with_obscure_entities(pool, options.rng(9, *key), setting.obscure)
    fills = justify(pool, options.rng(3, *key), setting.common)
    scores = macro_scores(pool, fills, pool.correct[fills.fill], pool.correct)
    top = np.argsort(-scores[:, 2], kind="stable")[:TOP]
    return World(
        scores[top],
        {(score, left): leave_out(pool, fills, score, left)[top] for score in SCORES for left in LEFT_OUT},
    )


def with_obscure_entities(pool: Pool, rng: np.random.Generator, correlation: float) -> Pool:
    """Return a pool in which what few teams have is, more or less, about the entities with fewest instances.

    Entities keep their numbers of correct and of wrong instances.
    """
    teams, subjects = pool.teams_of_instances(), pool.subjects.copy()
    for kind in (pool.correct, ~pool.correct):
        rows = np.flatnonzero(kind)
        rank = np.argsort(np.argsort(-(teams[rows] + rng.random(rows.size))))
        score = correlation * ndtri((rank + 0.5) / rows.size)
        score += np.sqrt(1 - correlation**2) * rng.standard_normal(rows.size)
        subjects[rows[np.argsort(score)]] = np.sort(pool.subjects[rows])  # those most spoken of come first
    return Pool(pool.runs, pool.correct, pool.members, pool.facts, subjects, pool.predicates, pool.confidence)


def evenly_spaced(runs: Runs) -> Runs:
    """Return runs whose best have F1 at equal distances: precision and recall grow or shrink by one factor.

    A precision that would exceed 1 stays there.
    """
    top, f1 = runs.top(TOP), runs.f1
    factor = np.ones(f1.size)
    factor[top] = np.linspace(f1[top[0]], f1[top[-1]], top.size) / f1[top]
    return Runs(np.minimum(1.0, factor * runs.precision), np.minimum(1.0, factor * runs.recall), runs.teams)


def _groups(worlds: Mapping[Setting, World]) -> Iterator[tuple[str, list[World]]]:
    """Group worlds by what decides how close runs come to lie."""
    for evenly, obscure in product(SPACINGS, OBSCURE):
        some = [one for by, one in worlds.items() if (by.evenly, by.obscure) == (evenly, obscure)]
        entities = "obscure entities" if obscure else "any entities"
        yield f"runs {SPACINGS[evenly]}, {entities}", some


def _exceeds(worlds: list[World]) -> tuple[int, int]:
    """Count where the loss by anydoc is more than the largest, and than the median, difference."""
    losses = [(one.losses["anydoc", "team", "F1"], one) for one in worlds]
    return sum(loss > one.gap for loss, one in losses), sum(loss > one.usual_gap for loss, one in losses)


def _verdict(worlds: Mapping[Setting, World]) -> str:
    """Say in how many worlds the paper's argument holds, and why not in the others."""
    largest = {name: (_exceeds(some)[0], len(some)) for name, some in _groups(worlds)}
    usual = _exceeds(list(worlds.values()))[1]
    said = ", ".join(f"{holds} of {of} ({name})" for name, (holds, of) in largest.items())
    return (
        "The paper's argument, that even by anydoc a run loses more than the largest difference between two"
        f" that are adjacent, holds in {said}; that it loses more than the usual difference, in {usual} of"
        f" all {len(worlds)}. The loss is there in every world. The largest difference is one of 39 and a"
        " matter of where the runs happen to lie: closer together, as in 2015, it is smaller than the loss."
    )


def _of_worlds(worlds: Mapping[Setting, World]) -> Iterator[Compared]:
    """Return what the worlds have between them, and in how many the paper's argument holds."""
    for name, some in _groups(worlds):
        what = f"{len(some)} worlds, {name}"
        told: list[tuple[str, str, list[float]]] = [
            ("loss of F1, official", "0.1551", [one.losses["official", "team", "F1"] for one in some]),
            ("loss of F1, anydoc", "0.0205", [one.losses["anydoc", "team", "F1"] for one in some]),
            ("largest difference between adjacent runs", f"{PAPER_GAP}", [one.gap for one in some]),
            ("median difference", f"{PAPER_USUAL_GAP}", [one.usual_gap for one in some]),
            ("ranks lost", "", [one.ranks_lost for one in some]),
        ]
        for of, reported, values in told:
            yield Compared(f"{what}: {of}, least", reported, min(values))
            yield Compared(f"{what}: {of}, median", reported, float(np.median(values)))
            yield Compared(f"{what}: {of}, most", reported, max(values))
        largest, usual = (count / len(some) for count in _exceeds(some))
        yield Compared(f"{what}: share in which the loss is more than the largest difference", "1", largest)
        yield Compared(f"{what}: share in which it is more than the median difference", "1", usual)


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
    """Return precision, recall and F1 as the task does: of each subject entity, and then their means.

    An entity of which a run says nothing has 0; those of which nothing is true are not asked about.

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
    asked = np.bincount(pool.subjects[pool.correct]) > 0
    shape = (pool.runs.teams.size, int(pool.subjects.max()) + 1)
    cell = fills.run * shape[1] + pool.subjects[fills.fill]

    def counted(lines: BoolArray | None = None) -> FloatArray:
        weights = None if lines is None else lines.astype(float)
        table = np.bincount(cell, weights, minlength=shape[0] * shape[1]).reshape(shape).astype(float)
        return np.asarray(table[:, : asked.size][:, asked])

    answered, right = counted(), counted(judged_correct)
    true = np.bincount(pool.subjects[known], minlength=asked.size)[: asked.size][asked].astype(float)
    found = np.minimum(right, true)
    precision = np.divide(right, answered, out=np.zeros_like(right), where=answered > 0)
    recall = np.divide(found, true, out=np.zeros_like(found), where=np.broadcast_to(true > 0, found.shape))
    total = precision + recall
    f1 = np.divide(2 * precision * recall, total, out=np.zeros_like(total), where=total > 0)
    return np.column_stack([one.mean(axis=1) for one in (precision, recall, f1)])


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
