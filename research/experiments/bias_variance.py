"""How far estimates stray from the truth: pooled, simple, joint and coordinated.

As in section 5 of the paper: in each trial nine random teams are evaluated. Pooled scores rest on what the
other teams found. The others get 5,000/(m + 1) draws for each of the m systems, and as many of the true
relations. The coordinated design, the service's own, gets as many distinct labels as the draws of all systems
came to; there are no documents here from which variances could be planned. It is told with the pooled model
and without: how many teams claim an instance says far more in these pools than of real systems (an R² of .7
where real ones have a third), so what the model gains here is more than it can gain there.
"""

import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import brentq

from kbpo_estimators import coordinated, iid, labelled, weighting
from kbpo_estimators.document_samples import SimpleRandom
from kbpo_estimators.pooled import SampleEntries, UnitFeatures, learn
from kbpo_estimators.recall import document_recall
from kbpo_estimators.scores import System
from research.experiments import figures
from research.experiments.outcome import Compared, Options, Outcome
from research.experiments.pool import FACTS, MISTAKES, BoolArray, Pool, Taste, draw_pool
from research.experiments.runs import TOP, FloatArray, IntArray, normal_quantile
from tests.oracles.labelled import labelled_recall, planned_alpha
from tests.oracles.precision import difference_precision

TEAMS = 9
DRAWS = 5_000
CALIBRATION = 4
"""Trials from which the target of the coordinated design is set."""
PLAIN = "coordinated, no model"
"""With each system's own confidences alone."""
METHODS = ("pooled", "simple", "joint", "coordinated", PLAIN)
DRAWN = METHODS[:4]
"""Those of the figure."""
PLANNED_RELATIONS = labelled.PLANNED_DENSITY / 2
"""A document of one relation tells as much as 2/9.2 of one whose 9.2 relations stand and fall together."""
Z90 = normal_quantile(0.90)
MEASURES = ("precision", "recall", "F1")
PAPER = {
    "simple": {"precision": 0.1354, "recall": 0.1410, "F1": 0.118},
    "joint": {"precision": 0.0633, "recall": 0.0808, "F1": 0.072},
}
PAPER_POOLED = {"precision": 0.046, "recall": 0.028}
"""By how much pooled scores are off, in the median."""
OTHER_POOLS: dict[str, tuple[Taste, Taste]] = {
    "fewer facts that one team alone finds": (replace(FACTS, alone=0.2), MISTAKES),
    "more of them": (replace(FACTS, alone=0.6), MISTAKES),
    "teams alike in the facts that they find": (replace(FACTS, common=0.8, of_team=0.1), MISTAKES),
    "more mistakes in common": (FACTS, replace(MISTAKES, alone=0.5)),
    "still more of them": (FACTS, replace(MISTAKES, common=0.2, alone=0.3)),
    "hardly any": (FACTS, replace(MISTAKES, alone=0.9)),
}
"""Other pools, by what sets them apart: the tastes for facts and for mistakes."""

Estimates = dict[tuple[str, str], FloatArray]


@dataclass(frozen=True)
class Trial:
    """One evaluation of nine teams.

    Attributes
    ----------
    systems : int[m]
        Their positions among all runs.
    estimates : mapping of (method, measure) to float[m]
    labels : mapping of method to int
        The distinct instances that were labelled.
    """

    systems: IntArray
    estimates: Estimates
    labels: dict[str, int]


