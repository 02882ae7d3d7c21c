"""All scores of an epoch's systems: from a pool, its sample and its exhaustive documents."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.estimators import iid, intervals, weighting
from evaluation.estimators.coordinated import variance_weights
from evaluation.estimators.documents import SimpleRandom
from evaluation.estimators.f1 import PoolSample
from evaluation.estimators.intervals import Interval, PrecisionShare
from evaluation.estimators.labelled import ShareOfPool, both, labelled_recall, planned_alpha, share_of_pool
from evaluation.estimators.precision import difference_precision, noise_adjusted_precision
from evaluation.estimators.recall import RecallEstimate, document_recall

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

PARTS = ("all", "relation", "linking")
ESTIMATORS: Mapping[str, tuple[str, ...]] = {
    "coordinated": ("documents", "labelled", "both"),
    "iid": ("simple", "joint"),
}
"""How recall is estimated under each design; under `iid`, precision too."""


@dataclass(frozen=True, eq=False)
class System:
    """A system's instances in the pool.

    Attributes
    ----------
    rows : int[n]
        Their positions in the pool, ascending.
    weights : mapping of str to float[n]
        p_i under each weighting.
    confidence : float[n]
    team : int
        Which team's it is: any number that systems of one team share.
    """

    rows: IntArray
    weights: Mapping[str, FloatArray]
    confidence: FloatArray
    team: int


@dataclass(frozen=True, eq=False)
class Labels:
    """What is known of the sampled instances; NaN where an instance is not in the sample.

    Attributes
    ----------
    relation : float[N]
        Whether the relation holds, over the pool.
    linking : sequence of float[n_i]
        For each system, whether all canonical mentions of its prediction are right.
    """

    relation: FloatArray
    linking: Sequence[FloatArray]

    def of(self, system: int, rows: IntArray, part: str) -> FloatArray:
        """Return f_i for a part, over the instances of system i."""
        if part == "relation":
            return self.relation[rows]
        if part == "linking":
            return self.linking[system]
        return self.relation[rows] * self.linking[system]


@dataclass(frozen=True, eq=False)
class CoordinatedSample:
    """A Poisson sample with permanent random numbers.

    Attributes
    ----------
    pi : float[N]
        π after the last fully labelled batch.
    sampled : bool[N]
        u < π.
    folds : int[N]
    """

    pi: FloatArray
    sampled: BoolArray
    folds: IntArray


@dataclass(frozen=True, eq=False)
class IidSample:
    """Independent draws with replacement.

    Attributes
    ----------
    draws : sequence of int[n_j]
        For each system the positions drawn, in the pool, repeated as often as they came.
    """

    draws: Sequence[IntArray]


@dataclass(frozen=True, eq=False)
class Documents:
    """The exhaustive documents, drawn uniformly; by part what is found in them, for `relation` and `all`.

    Attributes
    ----------
    population : int
        N, the corpus' documents.
    true : int[d]
        t_d: the true relations of each document.
    found : mapping of str to int[m, d]
        g_i,d: how many of them each system finds.
    correct : mapping of str to int[m, d]
        a_i,d: how many instances of each system match one.
    pool_correct : mapping of str to int[d]
        a_pool,d: how many instances do that some system of the pool predicts.
    """

    population: int
    true: IntArray
    found: Mapping[str, IntArray]
    correct: Mapping[str, IntArray]
    pool_correct: Mapping[str, IntArray]

    def take(self, columns: IntArray) -> "Documents":
        """Return some of the documents."""
        return Documents(
            self.population,
            self.true[columns],
            {part: g[:, columns] for part, g in self.found.items()},
            {part: a[:, columns] for part, a in self.correct.items()},
            {part: a[columns] for part, a in self.pool_correct.items()},
        )


@dataclass(frozen=True)
class SystemScore:
    """One line of scores; None where not estimable.

    Attributes
    ----------
    system : int
        Its position among the pool's systems.
    level : int
        Per cent.
    labels : int
        The labelled instances of the system that the precision rests on.
    found, true : int or None
        Over the exhaustive documents; None where the part has no recall or nothing is annotated.
    """

    system: int
    estimator: str
    weighting: str
    part: str
    level: int
    precision: Interval | None
    recall: Interval | None
    f1: Interval | None
    labels: int
    found: int | None
    true: int | None


@dataclass(frozen=True, eq=False)
class Estimates:
    """What is estimated of a pool's systems for one part, before any interval is made.

    Attributes
    ----------
    part : str
    precision : mapping of (estimator, weighting) to sequence of PrecisionShare
        One for each system.
    recall : mapping of str to sequence of RecallEstimate or None
        By estimator, one for each system; without entries where the part has no recall.
    pools : mapping of str to sequence of PoolSample
        By estimator: where each system's sample stands in the pool's.
    labels : mapping of str to sequence of int
        By estimator: the labelled instances of each system that its precision rests on.
    found : sequence of int, or None
        True relations that each system finds in the exhaustive documents; None where there is no recall.
    true : int or None
        How many there are.
    """

    part: str
    precision: Mapping[tuple[str, str], Sequence[PrecisionShare]]
    recall: Mapping[str, Sequence[RecallEstimate | None]]
    pools: Mapping[str, Sequence[PoolSample]]
    labels: Mapping[str, Sequence[int]]
    found: Sequence[int] | None = None
    true: int | None = None

    def scores(self, levels: Sequence[float] = intervals.LEVELS) -> Iterator[SystemScore]:
        """Make the scores of every system, with intervals at some levels."""
        for (estimator, name), precisions in self.precision.items():
            for system, precision in enumerate(precisions):
                recall = self.recall[estimator][system] if self.recall else None
                for level in levels:
                    yield SystemScore(
                        system=system,
                        estimator=estimator,
                        weighting=name,
                        part=self.part,
                        level=round(100 * level),
                        precision=intervals.interval(precision, level),
                        recall=intervals.interval(recall, level),
                        f1=intervals.f1_interval(precision, recall, level, self.pools[estimator][system]),
                        labels=self.labels[estimator][system],
                        found=self.found[system] if self.found is not None else None,
                        true=self.true,
                    )


def coordinated_scores(
    systems: Sequence[System],
    labels: Labels,
    sample: CoordinatedSample,
    documents: Documents | None,
    *,
    weightings: Sequence[str] = tuple(weighting.WEIGHTINGS),
    parts: Sequence[str] = PARTS,
    levels: Sequence[float] = intervals.LEVELS,
) -> Iterator[SystemScore]:
    """Score every system under the coordinated design, with recall by each estimator.

    Parameters
    ----------
    systems, labels, sample
        Of the pool of the fully labelled batches.
    documents : Documents or None
        None where the corpus has no exhaustive sample: recall and F1 are not estimable.
    weightings, parts, levels
        Which scores to make.

    Yields
    ------
    SystemScore
        With estimators ``documents``, ``labelled`` and ``both``.
    """
    for estimates in coordinated_estimates(
        systems, labels, sample, documents, weightings=weightings, parts=parts
    ):
        yield from estimates.scores(levels)


def noise_adjusted_scores(
    systems: Sequence[System],
    corrected: Labels,
    sample: CoordinatedSample,
    documents: Documents | None,
    *,
    weightings: Sequence[str] = tuple(weighting.WEIGHTINGS),
    parts: Sequence[str] = PARTS,
    levels: Sequence[float] = intervals.LEVELS,
) -> Iterator[SystemScore]:
    """Score every system under the coordinated design from labels that are corrected for workers' errors.

    Recall is that of documents alone: experts annotated them.

    Parameters
    ----------
    corrected : Labels
        Right on average, not 0 or 1 (`annotations.aggregation.correction`); NaN where a label was never
        corrected, which leaves the scores of the systems that need it out.
    systems, sample, documents, weightings, parts, levels
        As in `coordinated_scores`.

    Yields
    ------
    SystemScore
        With the estimator ``documents``.
    """
    inside = [sample.sampled[system.rows] for system in systems]
    for part in parts:
        recalls = (
            _document_recalls(documents, part)
            if documents is not None and _has_recall(documents, part)
            else [None] * len(systems)
        )
        found, true = _seen(documents, part)
        for number, system in enumerate(systems):
            g = corrected.of(number, system.rows, part)
            if np.isnan(g[inside[number]]).any():
                continue
            for name in weightings:
                precision = noise_adjusted_precision(
                    system.weights[name],
                    sample.pi[system.rows],
                    inside[number],
                    g,
                    sample.folds[system.rows],
                    system.confidence,
                )
                for level in levels:
                    yield SystemScore(
                        system=number,
                        estimator="documents",
                        weighting=name,
                        part=part,
                        level=round(100 * level),
                        precision=intervals.interval(precision, level),
                        recall=intervals.interval(recalls[number], level),
                        f1=intervals.f1_interval(precision, recalls[number], level),
                        labels=precision.n,
                        found=None if found is None else found[number],
                        true=true,
                    )


def iid_scores(
    systems: Sequence[System],
    labels: Labels,
    sample: IidSample,
    documents: Documents | None,
    *,
    parts: Sequence[str] = PARTS,
    levels: Sequence[float] = intervals.LEVELS,
) -> Iterator[SystemScore]:
    """Score every system under independent draws, by its own draws and by those of all.

    The draws come from the default weighting, and so do the scores. Parameters are those of
    `coordinated_scores`.

    Yields
    ------
    SystemScore
        With estimators ``simple`` and ``joint``.
    """
    for estimates in iid_estimates(systems, labels, sample, documents, parts=parts):
        yield from estimates.scores(levels)


def coordinated_estimates(
    systems: Sequence[System],
    labels: Labels,
    sample: CoordinatedSample,
    documents: Documents | None,
    *,
    weightings: Sequence[str] = tuple(weighting.WEIGHTINGS),
    parts: Sequence[str] = PARTS,
) -> Iterator[Estimates]:
    """Return the estimates under the coordinated design, part by part; parameters as `coordinated_scores`."""
    place = np.cumsum(sample.sampled) - 1
    pi = sample.pi[sample.sampled]
    inside = [sample.sampled[system.rows] for system in systems]
    positions = [place[system.rows[own]] for system, own in zip(systems, inside, strict=True)]
    weights = variance_weights(pi)
    pools = [PoolSample(weights, own) for own in positions]
    alphas = None if documents is None else _planned_alphas(systems, sample.pi, documents)
    for part in parts:
        f = [labels.of(number, system.rows, part) for number, system in enumerate(systems)]
        precision = {
            name: [
                difference_precision(
                    system.weights[name],
                    sample.pi[system.rows],
                    inside[number],
                    f[number],
                    sample.folds[system.rows],
                    system.confidence,
                )
                for number, system in enumerate(systems)
            ]
            for name in weightings
        }
        recall: dict[str, list[RecallEstimate | None]] = {}
        if alphas is not None and documents is not None and _has_recall(documents, part):
            shares = _shares_of_pool(pi, positions, [own[i] for own, i in zip(f, inside, strict=True)])
            recall["documents"] = _document_recalls(documents, part)
            recall["labelled"] = _labelled_recalls(documents, part, shares)
            recall["both"] = [
                both(*ways) for ways in zip(recall["documents"], recall["labelled"], alphas, strict=True)
            ]
        counts = [own.size for own in positions]
        estimators = ESTIMATORS["coordinated"]
        yield Estimates(
            part,
            {(way, name): found for way in estimators for name, found in precision.items()},
            recall,
            dict.fromkeys(estimators, pools),
            dict.fromkeys(estimators, counts),
            *_seen(documents, part),
        )


def iid_estimates(
    systems: Sequence[System],
    labels: Labels,
    sample: IidSample,
    documents: Documents | None,
    *,
    parts: Sequence[str] = PARTS,
) -> Iterator[Estimates]:
    """Return the estimates under independent draws, part by part; parameters as `iid_scores`."""
    name = weighting.DEFAULT
    P = iid.systems_matrix([(system.rows, system.weights[name]) for system in systems], labels.relation.size)
    ends = np.cumsum([rows.size for rows in sample.draws])
    weights = np.ones(ends[-1])
    everything = np.unique(np.concatenate(list(sample.draws)))
    pools = {
        "simple": [
            PoolSample(weights, np.arange(end - rows.size, end))
            for rows, end in zip(sample.draws, ends, strict=True)
        ],
        "joint": [PoolSample(weights, np.arange(weights.size))] * len(systems),
    }
    counts = {
        "simple": [np.unique(rows).size for rows in sample.draws],
        "joint": [int(np.isin(system.rows, everything).sum()) for system in systems],
    }
    for part in parts:
        f = np.full((len(systems), labels.relation.size), np.nan)
        for number, system in enumerate(systems):
            f[number, system.rows] = labels.of(number, system.rows, part)
        drawn = [(rows, f[:, rows]) for rows in sample.draws]
        recall: dict[str, list[RecallEstimate | None]] = {}
        if documents is not None and _has_recall(documents, part):
            recall["simple"] = _document_recalls(documents, part)
            shares = iid.shares_of_pool(P, drawn)
            recall["joint"] = _labelled_recalls(documents, part, shares or [None] * len(systems))
        yield Estimates(
            part,
            {
                ("simple", name): iid.simple_estimates(
                    [(rows, f[j, rows]) for j, rows in enumerate(sample.draws)]
                ),
                ("joint", name): iid.joint_estimates(P, drawn),
            },
            recall,
            pools,
            counts,
            *_seen(documents, part),
        )


def _has_recall(documents: Documents, part: str) -> bool:
    # A variance needs two documents.
    return part in documents.found and documents.true.size >= 2


def _seen(documents: Documents | None, part: str) -> tuple[list[int] | None, int | None]:
    if documents is None or part not in documents.found:
        return None, None
    return [int(g.sum()) for g in documents.found[part]], int(documents.true.sum())


def _planned_alphas(systems: Sequence[System], pi: FloatArray, documents: Documents) -> list[float]:
    teams = np.zeros(pi.size, dtype=np.int64)
    for team in {system.team for system in systems}:
        teams[np.unique(np.concatenate([one.rows for one in systems if one.team == team]))] += 1
    alphas = []
    for system in systems:
        own = np.zeros(pi.size, dtype=np.bool_)
        own[system.rows] = True
        alphas.append(planned_alpha(teams, own, pi, documents.true.size, documents.population))
    return alphas


def _shares_of_pool(
    pi: FloatArray, positions: Sequence[IntArray], correct: Sequence[FloatArray]
) -> list[ShareOfPool | None]:
    of_pool = np.zeros(pi.size)
    for place, f in zip(positions, correct, strict=True):
        of_pool[place] = np.maximum(of_pool[place], f)
    shares = []
    for place, f in zip(positions, correct, strict=True):
        own = np.zeros(pi.size)
        own[place] = f
        shares.append(share_of_pool(pi, of_pool, own))
    return shares


def _document_recalls(documents: Documents, part: str) -> list[RecallEstimate | None]:
    sample = SimpleRandom(documents.population)
    return [document_recall(documents.true, g, sample) for g in documents.found[part]]


def _labelled_recalls(
    documents: Documents, part: str, shares: Sequence[ShareOfPool | None]
) -> list[RecallEstimate | None]:
    sample = SimpleRandom(documents.population)
    return [
        labelled_recall(
            share,
            documents.true,
            documents.pool_correct[part],
            documents.correct[part][number],
            documents.found[part][number],
            sample,
        )
        for number, share in enumerate(shares)
    ]
