"""How many labels forty systems need, one after the other, each to the same accuracy.

As in section 5 of the paper: a fixed 500 draws for each; the paper's rule, the least draws at which the joint
estimator meets the target; and the top-up of the coordinated design. Once on a pool of the size of TAC KBP
2015, which the paper's figures are about, and once on a corpus of 15,000 documents with 9.2 relations each.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy import sparse
from scipy.optimize import brentq
from scipy.special import expit

from kbpo_estimators import coordinated, iid, weighting
from kbpo_estimators.labelled import PLANNED_DENSITY
from kbpo_estimators.planned_variance import LEAST_VARIANCE
from research.experiments import figures
from research.experiments.outcome import Compared, Options, Outcome
from research.experiments.pool import FALSE_INSTANCES, MISTAKES_IN_A_CORPUS, TRUE_INSTANCES, Pool, draw_pool
from research.experiments.runs import TOP, FloatArray, IntArray, Runs
from tests.oracles.precision import difference_precision

LABELS = 500
"""What a system alone needs: the target is V* = ¼/500."""
DOCUMENTS = 15_000
RULES = ("fixed", "paper", "top-up", "top-up with floor")
"""The floor buys other weightings and recall; neither the paper's rule nor the errors here know of those."""
FORESEEN = 0.35
"""R² of the model of labels, the median over systems: no more than on real ones."""
QUADRATIC = (
    "quadratic sum",
    "quadratic sum, model",
    "quadratic sum, model, planned",
    "quadratic sum, model, planned, floor",
)
"""With each system's own confidences; a model; variances planned by it; the floor."""
AT = (1, 5, 10, 20, 40)
PAPER = {"fixed": (500, 2_500, 5_000, 10_000, 20_000), "paper": (500, 2_002, 3_414, 5_392, 7_570)}


@dataclass(frozen=True)
class Arrivals:
    """What forty arrivals came to under one order.

    Attributes
    ----------
    labels : mapping of rule to float[40]
        Cumulative: draws, and for the top-up the expected distinct instances.
    error : mapping of rule to float
        Root mean squared error of precision over all systems, when the last has arrived.
        ``equal`` is the top-up with as many labels as `equal` says.
    equal : mapping of rule to float
        The labels of each top-up, and of each of `QUADRATIC`, whose error, by its variance, is that of the
        paper's rule.
    paper : float
        The distinct instances that the draws of the paper's rule are expected to come to.
    """

    labels: dict[str, FloatArray]
    error: dict[str, float]
    equal: dict[str, float]
    paper: float


@dataclass(frozen=True, eq=False)
class World:
    """A pool under one weighting."""

    pool: Pool
    weighting: str

    @property
    def P(self) -> sparse.csr_array:
        """Return p_i of each system, m × N."""
        return self.pool.weights(self.weighting)

    @property
    def correct(self) -> FloatArray:
        """Return f, float[N]."""
        return self.pool.correct.astype(np.float64)


def run(options: Options) -> Outcome:
    """Let forty systems arrive in random orders, in both worlds."""
    runs = options.some_runs()
    scale = 0.1 if options.quick else 1.0
    facts = round(DOCUMENTS * PLANNED_DENSITY * scale)
    best = _best(runs)
    mistakes = round(facts / TRUE_INSTANCES * FALSE_INSTANCES)
    corpus = draw_pool(best, options.rng(4), facts=facts, mistakes=mistakes, taste=MISTAKES_IN_A_CORPUS)
    worlds = {
        "tac": World(draw_pool(best, options.rng(1)), "instance"),
        "corpus": World(corpus, weighting.DEFAULT),
    }
    numbers: dict[str, Any] = {}
    for key, (name, world) in enumerate(worlds.items()):
        orders = options.count(10, 1)
        found = [
            arrive(world, options.rng(5, key, order), options.count(20, 2), options)
            for order in options.track(f"{name}, order", range(orders), orders)
        ]
        numbers[name] = {
            "weighting": world.weighting,
            "instances": world.pool.size,
            "facts": world.pool.facts,
            "labels": {rule: np.mean([one.labels[rule] for one in found], axis=0).tolist() for rule in RULES},
            "error": {rule: float(np.mean([one.error[rule] for one in found])) for rule in (*RULES, "equal")},
            "labels_at_equal_error": {
                rule: float(np.mean([one.equal[rule] for one in found])) for rule in (*RULES[2:], *QUADRATIC)
            },
            "distinct_labels_of_the_papers_rule": float(np.mean([one.paper for one in found])),
            "saved_of_distinct_labels": {
                rule: {
                    "mean": float(np.mean([1 - one.equal[rule] / one.paper for one in found])),
                    "least": float(min(1 - one.equal[rule] / one.paper for one in found)),
                    "most": float(max(1 - one.equal[rule] / one.paper for one in found)),
                }
                for rule in (*RULES[2:], *QUADRATIC)
            },
        }
    return Outcome(
        title="Labels for forty systems",
        says=f"Forty systems arrive in random order; each precision is to be as sure as by {LABELS} labels of"
        " its own. Errors are root mean squares over all systems, once the last has arrived.",
        compared=_compared(numbers),
        numbers=numbers,
        draw=_draw_figure(numbers),
    )