def run(options: Options) -> Outcome:
    """Run it under every weighting, the paper's own (by instance) the longest."""
    pool = draw_pool(options.some_runs(), options.rng(1))
    trials = {name: options.count(400 if name == "instance" else 200, 8) for name in weighting.WEIGHTINGS}
    numbers = {
        name: summarise(pool, name, simulate(pool, name, count, options)) for name, count in trials.items()
    }
    by_instance = numbers["instance"]
    others = {
        name: _other_pool(options, name, facts, mistakes) for name, (facts, mistakes) in OTHER_POOLS.items()
    }
    compared = [
        Compared(f"{measure}, {method}: median width of 90% intervals", f"{PAPER[method][measure]}", width)
        for measure in MEASURES
        for method in ("simple", "joint")
        for width in [by_instance[method][measure]["median_width"]]
    ]
    compared += [
        Compared(f"{measure}, {method}, at the labels of joint", "", width)
        for measure in MEASURES
        for method in ("coordinated", PLAIN)
        for width in [by_instance[method][measure]["median_width"]]
    ]
    compared += [
        Compared(
            f"{measure}: median of how far pooled scores are off",
            f"{PAPER_POOLED[measure]}" if measure in PAPER_POOLED else "",
            by_instance["pooled"][measure]["median_absolute_bias"],
        )
        for measure in MEASURES
    ]
    compared += [
        Compared(f"{measure}, {method} against joint: {name}", "", ratio)
        for measure in MEASURES
        for method in ("coordinated", PLAIN)
        for name, one in {"this pool": by_instance, **others}.items()
        for ratio in [one[method][measure]["median_width"] / one["joint"][measure]["median_width"]]
    ]
    return Outcome(
        title="Bias and variance",
        says=f"Nine of {np.unique(pool.runs.teams).size} teams are evaluated in each of {trials['instance']}"
        " trials, with 5,000 draws in all. A width is that of the central 90% of a system's estimates (3.29"
        " standard deviations); the median is over the best 40 runs.",
        compared=compared,
        numbers={
            "pool": {"instances": pool.size, "correct": int(pool.correct.sum())},
            "weightings": numbers,
            "other pools": others,
        },
        draw=_draw_figure(by_instance),
    )


def _other_pool(options: Options, name: str, facts: Taste, mistakes: Taste) -> dict[str, Any]:
    """Run trials by instance in a pool of other tastes; return what `summarise` does, without the runs."""
    pool = draw_pool(options.some_runs(), options.rng(1), taste=mistakes, taste_for_facts=facts)
    options.progress(f"pool: {name}")
    found = summarise(pool, "instance", simulate(pool, "instance", options.count(120, 8), options))
    for method in METHODS:
        for measure in MEASURES:
            for listed in ("true", "mean", "width"):
                del found[method][measure][listed]
    return {"instances": pool.size, **found}


def simulate(pool: Pool, name: str, trials: int, options: Options) -> list[Trial]:
    """Run trials under one weighting.

    Parameters
    ----------
    pool : Pool
    name : str
        The weighting that draws, designs and scores.
    trials : int
    options : Options
        Its seed and its progress.

    Returns
    -------
    list of Trial
    """
    key = list(weighting.WEIGHTINGS).index(name)
    teams = np.unique(pool.runs.teams)

    def evaluated(trial: int) -> tuple[np.random.Generator, IntArray]:
        rng = options.rng(2, key, trial)
        chosen = rng.choice(teams, TEAMS, replace=False)
        return rng, np.flatnonzero(np.isin(pool.runs.teams, chosen))

    scale = _same_labels(pool, name, [evaluated(trial) for trial in range(CALIBRATION)])
    found = []
    for trial in options.track(f"weighting {name}, trial", range(trials), trials):
        rng, systems = evaluated(trial)
        found.append(_trial(pool, name, systems, scale, rng))
    return found


def _trial(pool: Pool, name: str, systems: IntArray, scale: float, rng: np.random.Generator) -> Trial:
    some = pool.take(systems)
    n = _draws_of_each(systems)
    facts = some.found(rng.integers(0, pool.facts, n))
    drawn = _draw(some, name, n, rng)
    pi = _design(some, name, n, scale)
    sampled = rng.random(some.size) < pi
    distinct = int(np.unique(np.concatenate(drawn)).size)
    estimates = (
        _pooled(pool, name, systems)
        | _from_draws(some, name, drawn, facts)
        | _coordinated(some, name, pi, sampled, facts, rng)
    )
    for method in METHODS:
        estimates[method, "F1"] = _f1(estimates[method, "precision"], estimates[method, "recall"])
    return Trial(
        systems=systems,
        estimates=estimates,
        labels={"simple": distinct, "joint": distinct}
        | dict.fromkeys(("coordinated", PLAIN), int(sampled.sum())),
    )


def _f1(precision: FloatArray, recall: FloatArray) -> FloatArray:
    """Return the harmonic means: 0 where both are 0, and nothing where one is not estimable."""
    total = precision + recall
    return np.divide(2 * precision * recall, total, out=0 * total, where=total > 0)


