"""How often ranks put alike systems apart, and how many different ones they tell apart.

Forty systems of known precision and recall are sampled by the service's own design and ranked, by F1 and by
precision, at 95%: by tiers, as ranks were before; by tests of each pair alone; and simultaneously over all
pairs, by Holm's procedure, with symmetric intervals of differences and with those of `estimators.pairs`,
which ranks are made by, and by max-|z| with the estimates' covariance (Romano and Wolf's, stepping down).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy.special import expit, logit, ndtri, stdtrit

from kbpo_estimators import coordinated
from kbpo_estimators.comparison import Comparable, comparables, differences
from kbpo_estimators.differences import Differences
from kbpo_estimators.document_samples import SimpleRandom
from kbpo_estimators.documents import Documents
from kbpo_estimators.intervals import Interval, wilson
from kbpo_estimators.kbp.labels import Labels
from kbpo_estimators.pairs import pairs
from kbpo_estimators.ranks import told_apart
from kbpo_estimators.scores import CoordinatedSample, System, coordinated_estimates
from research.experiments import figures
from research.experiments.outcome import Compared, Options, Outcome
from research.experiments.runs import FloatArray, IntArray

SYSTEMS, CLAIMS = 40, 1_000
DOCUMENTS, POPULATION = 300, 15_000
LEVEL = 0.95
REPLICATES = 1_000
"""Draws of the estimates of all systems, for max-|z|."""
MEASURES = ("f1", "precision")
PROCEDURES = ("tiers", "each pair alone", "max-|z|", "Holm, symmetric", "Holm")

BoolArray = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Forty systems, and how they came about.

    Attributes
    ----------
    precision, recall : float[m]
        The truth.
    labels : int[m]
        What each system's sample would be worth, were it drawn from very many claims.
    teams : int
        Whose systems share most claims and finds; as many as systems where all are independent.
    swapped : int or None
        How many right claims, and as many wrong ones, of a copy are others than its original's; None where
        no system is a copy.
    """

    precision: FloatArray
    recall: FloatArray
    labels: IntArray
    teams: int = SYSTEMS
    swapped: int | None = None


def _alike(precision: float, labels: int | Sequence[int] = 456, **how: Any) -> World:
    every = np.ones(SYSTEMS)
    return World(
        precision=precision * every,
        recall=0.3 * every,
        labels=np.resize(np.array(labels, dtype=np.int64), SYSTEMS),
        **how,
    )


def _differing(precision: FloatArray, **how: Any) -> World:
    return World(
        precision=precision, recall=0.75 * precision, labels=np.full(SYSTEMS, 456, dtype=np.int64), **how
    )


