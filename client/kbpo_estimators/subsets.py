"""Scores of parts of a system: by relation, by type of subject, by how often a name occurs.

They cost no label. Precision uses the sampled instances of the subset, with p restricted to it and
renormalised; recall is over the true relations of the subset, in the exhaustive documents.

A score that rests on few labels says more about those labels than about the system: who submits variants of
a system could read single labels off it. Below `LEAST_LABELS` a subset has no score, and what was left out
of a division must hold as many, or the next smallest subset is left out too: else subtraction would tell.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kbpo_estimators import iid, intervals, many
from kbpo_estimators._checks import BoolArray, IntArray
from kbpo_estimators.document_samples import DocumentSample
from kbpo_estimators.intervals import Interval, PrecisionShare
from kbpo_estimators.pooled import Predicted
from kbpo_estimators.recall import RecallEstimate, document_recall
from kbpo_estimators.reduced import reduce_groups
from kbpo_estimators.scores import CoordinatedSample, IidSample, Labels, System

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
    sample : DocumentSample
        How the documents were drawn.
    documents : int
        d, the exhaustive ones.
    document : int[T]
        In which of them each relation stands.
    found : mapping of str to bool[m, T]
        For the parts `relation` and `all`, which of them each system finds.
    """

    sample: DocumentSample
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

    @property
    def measures(self) -> Mapping[str, Interval | None]:
        """What is estimated, by name."""
        return {"precision": self.precision, "recall": self.recall, "f1": self.f1}


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
    weighting: str,
    models: Mapping[str, Predicted] | None = None,
    parts: Sequence[str] | None = None,
) -> Iterator[SubsetScore]:
    """Score every system on every subset of which it claims something.

    Under `coordinated` precision is the difference estimator, under `iid` the mean of the system's own draws,
    reweighted where these come from another weighting.

    Parameters
    ----------
    systems, labels, sample
        Of the pool, as in `scores`.
    relations : Relations or None
        None where the corpus has no exhaustive documents: recall is not estimable.
    division : Division
    weighting : str
        How claims weigh.
    models : mapping of str to Predicted, optional
        By part, under `coordinated`: the models of the whole pool, as `scores.pooled_models` makes them.
    parts : sequence of str, optional
        Which scores to make; without it, of all.

    Yields
    ------
    SubsetScore
        By system, subset and part.
    """
    parts = labels.parts if parts is None else parts
    size = len(division.names)
    known = np.zeros(size, dtype=np.int64)
    if relations is not None and relations.documents >= 2:  # a variance needs two documents
        known = _counted(division.of_relations, size)
    recallable = enough(known)
    recalls = _recalls(relations, division, recallable) if relations is not None else {}
    measured: _Coordinated | _Iid
    if isinstance(sample, CoordinatedSample):
        measured = _Coordinated(systems, labels, sample, division, weighting, parts, models or {})
    else:
        measured = _Iid(systems, labels, sample, division, weighting, parts)
    for number, of_claims in enumerate(division.of_claims):
        counts = measured.labels(number)
        shown = enough(counts)
        for subset in np.flatnonzero(_counted(of_claims, size)):
            for part in parts:
                score = SubsetScore(number, int(subset), part)
                if shown[subset]:
                    precision = measured.precision(number, int(subset), part)
                    recall = recalls[part][number, int(subset)] if part in recalls else None
                    score = replace(
                        score,
                        precision=intervals.interval(precision, intervals.DEFAULT_LEVEL),
                        recall=intervals.interval(recall, intervals.DEFAULT_LEVEL),
                        f1=intervals.f1_interval(precision, recall, intervals.DEFAULT_LEVEL),
                        labels=int(counts[subset]),
                        true=int(known[subset]) if recall is not None else None,
                    )
                yield score


class _Coordinated:
    """Every system on every subset, by the difference estimator."""

    def __init__(
        self,
        systems: Sequence[System],
        labels: Labels,
        sample: CoordinatedSample,
        division: Division,
        weighting: str,
        parts: Sequence[str],
        models: Mapping[str, Predicted],
    ) -> None:
        self.size = len(division.names)
        reduced = reduce_groups(
            (
                (system.rows, system.weights[weighting], system.confidence, codes)
                for system, codes in zip(systems, division.of_claims, strict=True)
            ),
            len(systems),
            self.size,
            sample.pi,
            sample.sampled,
            sample.folds,
            models=models,
        )
        self.counts = np.diff(reduced.indptr).reshape(len(systems), self.size)
        f = labels.of_entries(reduced, sample.sampled)
        self.found = {
            part: many.difference_precisions(reduced, f[part], model=part if part in models else None)
            for part in parts
        }

    def labels(self, number: int) -> IntArray:
        return np.asarray(self.counts[number])

    def precision(self, number: int, subset: int, part: str) -> PrecisionShare:
        return self.found[part][number * self.size + subset]


class _Iid:
    """Every system on every subset, by its own draws: those in a subset are draws from p restricted to it.

    Under another weighting than that of the draws they are reweighted.
    """

    def __init__(
        self,
        systems: Sequence[System],
        labels: Labels,
        sample: IidSample,
        division: Division,
        weighting: str,
        parts: Sequence[str],
    ) -> None:
        self.division, self.drawn = division, []
        self.p = [system.weights[sample.weighting] for system in systems]
        is_other = weighting != sample.weighting
        self.targets = [system.weights[weighting] for system in systems] if is_other else None
        for system, draws in zip(systems, sample.draws, strict=True):
            order = np.argsort(system.rows)
            self.drawn.append(order[np.searchsorted(system.rows, draws, sorter=order)])
        self.f = {
            part: [
                labels.of(number, system.rows, part)[drawn]
                for number, (system, drawn) in enumerate(zip(systems, self.drawn, strict=True))
            ]
            for part in parts
        }

    def labels(self, number: int) -> IntArray:
        subset = self.division.of_claims[number][np.unique(self.drawn[number])]
        return _counted(subset, len(self.division.names))

    def precision(self, number: int, subset: int, part: str) -> PrecisionShare:
        own = self.division.of_claims[number] == subset
        inside = own[self.drawn[number]]
        drawn, ratios = self.drawn[number][inside], None
        if self.targets is not None:
            p, target = (np.where(own, one[number], 0.0) for one in (self.p, self.targets))
            ratios = [iid.Ratio.of(p / p.sum(), target / target.sum(), drawn)]
        return iid.simple_estimates([(drawn, self.f[part][number][inside])], ratios)[0]


def _counted(subset: IntArray, size: int) -> IntArray:
    return np.bincount(subset[subset >= 0], minlength=size)


def _recalls(
    relations: Relations, division: Division, recallable: BoolArray
) -> dict[str, dict[tuple[int, int], RecallEstimate | None]]:
    """Return by part the recall of each system on each subset that has enough true relations, else None."""
    size, documents = len(division.names), relations.documents
    inside = division.of_relations >= 0
    cell = np.where(inside, division.of_relations, 0) * documents + relations.document

    def by_cell(chosen: BoolArray) -> IntArray:
        counts = np.bincount(cell[chosen & inside], minlength=size * documents)
        return np.asarray(counts.reshape(size, documents))

    true = by_cell(inside)
    recalls: dict[str, dict[tuple[int, int], RecallEstimate | None]] = {}
    for part, found in relations.found.items():
        recalls[part] = {}
        for number, of_system in enumerate(found):
            counts = by_cell(of_system)
            for subset, is_enough in enumerate(recallable):
                recalls[part][number, subset] = (
                    document_recall(true[subset], counts[subset], relations.sample) if is_enough else None
                )
    return recalls