def _draws_of_each(systems: IntArray) -> int:
    return DRAWS // (systems.size + 1)


def _pooled(pool: Pool, name: str, systems: IntArray) -> Estimates:
    """Score systems by what the teams that are not evaluated found."""
    others = np.setdiff1d(np.arange(pool.runs.teams.size), systems)
    known = pool.correct & (np.bincount(pool.members[others].indices, minlength=pool.size) > 0)
    precision = pool.weights(name)[systems] @ known.astype(float)
    recall = pool.members[systems].astype(float) @ known.astype(float) / known.sum()
    return {("pooled", "precision"): precision, ("pooled", "recall"): recall}


def _draw(pool: Pool, name: str, n: int, rng: np.random.Generator) -> list[IntArray]:
    P = pool.weights(name)
    return [pool.rows(system)[iid.draw(pool.own(P, system), n, rng)] for system in range(P.shape[0])]


def _from_draws(pool: Pool, name: str, drawn: list[IntArray], facts: BoolArray) -> Estimates:
    P = pool.weights(name)
    samples = [(indices, pool.correct[indices].astype(float)) for indices in drawn]
    shares = iid.shares_of_pool(P, samples)
    if shares is None:
        raise AssertionError("no draw is correct; the pool's precision is far too low for this experiment")
    return {
        ("simple", "precision"): np.array([one.estimate for one in iid.simple_estimates(samples)]),
        ("joint", "precision"): np.array([one.estimate for one in iid.joint_estimates(P, samples)]),
        ("simple", "recall"): facts.mean(axis=1),
        ("joint", "recall"): facts.any(axis=0).mean() * np.array([share.estimate for share in shares]),
    }


def _design(pool: Pool, name: str, n: int, scale: float) -> FloatArray:
    """Return π after all systems have arrived, each to have the variance of scale · n draws at most.

    Without the floor, which buys other weightings and recall: the paper's design has nothing of the kind.
    """
    P, pi, squares = pool.weights(name), np.zeros(pool.size), np.zeros(pool.size)
    target = coordinated.LABEL_VARIANCE / (scale * n)
    for system in range(P.shape[0]):
        rows = pool.rows(system)
        grown = coordinated.quadratic_sum(pi[rows], squares[rows], pool.own(P, system), target)
        pi[rows], squares[rows] = grown.pi, grown.squares
    return pi


def _same_labels(pool: Pool, name: str, trials: list[tuple[np.random.Generator, IntArray]]) -> float:
    """Return how much tighter the coordinated target may be for as many labels as the draws come to."""
    some = [pool.take(systems) for _, systems in trials]
    counts = [_draws_of_each(systems) for _, systems in trials]
    distinct = sum(
        np.unique(np.concatenate(_draw(one, name, n, rng))).size
        for one, n, (rng, _) in zip(some, counts, trials, strict=True)
    )

    def excess(log_scale: float) -> float:
        scale = math.exp(log_scale)
        labels = sum(_design(one, name, n, scale).sum() for one, n in zip(some, counts, strict=True))
        return float(labels) / distinct - 1

    return math.exp(brentq(excess, math.log(0.5), math.log(50), xtol=0.01))


def _coordinated(
    pool: Pool,
    name: str,
    pi: FloatArray,
    sampled: BoolArray,
    facts: BoolArray,
    rng: np.random.Generator,
) -> Estimates:
    P = pool.weights(name)
    folds = rng.integers(0, coordinated.FOLDS, pool.size)
    teams = pool.teams_of_instances()
    correct = pool.correct.astype(float)
    true, sample = np.ones(facts.shape[1]), SimpleRandom(pool.facts)
    in_pool = facts.any(axis=0)
    documents, population = (round(count / PLANNED_RELATIONS) for count in (true.size, pool.facts))
    model = _learnt(pool, sampled, folds)
    precision, plain, recall = (np.empty(P.shape[0]) for _ in range(3))
    for system, found in enumerate(facts):
        rows = pool.rows(system)
        own = np.zeros(pool.size, dtype=bool)
        own[rows] = True
        p = pool.own(P, system)
        confidence = pool.own(pool.confidence, system)
        own_sample = p, pi[rows], sampled[rows], correct[rows], folds[rows]
        precision[system] = difference_precision(*own_sample, confidence, model=model[rows]).estimate
        plain[system] = difference_precision(*own_sample, confidence).estimate
        share = labelled.share_of_pool(pi[sampled], correct[sampled], (correct * own)[sampled])
        combined = labelled.both(
            document_recall(true, found, sample),
            labelled_recall(share, true, in_pool, found, found, sample),
            planned_alpha(teams, own, pi, documents, population),
        )
        recall[system] = np.nan if combined is None else combined.estimate
    return {
        ("coordinated", "precision"): precision,
        ("coordinated", "recall"): recall,
        (PLAIN, "precision"): plain,
        (PLAIN, "recall"): recall,
    }