def _compared(numbers: dict[str, Any]) -> list[Compared]:
    of_tac, of_corpus = numbers["tac"]["labels"], numbers["corpus"]["labels"]
    compared = [
        Compared(
            f"{rule}: labels for {count} system{'s' * (count > 1)}, pool like TAC's",
            f"{reported:,}",
            of_tac[rule][count - 1],
        )
        for rule, figures_of_rule in PAPER.items()
        for count, reported in zip(AT, figures_of_rule, strict=True)
        if rule == "paper"
    ]
    compared += [Compared("top-up: labels for 40 systems, pool like TAC's", "", of_tac["top-up"][-1])]
    for rule in RULES[1:]:
        compared.append(Compared(f"{rule}: labels for 40 systems, corpus", "", of_corpus[rule][-1]))
        compared.append(Compared(f"{rule}: error, corpus", "", numbers["corpus"]["error"][rule]))
    for rule, labels in numbers["corpus"]["labels_at_equal_error"].items():
        compared.append(Compared(f"{rule}: labels at the error of the paper's rule, corpus", "", labels))
    for rule, saved in numbers["corpus"]["saved_of_distinct_labels"].items():
        what = f"{rule}: distinct labels saved of the paper's rule at its error, corpus"
        compared.append(Compared(what, "", saved["mean"]))
    error = numbers["corpus"]["error"]["equal"]
    compared.append(Compared("top-up: error with those labels, corpus", "", error))
    return compared


def _best(runs: Runs) -> Runs:
    top = np.sort(runs.top(TOP))
    return Runs(runs.precision[top], runs.recall[top], runs.teams[top])


def arrive(world: World, rng: np.random.Generator, samples: int, options: Options) -> Arrivals:
    """Let the systems of a pool arrive in a random order.

    Parameters
    ----------
    world : World
    rng : numpy.random.Generator
    samples : int
        Over how many samples the error of the top-up is taken; those of the draws are exact.
    options : Options
        For its progress.

    Returns
    -------
    Arrivals
    """
    order = rng.permutation(world.P.shape[0])
    P = sparse.csr_array(world.P[order])
    target = coordinated.LABEL_VARIANCE / LABELS
    counts = _rule_of_the_paper(P, target, options)
    truth = P @ world.correct

    def simulated(pi: FloatArray) -> float:
        squares = [
            ((_estimates(world, order, pi, rng) - truth) ** 2).mean()
            for _ in options.track("samples", range(samples), samples)
        ]
        return float(np.sqrt(np.mean(squares)))

    labels = {
        "fixed": LABELS * np.arange(1.0, order.size + 1),
        "paper": np.cumsum(counts).astype(np.float64),
    }
    error = {
        "fixed": float(np.sqrt((truth * (1 - truth)).mean() / LABELS)),
        "paper": float(np.sqrt(joint_variances(P, counts, world.correct).mean())),
    }
    equal = {}
    for rule, floor in zip(RULES[2:], (False, True), strict=True):
        pi, labels[rule] = _top_up(world, order, target, floor)
        error[rule] = simulated(pi)
        tighter = _same_error(world, order, error["paper"], floor)
        pi, of_tighter = _top_up(world, order, tighter, floor)
        equal[rule] = float(of_tighter[-1])
        if not floor:
            error["equal"] = simulated(pi)
    foreseen = foresee(world, rng)
    for rule in QUADRATIC:
        equal[rule] = _same_error_quadratically(world, order, error["paper"], rule, foreseen)
    return Arrivals(labels, error, equal, _distinct(P, counts))


