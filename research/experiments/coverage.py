"""How often intervals hold the truth: nominal against actual.

Precision of a lone system at three sizes of sample; recall and F1 where relations of one document are found
or missed together, with documents drawn in one phase and in two; and, where the folder is given, the ten
systems of KnowledgeNet with samples and documents drawn anew for every seed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from kbpo_estimators import coordinated, weighting
from kbpo_estimators.document_samples import SimpleRandom, draw_documents
from kbpo_estimators.f1 import PoolSample, harmonic
from kbpo_estimators.intervals import LEVELS, Interval, f1_interval, interval
from kbpo_estimators.labelled import both, share_of_pool
from kbpo_estimators.pooled import SampleEntries, learn
from kbpo_estimators.recall import document_recall
from kbpo_estimators.scores import System
from research.experiments import figures
from research.experiments.arrivals import World, present
from research.experiments.outcome import Compared, Options, Outcome
from research.experiments.pool import BoolArray
from research.experiments.runs import FloatArray, IntArray
from research.experiments.worlds import ClusteredCorpus, LoneSystem
from tests.oracles.labelled import labelled_recall, planned_alpha
from tests.oracles.precision import difference_precision
from tests.readers import knowledgenet
from tests.readers.knowledgenet import KnowledgeNet

SIZES = (50, 150, 500)
PRECISIONS = (0.01, 0.1, 0.5)
PHASES = ("one_phase", "two_phases")
WORTH = 150
"""The labels that a system's precision rests on where F1 is looked at."""
EXHAUSTIVE = 300
"""Documents of KnowledgeNet."""
SCORES = {
    "precision": "precision",
    "precision without the model": "precision",
    "precision without confidences": "precision",
    "recall from documents": "recall",
    "recall from labels": "recall",
    "recall from both": "recall",
    "f1 from documents": "f1",
    "f1 from both": "f1",
}
WEIGHTING = weighting.DEFAULT


@dataclass(frozen=True, eq=False)
class Held:
    """Estimates and interval ends over repeated samples, and the truth.

    Attributes
    ----------
    estimate, low, high : float[repeats] or float[repeats, systems]
    truth : float or float[systems]
    """

    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    truth: FloatArray | float

    @property
    def coverage(self) -> float:
        """Return the share of the intervals that hold the truth."""
        return float(((self.low <= self.truth) & (self.truth <= self.high)).mean())

    @property
    def half_width(self) -> float:
        """Return the median half-width."""
        return float(np.median(self.high - self.low) / 2)

    @property
    def bias(self) -> tuple[float, float]:
        """Return the mean error over systems, averaged over samples, and its standard error."""
        errors = np.asarray(self.estimate - self.truth)
        by_sample = errors.reshape(errors.shape[0], -1).mean(axis=1)
        return float(by_sample.mean()), float(by_sample.std(ddof=1) / np.sqrt(by_sample.size))


def held(intervals: list[Interval], truth: float) -> Held:
    """Return intervals as arrays."""
    columns = np.array([(one.estimate, one.low, one.high) for one in intervals]).T
    return Held(columns[0], columns[1], columns[2], truth)


def run(options: Options) -> Outcome:
    """Count how often intervals hold the truth."""
    repeats = options.count(2_000, 200)
    numbers: dict[str, Any] = {"precision": {}, "recall and f1": {}}
    for precision in PRECISIONS:
        for n in SIZES:
            options.progress(f"precision {precision}, {n} labels")
            found = of_precision(precision, n, repeats, options.rng(7, n))
            numbers["precision"][f"P = {precision}, n = {n}"] = _by_level(found)
    for phases in PHASES:
        options.progress(f"recall and F1, {phases}")
        for measure, of_levels in of_recall(phases, repeats, options.rng(8)).items():
            numbers["recall and f1"][f"{measure}, {phases.replace('_', ' ')}"] = _by_level(of_levels)
    if options.knowledgenet is not None:
        numbers["knowledgenet"] = _of_knowledgenet(options, options.knowledgenet)
    return Outcome(
        title="Coverage",
        says=f"How many of {repeats:,} intervals hold the truth, at 80, 90 and 95%.",
        compared=_compared(numbers),
        numbers=numbers,
        draw=_draw_figure(numbers),
    )