def _learnt(pool: Pool, sampled: BoolArray, folds: IntArray) -> FloatArray:
    """Return what the labels of all systems say of each instance, for every fold, [N, K]."""
    systems = [
        System(pool.rows(system), {}, pool.own(pool.confidence, system), int(team))
        for system, team in enumerate(pool.runs.teams)
    ]
    entries = SampleEntries.of(systems, sampled)
    labels = {"right": pool.correct[sampled][entries.positions].astype(float)}
    # The predicates of a made-up pool tell nothing.
    found = learn(systems, UnitFeatures.nothing(pool.size), sampled, folds, entries, labels)["right"]
    model = np.repeat(found.of_pool[:, None], coordinated.FOLDS, axis=1)
    model[sampled] = found.of_sample
    return model


def summarise(pool: Pool, name: str, trials: list[Trial]) -> dict[str, Any]:
    """Return for each method its labels, and for each measure bias and width by system and over the best.

    Parameters
    ----------
    pool : Pool
    name : str
        The weighting.
    trials : list of Trial
        Enough of them that each system was evaluated twenty times or more.

    Returns
    -------
    dict
    """
    top = pool.runs.top(TOP)
    precision, recall = pool.precision(name), pool.recall()
    truth = dict(zip(MEASURES, (precision, recall, _f1(precision, recall)), strict=True))
    found: dict[str, Any] = {}
    for method in METHODS:
        found[method] = {"labels": _mean_labels(trials, method)}
        for measure, true in truth.items():
            by_system: dict[int, list[float]] = defaultdict(list)
            for trial in trials:
                for system, value in zip(trial.systems, trial.estimates[method, measure], strict=True):
                    by_system[int(system)].append(float(value))
            seen = [system for system in top if len(by_system[system]) > 1]
            means = np.array([np.mean(by_system[system]) for system in seen])
            widths = np.array([2 * Z90 * np.std(by_system[system], ddof=1) for system in seen])
            found[method][measure] = {
                "median_width": float(np.median(widths)),
                "median_bias": float(np.median(means - true[seen])),
                "median_absolute_bias": float(np.median(np.abs(means - true[seen]))),
                "true": true[seen].tolist(),
                "mean": means.tolist(),
                "width": widths.tolist(),
            }
    return found


def _mean_labels(trials: list[Trial], method: str) -> float | None:
    counts = [trial.labels[method] for trial in trials if method in trial.labels]
    return float(np.mean(counts)) if counts else None


def _draw_figure(by_instance: dict[str, Any]) -> Callable[[Figure], None]:
    def draw(figure: Figure) -> None:
        figure.set_size_inches(figures.WIDTH, 3.4)
        for axes, measure in zip(figure.subplots(1, 2), ("precision", "recall"), strict=True):
            for method in DRAWN:
                one = by_instance[method][measure]
                order = np.argsort(one["true"])
                true, mean, width = (np.array(one[key])[order] for key in ("true", "mean", "width"))
                axes.plot(true, mean, **figures.MARKS[method], label=method)
                colour = figures.MARKS[method]["color"]
                axes.vlines(true, mean - width / 2, mean + width / 2, color=colour, alpha=0.35, linewidth=1)
            figures.diagonal(axes)
            axes.set_xlabel(f"true {measure}")
            axes.set_ylabel("mean of the estimates, and the central 90%")
        axes.legend(loc="upper left")

    return draw