def _distinct(P: sparse.csr_array, counts: IntArray) -> float:
    """Return how many instances are expected to be drawn at least once, drawing so often from each system."""
    missed = np.zeros(P.shape[1])
    for system, count in enumerate(counts):
        own = slice(P.indptr[system], P.indptr[system + 1])
        missed[P.indices[own]] += count * np.log1p(-P.data[own])
    return float(-np.expm1(missed).sum())


def foresee(world: World, rng: np.random.Generator) -> FloatArray:
    """Return ĝ, float[N]: calibrated probabilities that instances are correct, as good as `FORESEEN` says."""
    f = world.correct
    noise, share = rng.standard_normal(f.size), float(f.mean())

    def foreseen(apart: float) -> FloatArray:
        # Two normal scores of variance 1 that far apart: by Bayes' rule their log odds are linear.
        score = noise + apart * f
        return np.asarray(expit(math.log(share / (1 - share)) + apart * score - apart**2 / 2))

    def excess(apart: float) -> float:
        g = foreseen(apart)
        explained = []
        for system in range(world.P.shape[0]):
            rows, p = world.pool.rows(system), world.pool.own(world.P, system)
            e = _residuals(p, f[rows], g[rows]) / p
            explained.append(1 - (p @ e**2) / (p @ (f[rows] - p @ f[rows]) ** 2))
        return float(np.median(explained)) - FORESEEN

    return foreseen(brentq(excess, 0.01, 6.0, xtol=0.01))


def _residuals(p: FloatArray, f: FloatArray, c: FloatArray) -> FloatArray:
    """Return p times the residuals from the line of labels on what foretells them."""
    f, c = f - p @ f, c - p @ c
    return np.asarray(p * (f - c * (p @ (c * f)) / (p @ c**2)))


def _same_error_quadratically(
    world: World, order: IntArray, error: float, rule: str, foreseen: FloatArray
) -> float:
    """Return the expected labels of the quadratic sum whose error, by its variance, is the one given."""
    pool = world.pool
    by_model, planned, with_floor = (word in rule for word in ("model", "planned", "floor"))
    s2 = np.maximum(foreseen * (1 - foreseen), LEAST_VARIANCE) if planned else None
    systems = [(pool.rows(system), pool.own(world.P, system)) for system in order]
    residuals = [
        _residuals(p, world.correct[rows], foreseen[rows] if by_model else pool.own(pool.confidence, system))
        for system, (rows, p) in zip(order, systems, strict=True)
    ]

    def grown(log_labels: float) -> FloatArray:
        target = coordinated.LABEL_VARIANCE / math.exp(log_labels)
        share = coordinated.QUADRATIC_FLOOR if with_floor else 0.0
        floor = coordinated.floor_labels(target, share)
        pi, squares = np.zeros(pool.size), np.zeros(pool.size)
        for rows, p in systems:
            found = coordinated.quadratic_sum(
                pi[rows],
                squares[rows],
                p,
                target,
                variance=None if s2 is None else s2[rows],
                floor=floor / rows.size,
            )
            pi[rows], squares[rows] = found.pi, found.squares
        return pi

    def excess(log_labels: float) -> float:
        pi = grown(log_labels)
        variances = [
            (e**2 * (1 / pi[rows] - 1)).sum() for (rows, _), e in zip(systems, residuals, strict=True)
        ]
        return float(np.sqrt(np.mean(variances))) / error - 1

    return float(grown(brentq(excess, np.log(LABELS / 40), np.log(LABELS * 4), xtol=0.01)).sum())