ALIKE: dict[str, World] = {
    "alike, independent": _alike(0.4),
    "alike, one in twenty right": _alike(0.05),
    "alike, 40 labels each": _alike(0.4, 40),
    "alike, 40 and 456 labels": _alike(0.2, (40, 456)),
    "alike, ten teams": _alike(0.4, teams=10),
    "alike, copies of ten": _alike(0.4, teams=10, swapped=3),
    "alike, copies of ten, half right": _alike(0.5, teams=10, swapped=3),
}
DIFFERING: dict[str, World] = {
    "steps of .01": _differing(np.linspace(0.2, 0.59, SYSTEMS)),
    "steps of .01, ten teams": _differing(np.linspace(0.2, 0.59, SYSTEMS), teams=10),
    "four groups": _differing(np.repeat([0.3, 0.4, 0.5, 0.6], SYSTEMS // 4)),
    "one above all": _differing(np.where(np.arange(SYSTEMS) < 1, 0.55, 0.4)),
}


def run(options: Options) -> Outcome:
    """Rank alike and differing systems by each procedure."""
    seeds = options.count(1_000, 2)
    numbers: dict[str, Any] = {}
    worlds = ALIKE | DIFFERING
    for number, name in enumerate(options.track("world", worlds, len(worlds))):
        rng = options.rng(number)
        numbers[name] = study(worlds[name], rng, seeds)
    return Outcome(
        title="Ranks",
        says=f"{SYSTEMS} systems, {seeds} samples of each world, {LEVEL:.0%}.",
        compared=[
            Compared(
                f"{name}, {measure}, {procedure}: put apart though alike, or the wrong way",
                "",
                numbers[name][measure][procedure]["wrong"],
            )
            for name in worlds
            for measure in MEASURES
            for procedure in PROCEDURES
        ],
        numbers=numbers,
        draw=_draw_figure(numbers),
    )


def study(world: World, rng: np.random.Generator, seeds: int) -> dict[str, dict[str, dict[str, float]]]:
    """Rank the systems of a world again and again.

    Returns
    -------
    dict
        By measure and procedure: ``wrong``, the share of samples in which some system is put above one that
        is as good or better; ``first``, the mean number of systems that are ranked first; ``apart``, where
        some differ, the mean share of the pairs that do that are put apart the right way.
    """
    total = world.precision + world.recall
    truths = {"precision": world.precision, "f1": 2 * world.precision * world.recall / total}
    found: dict[str, dict[str, list[Any]]] = {
        measure: {procedure: [] for procedure in PROCEDURES} for measure in MEASURES
    }
    for _ in range(seeds):
        comparable, sample = draw(world, rng)
        for measure in MEASURES:
            truth = truths[measure]
            better = truth[:, None] > truth[None, :] + 1e-9
            for procedure, above in put_above(comparable, sample, measure, rng).items():
                found[measure][procedure].append(
                    (
                        (above & ~better).any(),
                        (~above.any(axis=0)).sum(),
                        *([(above & better).sum() / better.sum()] if better.any() else []),
                    )
                )
    names = ("wrong", "first", "apart")
    return {
        measure: {
            procedure: dict(zip(names, np.mean(rows, axis=0).tolist(), strict=False))
            for procedure, rows in by.items()
        }
        for measure, by in found.items()
    }


def draw(world: World, rng: np.random.Generator) -> tuple[Comparable, SimpleRandom]:
    """Draw a world's claims, its sample and its documents; return the estimates of its systems."""
    correct, rows = _claims(world, rng)
    pi, squares = np.zeros(correct.size), np.zeros(correct.size)
    p = np.full(CLAIMS, 1 / CLAIMS)
    for own, labels in zip(rows, world.labels.tolist(), strict=True):
        grown = coordinated.quadratic_sum(pi[own], squares[own], p, coordinated.LABEL_VARIANCE / labels)
        pi[own], squares[own] = grown.pi, grown.squares
    sampled = rng.random(pi.size) < pi
    confidence = np.clip(0.5 + 0.15 * (correct - 0.5) + 0.2 * rng.normal(size=correct.size), 0.01, 0.99)
    systems = [System(own, {"instance": p}, confidence[own], number) for number, own in enumerate(rows)]
    label = np.where(sampled, correct, np.nan)
    labels = Labels(label, [np.where(sampled[own], 1.0, np.nan) for own in rows])
    drawn = CoordinatedSample(pi, sampled, rng.integers(0, coordinated.FOLDS, pi.size))
    documents = _documents(world, rng)
    estimates = next(
        coordinated_estimates(systems, labels, drawn, documents, weightings=["instance"], parts=["relation"])
    )
    comparable = next(one for way, _, one in comparables(estimates) if way == "documents")
    assert isinstance(documents.sample, SimpleRandom)
    return comparable, documents.sample


def _claims(world: World, rng: np.random.Generator) -> tuple[FloatArray, list[IntArray]]:
    """Return which claims are right (float[N]), and the claims of each system (int[CLAIMS])."""
    right = np.round(world.precision * CLAIMS).astype(np.int64)
    of_team = SYSTEMS // world.teams
    correct, rows, start = [], [], 0
    for team in range(world.teams):
        own = range(team * of_team, (team + 1) * of_team)
        most = max(right[system] for system in own), max(CLAIMS - right[system] for system in own)
        # What a team's systems choose from: an eighth more than the most that one has of either kind.
        spare = (most[0] // 8, most[1] // 8) if of_team > 1 else (0, 0)
        sizes = most[0] + spare[0], most[1] + spare[1]
        places = start + np.arange(sizes[0]), start + sizes[0] + np.arange(sizes[1])
        correct += [np.ones(sizes[0]), np.zeros(sizes[1])]
        start += sum(sizes)
        first: list[IntArray] = []
        for system in own:
            counts = right[system], CLAIMS - right[system]
            if world.swapped is None or not first:
                chosen = [rng.choice(p, n, replace=False) for p, n in zip(places, counts, strict=True)]
                first = first or chosen
            else:
                chosen = [
                    np.concatenate(
                        [
                            rng.choice(had, had.size - world.swapped, replace=False),
                            rng.choice(np.setdiff1d(p, had), world.swapped, replace=False),
                        ]
                    )
                    for p, had in zip(places, first, strict=True)
                ]
            rows.append(np.sort(np.concatenate(chosen)))
    # What nobody chose is in no pool.
    every = np.concatenate(correct)
    kept = np.unique(np.concatenate(rows))
    place = np.zeros(every.size, dtype=np.int64)
    place[kept] = np.arange(kept.size)
    return every[kept], [place[own] for own in rows]


def _documents(world: World, rng: np.random.Generator) -> Documents:
    """Annotate documents; of a team's systems each finds what the team does in four cases of five."""
    true = rng.poisson(rng.gamma(1.5, 4.0, DOCUMENTS))
    where = np.repeat(np.arange(DOCUMENTS), true)
    of_team = SYSTEMS // world.teams
    coins = np.repeat(rng.random((world.teams, where.size)), of_team, axis=0)
    share = 0.2 if world.swapped is None else 0.01
    if of_team > 1:
        own = rng.random(coins.shape) < share
        coins = np.where(own, rng.random(coins.shape), coins)
    finds = coins < world.recall[:, None]
    found = np.array([np.bincount(where[one], minlength=DOCUMENTS) for one in finds])
    pool = np.bincount(where[finds.any(axis=0)], minlength=DOCUMENTS)
    return Documents(
        SimpleRandom(POPULATION), true, {"relation": found}, {"relation": found}, {"relation": pool}
    )


def put_above(
    comparable: Comparable, sample: SimpleRandom, measure: str, rng: np.random.Generator
) -> dict[str, BoolArray]:
    """Return by procedure which system (row) is put above which (column)."""
    values = comparable.estimate(measure)
    found = differences(comparable, comparable, measure, sample)
    # Whatever the level, an interval of a difference is symmetric: its reach is a quantile of the z or t.
    spread = np.sqrt(found.variances)
    alone = np.abs(found.estimates) > _quantile(LEVEL, found.degrees_of_freedom) * spread

    def symmetric(level: float) -> FloatArray:
        return _quantile(level, found.degrees_of_freedom) * spread

    own = [
        _interval(*one) for one in zip(values, found.own, [found.degrees_of_freedom] * SYSTEMS, strict=True)
    ]
    tier = tiers(values, alone)
    higher = found.estimates > 0
    return {
        "tiers": tier[:, None] < tier[None, :],
        "each pair alone": higher & alone,
        "max-|z|": higher & (_max_z(found, rng) <= 1 - LEVEL),
        "Holm, symmetric": higher & told_apart(found.estimates, symmetric, LEVEL),
        "Holm": higher & told_apart(found.estimates, pairs(found, own, own, LEVEL).reach, LEVEL),
    }


def _quantile(level: float, degrees: int | None) -> float:
    at = (1 + level) / 2
    return float(ndtri(at) if degrees is None else stdtrit(degrees, at))


def _interval(estimate: float, variance: float, degrees: int | None) -> Interval:
    """Return a system's own interval; no system of these worlds is far from being inside (0, 1)."""
    if not 0 < estimate < 1 or variance <= 0:
        return wilson(min(1.0, max(0.0, estimate)), 40, LEVEL)
    reach = _quantile(LEVEL, degrees) * math.sqrt(variance) / (estimate * (1 - estimate))
    middle = float(logit(estimate))
    return Interval(estimate, float(expit(middle - reach)), float(expit(middle + reach)))


def tiers(values: FloatArray, apart: BoolArray) -> IntArray:
    """Return the tiers that ranks were: the best opens the first, with all that are not told from it."""
    tier = np.zeros(values.size, dtype=np.int64)
    left, number = np.argsort(-values, kind="stable"), 0
    while left.size:
        number += 1
        others = left[1:]
        told = apart[left[0], others]
        tier[left[0]] = tier[others[~told]] = number
        left = others[told]
    return tier


def _max_z(found: Differences, rng: np.random.Generator) -> FloatArray:
    """Return adjusted p-values from the largest |z| of what is left, stepping down."""
    m = found.estimates.shape[0]
    first, second = np.triu_indices(m, 1)
    centred = np.eye(m) - 1 / m
    values, vectors = np.linalg.eigh(-0.5 * centred @ found.variances @ centred)
    drawn = (vectors * np.sqrt(np.maximum(values, 0))) @ rng.normal(size=(m, REPLICATES))
    spread = np.sqrt(found.variances[first, second])
    known = spread > 0
    z = np.zeros(first.size)
    z[known] = np.abs(found.estimates[first, second][known]) / spread[known]
    drawn_z = np.zeros((first.size, REPLICATES))
    drawn_z[known] = np.abs(drawn[first] - drawn[second])[known] / spread[known, None]
    order = np.argsort(z, kind="stable")  # the largest of what is left: from the smallest up
    largest = np.maximum.accumulate(drawn_z[order], axis=0)
    p = (1 + (largest >= z[order, None]).sum(axis=1)) / (1 + REPLICATES)
    stepped = np.empty(first.size)
    stepped[order] = np.maximum.accumulate(p[::-1])[::-1]
    adjusted = np.ones((m, m))
    adjusted[first, second] = adjusted[second, first] = stepped
    return adjusted


def _draw_figure(numbers: Mapping[str, Any]) -> Callable[[Figure], None]:
    colours = [figures.COLOURS[name] for name in ("grey", "vermillion", "purple", "green", "blue")]

    def draw(figure: Figure) -> None:
        figure.set_size_inches(figures.WIDTH, 3.6)
        left, right = figure.subplots(1, 2, sharex=False)
        for axes, names, what in ((left, list(ALIKE), "wrong"), (right, list(DIFFERING), "apart")):
            for place, procedure in enumerate(PROCEDURES):
                at = np.arange(len(names)) + 0.16 * (place - 2)
                shares = [numbers[name]["f1"][procedure][what] for name in names]
                axes.barh(at, shares, 0.14, label=procedure, color=colours[place])
            axes.set_yticks(range(len(names)), names)
            axes.invert_yaxis()
        left.axvline(1 - LEVEL, color=figures.COLOURS["grey"], linewidth=0.8)
        left.set_xlabel("samples with a wrong order")
        right.set_xlabel("differing pairs put apart")
        figure.legend(*right.get_legend_handles_labels(), loc="outside lower center", ncols=len(PROCEDURES))

    return draw