def of_precision(precision: float, n: int, repeats: int, rng: np.random.Generator) -> dict[float, Held]:
    """Draw samples of a lone system, and hold its intervals against the truth at each level.

    Parameters
    ----------
    precision : float
    n : int
        What the sample is worth in independent labels.
    repeats : int
    rng : numpy.random.Generator

    Returns
    -------
    dict of level to Held
    """
    system = LoneSystem(precision, n)
    estimates = [system.estimate(rng) for _ in range(repeats)]
    return {level: held([_of(interval(one, level)) for one in estimates], system.truth) for level in LEVELS}


def of_recall(phases: str, repeats: int, rng: np.random.Generator) -> dict[str, dict[float, Held]]:
    """Draw documents, and a system's sample, and hold recall and F1 against the truth at each level.

    Parameters
    ----------
    phases : {"one_phase", "two_phases"}
    repeats : int
    rng : numpy.random.Generator

    Returns
    -------
    dict of measure to dict of level to Held
    """
    corpus, system = ClusteredCorpus(), LoneSystem(0.4, WORTH)
    estimates = []
    for _ in range(repeats):
        drawn, sample = getattr(corpus, phases)(rng)
        recall = document_recall(corpus.true[drawn], corpus.found[drawn], sample)
        estimates.append((system.estimate(rng), recall))
    truth = harmonic(system.truth, corpus.truth)
    return {
        "recall": {
            level: held([_of(interval(recall, level)) for _, recall in estimates], corpus.truth)
            for level in LEVELS
        },
        "F1": {
            level: held(
                [_of(f1_interval(precision, recall, level)) for precision, recall in estimates], truth
            )
            for level in LEVELS
        },
    }


def of_ten_systems(
    data: KnowledgeNet, seeds: range, track: Callable[[str], None]
) -> tuple[IntArray, dict[str, Held]]:
    """Sample the ten systems of KnowledgeNet and 300 documents once for each seed; score everything at 95%.

    Parameters
    ----------
    data : KnowledgeNet
    seeds : range
        Each decides the order of arrival, the secret and the documents.
    track : callable
        Takes a line about how far it is.

    Returns
    -------
    labels : int[seeds]
        Instances sampled.
    scores : dict of the names in `SCORES` to Held, [seeds, systems]
    """
    world = World(data)
    weights = [data.weights(system, WEIGHTING) for system in range(len(data.systems))]
    runs = []
    for seed in seeds:
        track(f"KnowledgeNet, seed {seed} of {seeds.stop}")
        runs.append(_one_seed(world, seed, weights))
    precision = world.truth[WEIGHTING]
    recall = np.array([data.recall(system) for system in range(len(data.systems))])
    f1 = np.array([harmonic(p, r) for p, r in zip(precision, recall, strict=True)])
    truth = {"precision": precision, "recall": recall, "f1": f1}
    scores = {}
    for name, kind in SCORES.items():
        ends = [[(row[name].estimate, row[name].low, row[name].high) for row in rows] for _, rows in runs]
        estimate, low, high = np.moveaxis(np.array(ends), 2, 0)
        scores[name] = Held(estimate, low, high, truth[kind])
    return np.array([count for count, _ in runs]), scores


def _one_seed(world: World, seed: int, weights: list[FloatArray]) -> tuple[int, list[dict[str, Interval]]]:
    data, secret = world.data, b"knowledgenet|%d" % seed
    drawn = set(draw_documents(data.documents, EXHAUSTIVE, seed))
    order = np.random.default_rng(seed).permutation(len(weights))
    grown = present(world, order, drawn, secret, WEIGHTING)
    pi = grown.pi
    u, folds = coordinated.uniforms(secret, data.keys), coordinated.folds(secret, data.keys)
    sampled = u < pi
    correct, matching = data.correct, data.matching.correct
    labels = np.where(sampled, correct.astype(float), np.nan)
    place = np.cumsum(sampled) - 1

    inside = np.array([document in drawn for document in data.documents])
    sample = SimpleRandom(len(data.documents))
    true = data.by_document(np.ones(data.true_document.size, bool), data.true_document)[inside]
    pool_correct = data.by_document(matching, data.claim_document)[inside]
    teams = data.teams()

    model = _learnt(data, sampled, folds, correct)
    rows = []
    for system, p, members in zip(data.systems, weights, data.members, strict=True):
        mine = np.zeros(sampled.size, bool)
        mine[members] = True
        own = p[members], pi[members], sampled[members], labels[members], folds[members]
        precision = difference_precision(*own, system.confidence, model=model[members])
        found = data.by_document(data.matching.found_by(mine), data.true_document)[inside]
        own_correct = data.by_document(mine & matching, data.claim_document)[inside]
        share = share_of_pool(pi[sampled], correct[sampled], (mine & correct)[sampled])
        of_documents = document_recall(true, found, sample)
        of_labels = labelled_recall(share, true, pool_correct, own_correct, found, sample)
        alpha = planned_alpha(teams, mine, grown.flat_pi, EXHAUSTIVE, len(data.documents))
        of_both = both(of_documents, of_labels, alpha)
        in_pool = PoolSample(coordinated.variance_weights(pi[sampled]), place[members][sampled[members]])
        rows.append(
            {
                "precision": _of(interval(precision)),
                "precision without the model": _of(interval(difference_precision(*own, system.confidence))),
                "precision without confidences": _of(interval(difference_precision(*own))),
                "recall from documents": _of(interval(of_documents)),
                "recall from labels": _of(interval(of_labels)),
                "recall from both": _of(interval(of_both)),
                "f1 from documents": _of(f1_interval(precision, of_documents)),
                "f1 from both": _of(f1_interval(precision, of_both, pool=in_pool)),
            }
        )
    return int(sampled.sum()), rows