def joint_variances(P: sparse.csr_array, counts: IntArray, correct: FloatArray) -> FloatArray:
    """Return the exact variances of the joint estimates of precision: Σ_j w_ij² s_ij²/n_j, all labels known.

    Parameters
    ----------
    P : sparse CSR, m × N
    counts : int[m]
        The draws of each system.
    correct : float[N]

    Returns
    -------
    float[m]
    """
    weights, columns = iid.mixture_weights(P, counts), sparse.csc_array(P)
    variances = np.empty(P.shape[0])
    for system in range(P.shape[0]):
        own = slice(P.indptr[system], P.indptr[system + 1])
        rows, local = P.indices[own], columns[:, P.indices[own]]
        values = P.data[own] * correct[rows] / (local.T @ weights[system])
        spread = local @ values**2 - (local @ values) ** 2
        variances[system] = (weights[system] ** 2 / counts * spread).sum()
    return variances


def _rule_of_the_paper(P: sparse.csr_array, target: float, options: Options) -> IntArray:
    counts = np.empty(0, dtype=np.int64)
    for system in options.track("the paper's rule, system", range(P.shape[0]), P.shape[0]):
        seen = sparse.csr_array(P[: system + 1])
        counts = np.append(counts, iid.draws_for_new_system(seen, counts, target))
    return counts


def _top_up(world: World, order: IntArray, target: float, with_floor: bool) -> tuple[FloatArray, FloatArray]:
    """Return π after the last arrival, and after each the number of labels that is expected."""
    pi, labels = np.zeros(world.pool.size), []
    for system in order:
        rows = world.pool.rows(system)
        floor = coordinated.floor_labels(target, coordinated.MAXIMUM_FLOOR) / rows.size if with_floor else 0.0
        pi[rows], _ = coordinated.top_up(pi[rows], world.pool.own(world.P, system), target, floor)
        labels.append(float(pi.sum()))
    return pi, np.array(labels)


def _estimates(world: World, order: IntArray, pi: FloatArray, rng: np.random.Generator) -> FloatArray:
    pool, correct = world.pool, world.correct
    sampled, folds = rng.random(pool.size) < pi, rng.integers(0, coordinated.FOLDS, pool.size)
    found = []
    for system in order:
        rows, p, confidence = pool.rows(system), pool.own(world.P, system), pool.own(pool.confidence, system)
        found.append(difference_precision(p, pi[rows], sampled[rows], correct[rows], folds[rows], confidence))
    return np.array([one.estimate for one in found])


def _same_error(world: World, order: IntArray, error: float, with_floor: bool) -> float:
    """Return the target V* with which the top-up's error, by its variance, is the one given.

    The variance is that of the residuals from the line of labels on confidences over all of a system's
    instances: what the fitted lines come to in large samples.
    """
    pool, correct = world.pool, world.correct
    residuals = [
        _residuals(pool.own(world.P, system), correct[pool.rows(system)], pool.own(pool.confidence, system))
        for system in order
    ]

    def excess(log_labels: float) -> float:
        pi, _ = _top_up(world, order, coordinated.LABEL_VARIANCE / np.exp(log_labels), with_floor)
        variances = [
            (e**2 * (1 / pi[pool.rows(system)] - 1)).sum() for system, e in zip(order, residuals, strict=True)
        ]
        return float(np.sqrt(np.mean(variances))) / error - 1

    log_labels = brentq(excess, np.log(LABELS / 20), np.log(LABELS * 4), xtol=0.01)
    return coordinated.LABEL_VARIANCE / math.exp(log_labels)


def _draw_figure(numbers: dict[str, Any]) -> Callable[[Figure], None]:
    marks = {
        "fixed": figures.MARKS["simple"],
        "paper": figures.MARKS["joint"],
        "top-up": figures.MARKS["coordinated"],
        "top-up with floor": figures.MARKS["pooled"],
    }
    titles = {"tac": "a pool like TAC KBP 2015", "corpus": "a corpus of 15,000 documents"}

    def draw(figure: Figure) -> None:
        figure.set_size_inches(figures.WIDTH, 3.2)
        for axes, (name, world) in zip(figure.subplots(1, 2), numbers.items(), strict=True):
            for rule, labels in world["labels"].items():
                mark = marks[rule] | {"linestyle": "-", "markersize": 3}
                axes.plot(np.arange(1, len(labels) + 1), labels, **mark, label=rule)
            if name == "tac":
                axes.plot(AT, PAPER["paper"], "k+", label="paper, as reported")
            axes.set_title(titles[name])
            axes.set_xlabel("systems")
            axes.set_ylabel("labels, cumulative")
            axes.legend()

    return draw
