"""All scores of an epoch's systems: from a pool, its sample and its exhaustive documents."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from evaluation.estimators import iid, intervals, weighting
from evaluation.estimators.documents import SimpleRandom
from evaluation.estimators.intervals import Interval, PrecisionShare
from evaluation.estimators.precision import difference_precision
from evaluation.estimators.recall import RecallEstimate, document_recall

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

PARTS = ("all", "relation", "linking")


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
    """

    rows: IntArray
    weights: Mapping[str, FloatArray]
    confidence: FloatArray


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
    """The exhaustive documents.

    Attributes
    ----------
    population : int
        N, the corpus' documents.
    true : int[d]
        True relations of each document.
    found : mapping of str to int[m, d]
        For the parts `relation` and `all`, how many of them each system finds.
    """

    population: int
    true: IntArray
    found: Mapping[str, IntArray]

    def take(self, columns: IntArray) -> "Documents":
        """Return some of the documents."""
        return Documents(
            self.population, self.true[columns], {part: g[:, columns] for part, g in self.found.items()}
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
    """Score every system under the coordinated design, with recall from documents alone.

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
        With estimator ``documents``.
    """
    for number, system in enumerate(systems):
        rows = system.rows
        for part in parts:
            f = labels.of(number, rows, part)
            for name in weightings:
                precision = difference_precision(
                    system.weights[name],
                    sample.pi[rows],
                    sample.sampled[rows],
                    f,
                    sample.folds[rows],
                    system.confidence,
                )
                yield from _lines(number, "documents", name, part, levels, precision, precision.n, documents)


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

    The draws come from the default weighting, and so do the scores. Recall is that of documents alone.
    Parameters are those of `coordinated_scores`.

    Yields
    ------
    SystemScore
        With estimators ``simple`` and ``joint``.
    """
    name = weighting.DEFAULT
    size = labels.relation.size
    P = sparse.vstack(
        [
            sparse.csr_array(
                (system.weights[name], (np.zeros_like(system.rows), system.rows)), shape=(1, size)
            )
            for system in systems
        ],
        format="csr",
    )
    for part in parts:
        f = np.full((len(systems), size), np.nan)
        for number, system in enumerate(systems):
            f[number, system.rows] = labels.of(number, system.rows, part)
        simple = iid.simple_estimates([(rows, f[j, rows]) for j, rows in enumerate(sample.draws)])
        joint = iid.joint_estimates(P, [(rows, f[:, rows]) for rows in sample.draws])
        everything = np.unique(np.concatenate(list(sample.draws)))
        for number, system in enumerate(systems):
            own, shared = np.unique(sample.draws[number]).size, np.isin(system.rows, everything).sum()
            yield from _lines(number, "simple", name, part, levels, simple[number], own, documents)
            yield from _lines(number, "joint", name, part, levels, joint[number], int(shared), documents)


def _lines(
    number: int,
    estimator: str,
    weighting_name: str,
    part: str,
    levels: Sequence[float],
    precision: PrecisionShare,
    labelled: int,
    documents: Documents | None,
) -> Iterator[SystemScore]:
    recall: RecallEstimate | None = None
    found = true = None
    if documents is not None and part in documents.found:
        g = documents.found[part][number]
        found, true = int(g.sum()), int(documents.true.sum())
        if g.size >= 2:  # a variance needs two documents
            recall = document_recall(documents.true, g, SimpleRandom(documents.population))
    for level in levels:
        yield SystemScore(
            system=number,
            estimator=estimator,
            weighting=weighting_name,
            part=part,
            level=round(100 * level),
            precision=intervals.interval(precision, level),
            recall=intervals.interval(recall, level),
            f1=intervals.f1_interval(precision, recall, level),
            labels=labelled,
            found=found,
            true=true,
        )
