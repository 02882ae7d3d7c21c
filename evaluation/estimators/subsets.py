"""Scores of parts of a system: by relation, by type of subject, by how often a name occurs.

They cost no label. Precision uses the sampled instances of the subset, with p restricted to it and
renormalised; recall is over the true relations of the subset, in the exhaustive documents.

A score that rests on few labels says more about those labels than about the system: who hands in variants of
a system could read single labels off it. Below `LEAST_LABELS` a subset has no score, and what was left out
of a division must hold as many, or the next smallest subset is left out too: else subtraction would tell.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evaluation.estimators import iid, intervals, weighting
from evaluation.estimators._checks import BoolArray, FloatArray, IntArray
from evaluation.estimators.documents import SimpleRandom
from evaluation.estimators.intervals import Interval, PrecisionShare
from evaluation.estimators.precision import difference_precision
from evaluation.estimators.recall import RecallEstimate, document_recall
from evaluation.estimators.scores import PARTS, CoordinatedSample, IidSample, Labels, System

LEAST_LABELS = 30
"""Fewer, and there is no score: one label would move it by more than three points, and the intervals, which
suppose that many labels add up to a bell curve, would hold the truth less often than they say."""


@dataclass(frozen=True, eq=False)
class Division:
    """A way to divide claims and true relations, each into one subset at most.

    Attributes
    ----------
    names : sequence of str
        Of the K subsets.
    of_claims : sequence of int[n_i]
        For each system the subset of each of its instances, −1 for none.
    of_relations : int[T]
        The subset of each true relation of the exhaustive documents, −1 for none.
    """

    names: Sequence[str]
    of_claims: Sequence[IntArray]
    of_relations: IntArray


@dataclass(frozen=True, eq=False)
class Relations:
    """The T true relations of the exhaustive documents, one by one.

    Attributes
    ----------
    population : int
        N, the corpus' documents.
    documents : int
        d, the exhaustive ones.
    document : int[T]
        In which of them each relation stands.
    found : mapping of str to bool[m, T]
        For the parts `relation` and `all`, which of them each system finds.
    """

    population: int
    documents: int
    document: IntArray
    found: Mapping[str, BoolArray]


@dataclass(frozen=True, slots=True)
class SubsetScore:
    """A system's scores on a subset; every figure is None where there are too few labels.

    Attributes
    ----------
    system : int
        Its position among the pool's systems.
    subset : int
        Its position in `Division.names`.
    part : str
    precision, recall, f1 : Interval or None
    labels : int or None
        Labelled instances of the system in the subset: what precision rests on.
    true : int or None
        True relations of the subset in the exhaustive documents: what recall rests on.
    """

    system: int
    subset: int
    part: str
    precision: Interval | None = None
    recall: Interval | None = None
    f1: Interval | None = None
    labels: int | None = None
    true: int | None = None


def enough(counts: IntArray, least: int = LEAST_LABELS) -> BoolArray:
    """Say which subsets of a division may have a score.

    Parameters
    ----------
    counts : int[K]
        The labels of each subset.
    least : int
        What a subset needs, and what all that are left out need together, if any are.

    Returns
    -------
    bool[K]

    Examples
    --------
    The third has too few, and the second would give it away:

    >>> enough(np.array([200, 40, 12]), 30).tolist()
    [True, False, False]
    """
    shown = counts >= least
    while shown.any() and 0 < counts[~shown].sum() < least:
        smallest = np.where(shown, counts, np.iinfo(np.int64).max).argmin()
        shown[smallest] = False
    return shown


def subset_scores(
    systems: Sequence[System],
    labels: Labels,
    sample: CoordinatedSample | IidSample,
    relations: Relations | None,
    division: Division,
    *,
    parts: Sequence[str] = PARTS,
    level: float = intervals.DEFAULT_LEVEL,
) -> Iterator[SubsetScore]:
    """Score every system on every subset of which it claims something.

    Under `coordinated` precision is the difference estimator, under `iid` the mean of the system's own draws.

    Parameters
    ----------
    systems, labels, sample
        Of the pool, as in `scores`. Claims weigh as by default.
    relations : Relations or None
        None where the corpus has no exhaustive documents: recall is not estimable.
    division : Division
    parts, level
        Which scores to make.

    Yields
    ------
    SubsetScore
        By system, subset and part.
    """
    size = len(division.names)
    known = np.zeros(size, dtype=np.int64)
    if relations is not None and relations.documents >= 2:  # a variance needs two documents
        known = _counted(division.of_relations, size)
    recallable = enough(known)
    design = _Coordinated(systems, sample) if isinstance(sample, CoordinatedSample) else _Iid(systems, sample)
    for number, of_claims in enumerate(division.of_claims):
        counts = _counted(of_claims[design.labelled(number)], size)
        shown = enough(counts)
        f = {part: labels.of(number, systems[number].rows, part) for part in parts}
        for subset in np.flatnonzero(_counted(of_claims, size)):
            inside = of_claims == subset
            for part in parts:
                score = SubsetScore(number, int(subset), part)
                if shown[subset]:
                    precision = design.precision(number, inside, f[part])
                    recall = None
                    if relations is not None and recallable[subset] and part in relations.found:
                        own = division.of_relations == subset
                        recall = _recall(relations, own, relations.found[part][number])
                    score = replace(
                        score,
                        precision=intervals.interval(precision, level),
                        recall=intervals.interval(recall, level),
                        f1=intervals.f1_interval(precision, recall, level),
                        labels=int(counts[subset]),
                        true=int(known[subset]) if recall is not None else None,
                    )
                yield score


@dataclass(frozen=True, slots=True, eq=False)
class _Coordinated:
    systems: Sequence[System]
    sample: CoordinatedSample

    def labelled(self, number: int) -> BoolArray:
        return self.sample.sampled[self.systems[number].rows]

    def precision(self, number: int, inside: BoolArray, f: FloatArray) -> PrecisionShare:
        system = self.systems[number]
        rows, p = system.rows[inside], system.weights[weighting.DEFAULT][inside]
        return difference_precision(
            p / p.sum(),
            self.sample.pi[rows],
            self.sample.sampled[rows],
            f[inside],
            self.sample.folds[rows],
            system.confidence[inside],
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Iid:
    systems: Sequence[System]
    sample: IidSample

    def labelled(self, number: int) -> BoolArray:
        return np.isin(self.systems[number].rows, self.sample.draws[number])

    def precision(self, number: int, inside: BoolArray, f: FloatArray) -> PrecisionShare:
        # Draws that fell into the subset are draws from p restricted to it.
        drawn = np.searchsorted(self.systems[number].rows, self.sample.draws[number])
        own = drawn[inside[drawn]]
        return iid.simple_estimates([(own, f[own])])[0]


def _counted(subset: IntArray, size: int) -> IntArray:
    return np.bincount(subset[subset >= 0], minlength=size)


def _recall(relations: Relations, inside: BoolArray, found: BoolArray) -> RecallEstimate | None:
    def by_document(chosen: BoolArray) -> IntArray:
        return np.bincount(relations.document[chosen], minlength=relations.documents)

    sample = SimpleRandom(relations.population)
    return document_recall(by_document(inside), by_document(inside & found), sample)