def _learnt(data: KnowledgeNet, sampled: BoolArray, folds: IntArray, correct: BoolArray) -> FloatArray:
    """Return what the labels of all systems say of each claim of the pool, for every fold, [N, K]."""
    teams = {team: number for number, team in enumerate(dict.fromkeys(one.team for one in data.systems))}
    systems = [
        System(members, {}, system.confidence, teams[system.team])
        for system, members in zip(data.systems, data.members, strict=True)
    ]
    entries = SampleEntries.of(systems, sampled)
    f = correct[sampled][entries.positions].astype(float)
    found = learn(systems, data.features(), sampled, folds, entries, {"right": f})["right"]
    model = np.repeat(found.of_pool[:, None], coordinated.FOLDS, axis=1)
    model[sampled] = found.of_sample
    return model


def _of(found: Interval | None) -> Interval:
    if found is None:
        raise AssertionError("a score of these worlds is always estimable")
    return found


def _by_level(found: dict[float, Held]) -> dict[str, float]:
    return {f"{level:.0%}": one.coverage for level, one in found.items()}


def _of_knowledgenet(options: Options, folder: Path) -> dict[str, Any]:
    seeds = range(options.count(200, 10))
    labels, scores = of_ten_systems(knowledgenet.read(folder), seeds, options.progress)
    found: dict[str, Any] = {
        name: {
            "coverage of 95% intervals": one.coverage,
            "median half-width": one.half_width,
            "mean error": one.bias[0],
            "its standard error": one.bias[1],
        }
        for name, one in scores.items()
    }
    return found | {"seeds": len(seeds), "labels": {"least": int(labels.min()), "most": int(labels.max())}}


def _compared(numbers: dict[str, Any]) -> list[Compared]:
    compared = [
        Compared(f"precision, {world}: coverage of 90% intervals", "", levels["90%"])
        for world, levels in numbers["precision"].items()
    ]
    compared += [
        Compared(f"{world}: coverage of 90% intervals", "", levels["90%"])
        for world, levels in numbers["recall and f1"].items()
    ]
    for name in SCORES if "knowledgenet" in numbers else ():
        of_score = numbers["knowledgenet"][name]
        for what in ("coverage of 95% intervals", "median half-width"):
            compared.append(Compared(f"KnowledgeNet, {name}: {what}", "", of_score[what]))
    return compared


def _draw_figure(numbers: dict[str, Any]) -> Callable[[Figure], None]:
    worlds = {f"precision, {world}": levels for world, levels in numbers["precision"].items()}
    worlds |= numbers["recall and f1"]
    marks = dict(zip(("80%", "90%", "95%"), ("simple", "joint", "coordinated"), strict=True))

    def draw(figure: Figure) -> None:
        figure.set_size_inches(figures.WIDTH, 0.24 * len(worlds) + 1)
        axes = figure.subplots()
        place = np.arange(len(worlds))[::-1]
        for level, mark in marks.items():
            axes.axvline(float(level[:-1]) / 100, color=figures.COLOURS["grey"], linewidth=0.8)
            axes.plot(
                [levels[level] for levels in worlds.values()], place, label=level, **figures.MARKS[mark]
            )
        axes.set_yticks(place, list(worlds))
        axes.set_xlabel("share of the intervals that hold the truth; lines: nominal")
        axes.set_xlim(0.7, 1.0)
        axes.legend(loc="lower left")

    return draw
