"""All scores of an epoch's systems: from a pool, its sample and its exhaustive documents."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kbpo_estimators import iid, intervals, many
from kbpo_estimators.coordinated import variance_weights
from kbpo_estimators.document_sums import DocumentSums
from kbpo_estimators.documents import Documents
from kbpo_estimators.f1 import PoolSample, f1
from kbpo_estimators.intervals import Interval, PrecisionShare
from kbpo_estimators.judging.audited import Audit
from kbpo_estimators.judging.corrected import corrected
from kbpo_estimators.judging.products import JudgedEntries
from kbpo_estimators.labelled import (
    ShareOfPool,
    both,
    planned_alphas,
    share_of_pool,
)
from kbpo_estimators.pooled import Entries, PooledModel, Predicted, SampleEntries, UnitFeatures, learn
from kbpo_estimators.recall import RecallEstimate
from kbpo_estimators.reduced import Reduced, reduce_systems
from kbpo_estimators.resampling import Replicates, Resampling, percentile_interval, resample

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
Intervals = Sequence[Interval | None]

VOTES, AUDIT = "votes", "audit"
"""By which standard labels are right: votes are taken for the truth, or corrected by an audit of them."""
BOOTSTRAP = "_bootstrap"
"""What the name of an estimator ends with whose intervals are the bootstrap's."""


@dataclass(frozen=True, eq=False)
class System:
    """A system's instances in the pool.

    Attributes
    ----------
    rows : int[n]
        Their positions in the pool, each once.
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


class Labels(Protocol):
    """What is known of the sampled units, for each part of a prediction that must be right."""

    @property
    def parts(self) -> Sequence[str]:
        """Return the parts that are scored."""

    @property
    def size(self) -> int:
        """Return N, the units of the pool."""

    def of(self, system: int, rows: IntArray, part: str) -> FloatArray:
        """Return f_i for a part, over the units of system i; NaN where one is not in the sample."""

    def of_entries(self, entries: Entries, sampled: BoolArray) -> Mapping[str, FloatArray]:
        """Return by part f_i for each entry: each system at each of its sampled units.

        Parameters
        ----------
        entries : Entries
            Of the systems that the labels are of, or of groups of their units, as many for each.
        sampled : bool[N]
            Which of the pool's units are.

        Returns
        -------
        mapping of str to float[E]
        """


class AuditedLabels(Protocol):
    """An audit of the labels of a pool's sample, and which of them predictions need."""

    @property
    def audit(self) -> Audit:
        """Return the audit."""

    def needs(self, entries: Entries, part: str) -> tuple[Sequence[str], IntArray]:
        """Return the kind of each factor of f for a part (F of them), and its label for each entry.

        Parameters
        ----------
        entries : Entries
            As in `Labels.of_entries`.
        part : str

        Returns
        -------
        kinds : sequence of str
        units : int[F, E]
            As in `judging.products.JudgedEntries`.
        """


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
    flat_pi : float[N] or None
        π as it would be had all variances been planned as ¼: what weighs the two kinds of recall rests on it,
        and so on no label of the documents that planned variances are learnt from. None where it is π itself.
    """

    pi: FloatArray
    sampled: BoolArray
    folds: IntArray
    flat_pi: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class IidSample:
    """Independent draws with replacement.

    Attributes
    ----------
    draws : sequence of int[n_j]
        For each system the positions drawn, in the pool, repeated as often as they came.
    weighting : str
        Under which p they were drawn.
    """

    draws: Sequence[IntArray]
    weighting: str


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
    standard: str = VOTES

    @property
    def measures(self) -> Mapping[str, Interval | None]:
        """What is estimated, by name."""
        return {"precision": self.precision, "recall": self.recall, "f1": self.f1}


@dataclass(frozen=True, eq=False)
class Estimates:
    """What is estimated of a pool's systems for one part, before any interval is made.

    Attributes
    ----------
    part : str
    precision : mapping of (estimator, weighting) to sequence of PrecisionShare
        One for each system.
    recall : mapping of (estimator, weighting) to sequence of RecallEstimate or None
        One for each system; without entries where the part has no recall.
    pools : mapping of str to sequence of PoolSample
        By estimator: where each system's sample stands in the pool's.
    labels : mapping of str to sequence of int
        By estimator: the labelled instances of each system that its precision rests on.
    found : sequence of int, or None
        True relations that each system finds in the exhaustive documents; None where there is no recall.
    true : int or None
        How many there are.
    model : PooledModel or None
        What the precisions take from all systems' labels; None where nothing was learnt from them.
    standard : {"votes", "audit"}
        By which labels are right.
    replicates : mapping of (estimator, weighting) to Replicates
        Of those whose intervals are the bootstrap's.
    """

    part: str
    precision: Mapping[tuple[str, str], Sequence[PrecisionShare]]
    recall: Mapping[tuple[str, str], Sequence[RecallEstimate | None]]
    pools: Mapping[str, Sequence[PoolSample]]
    labels: Mapping[str, Sequence[int]]
    found: Sequence[int] | None = None
    true: int | None = None
    model: PooledModel | None = None
    standard: str = VOTES
    replicates: Mapping[tuple[str, str], Replicates] = field(default_factory=dict)

    def scores(self, levels: Sequence[float] = intervals.LEVELS) -> Iterator[SystemScore]:
        """Make the scores of every system, with intervals at some levels."""
        known: dict[int, Sequence[Intervals]] = {}  # estimators share their precision

        def of(shares: Sequence[intervals.Share | None]) -> Sequence[Intervals]:
            if id(shares) not in known:
                known[id(shares)] = intervals.every_interval(shares, levels)
            return known[id(shares)]

        unknown: Sequence[RecallEstimate | None] = [None] * max(map(len, self.precision.values()), default=0)
        for (estimator, name), precisions in self.precision.items():
            recalls = self.recall.get((estimator, name), unknown)
            of_precision, of_recall = of(precisions), of(recalls)
            resampled = self.replicates.get((estimator, name))
            ends = None if resampled is None else resampled.ends(levels)
            pools = self.pools[estimator]
            # The pool's sample matters only where precision and recall share labels.
            combined = [
                f1(precision, recall, pool if recall is not None and recall.contributions.size > 0 else None)
                for precision, recall, pool in zip(precisions, recalls, pools, strict=True)
            ]
            of_f1 = intervals.every_combined(combined, precisions, recalls, of_precision, of_recall, levels)
            for system in range(len(precisions)):
                for at, level in enumerate(levels):
                    p, r, f = of_precision[system][at], of_recall[system][at], of_f1[system][at]
                    if ends is not None:
                        p, r, f = (
                            percentile_interval(one, *ends[measure][at, :, system])
                            for measure, one in (("precision", p), ("recall", r), ("f1", f))
                        )
                    yield SystemScore(
                        system=system,
                        estimator=estimator,
                        weighting=name,
                        part=self.part,
                        level=round(100 * level),
                        precision=p,
                        recall=r,
                        f1=f,
                        labels=self.labels[estimator][system],
                        found=self.found[system] if self.found is not None else None,
                        true=self.true,
                        standard=self.standard,
                    )


def coordinated_estimates(
    systems: Sequence[System],
    labels: Labels,
    sample: CoordinatedSample,
    documents: Documents | DocumentSums | None,
    *,
    features: UnitFeatures | None = None,
    audited: AuditedLabels | None = None,
    weightings: Sequence[str] | None = None,
    parts: Sequence[str] | None = None,
) -> Iterator[Estimates]:
    """Estimate every system's scores under the coordinated design, with recall by each estimator.

    Parameters
    ----------
    systems, labels, sample
        Of the pool of the fully labelled batches.
    documents : Documents, DocumentSums or None
        None where the corpus has no exhaustive sample: recall and F1 are not estimable.
    features : UnitFeatures or None
        What the task says of the pool's units, for the pooled model; None for estimates without one.
    audited : AuditedLabels or None
        The audit of the sample's labels. With it there is every score twice: by the votes, which are taken
        for the truth, and corrected for the judges' errors.
    weightings, parts : sequence of str or None
        Which scores to make; None for all that the systems and labels have.

    Yields
    ------
    Estimates
        Part by part: those by the votes, then, with an audit, the corrected ones. The estimators are
        ``documents``, ``labelled`` and ``both``.
    """
    parts = labels.parts if parts is None else parts
    models = pooled_models(systems, labels, sample, features, parts) if features is not None else {}
    reduced = _reduced(systems, sample, weightings, models)
    some = next(iter(reduced.values()))
    pools, counts = _pools(some)
    entries = labels.of_entries(some, sample.sampled)
    places = np.flatnonzero(sample.sampled)[some.positions]
    alphas = None
    if documents is not None and documents.size >= 2:
        alphas = planned_alphas(
            [system.rows for system in systems],
            [system.team for system in systems],
            sample.pi if sample.flat_pi is None else sample.flat_pi,
            documents.size,
            documents.population,
            documents.outside,
        )
    for part in parts:
        f = entries[part]
        precision = {
            name: many.difference_precisions(one, f, model=part if part in models else None)
            for name, one in reduced.items()
        }
        weighed = None
        if alphas is not None and documents is not None and documents.has_recall(part):
            alone = {name: documents.recalls(part, name) for name in reduced}
            weighed = _Recall(documents, part, alphas, alone)
        shares = None if weighed is None else _shares_of_pool(some, weighed.documents.inside(f, places))
        model = models[part].model if part in models else None
        whole = _Whole(part, counts, _seen(documents, part), model)
        yield whole.estimates(VOTES, precision, weighed, shares, pools)
        if audited is not None:
            kinds, units = audited.needs(some, part)
            found = corrected(
                audited.audit,
                JudgedEntries(some.indptr, some.positions, kinds, units),
                {name: one.p for name, one in reduced.items()},
                precision,
                shares,
                None if documents is None or documents.outside is None else ~documents.outside[places],
            )
            yield whole.estimates(AUDIT, found.precisions, weighed, found.shares, found.pools)


@dataclass(frozen=True, eq=False)
class _Recall:
    """What recall rests on beside labels: the documents, for a part, and α of each system.

    `alone` is what the documents say by themselves, by weighting.
    """

    documents: Documents | DocumentSums
    part: str
    alphas: Sequence[float]
    alone: Mapping[str, list[RecallEstimate | None]]


@dataclass(frozen=True, eq=False)
class _Whole:
    """What is the same of a part's estimates by either standard."""

    part: str
    counts: list[int]
    seen: tuple[list[int] | None, int | None]
    model: PooledModel | None

    def estimates(
        self,
        standard: str,
        precision: Mapping[str, Sequence[PrecisionShare]],
        weighed: _Recall | None,
        shares: Sequence[ShareOfPool | None] | None,
        pools: list[PoolSample],
    ) -> Estimates:
        """Return them by one."""
        estimators = ("documents", "labelled", "both")
        recall: dict[tuple[str, str], list[RecallEstimate | None]] = {}
        if weighed is not None and shares is not None:
            for name in precision:
                alone = weighed.alone[name]
                product = weighed.documents.labelled(self.part, name, shares, alone)
                recall["documents", name], recall["labelled", name] = alone, product
                recall["both", name] = [
                    both(*ways) for ways in zip(alone, product, weighed.alphas, strict=True)
                ]
        return Estimates(
            self.part,
            {(way, name): found for way in estimators for name, found in precision.items()},
            recall,
            dict.fromkeys(estimators, pools),
            dict.fromkeys(estimators, self.counts),
            *self.seen,
            model=self.model,
            standard=standard,
        )


def pooled_models(
    systems: Sequence[System],
    labels: Labels,
    sample: CoordinatedSample,
    features: UnitFeatures,
    parts: Sequence[str] | None = None,
) -> dict[str, Predicted]:
    """Return what all systems' labels say of each unit, by part: one model for each (`pooled.learn`)."""
    entries = SampleEntries.of(systems, sample.sampled)
    known = labels.of_entries(entries, sample.sampled)
    wanted = {part: known[part] for part in (labels.parts if parts is None else parts)}
    return learn(systems, features, sample.sampled, sample.folds, entries, wanted)


def _reduced(
    systems: Sequence[System],
    sample: CoordinatedSample,
    weightings: Sequence[str] | None,
    models: Mapping[str, Predicted] | None = None,
) -> dict[str, Reduced]:
    weightings = list(systems[0].weights) if weightings is None else weightings
    return reduce_systems(
        (
            (system.rows, {name: system.weights[name] for name in weightings}, system.confidence)
            for system in systems
        ),
        len(systems),
        sample.pi,
        sample.sampled,
        sample.folds,
        models=models,
    )


def _pools(reduced: Reduced) -> tuple[list[PoolSample], list[int]]:
    """Return where each system's sample stands in the pool's, and its size."""
    weights = variance_weights(reduced.pi)
    pools = [PoolSample(weights, own) for own in np.split(reduced.positions, reduced.indptr[1:-1])]
    return pools, np.diff(reduced.indptr).tolist()


def iid_estimates(
    systems: Sequence[System],
    labels: Labels,
    sample: IidSample,
    documents: Documents | DocumentSums | None,
    *,
    weightings: Sequence[str] | None = None,
    parts: Sequence[str] | None = None,
    resampling: Resampling | None = None,
) -> Iterator[Estimates]:
    """Estimate every system's scores under independent draws, by its own draws and by those of all.

    Parameters are those of `coordinated_estimates`, and `resampling`: with it there are bootstrap intervals
    too.

    Yields
    ------
    Estimates
        Part by part, with the estimators ``simple`` and ``joint``, and ``simple_bootstrap`` and
        ``joint_bootstrap``.

    Under other weightings than that of the draws these are reweighted.
    """
    names = list(systems[0].weights) if weightings is None else list(weightings)

    def matrix(name: str) -> Any:
        return iid.systems_matrix([(system.rows, system.weights[name]) for system in systems], labels.size)

    P = matrix(sample.weighting)
    others = [name for name in names if name != sample.weighting]
    targets, ratios = {name: matrix(name) for name in others}, _ratios(systems, sample, others)
    sizes = [rows.size for rows in sample.draws]
    ends = np.cumsum(sizes)
    weights = np.ones(ends[-1])
    everything = np.unique(np.concatenate(list(sample.draws)))
    place = np.full(labels.size, -1)
    place[everything] = np.arange(everything.size)
    inside = [place[system.rows] for system in systems]
    pools = {
        "simple": [
            PoolSample(weights, np.arange(end - rows.size, end))
            for rows, end in zip(sample.draws, ends, strict=True)
        ],
        "joint": [PoolSample(weights, np.arange(weights.size))] * len(systems),
    }
    counts = {
        "simple": [np.unique(rows).size for rows in sample.draws],
        "joint": [int((at >= 0).sum()) for at in inside],
    }
    for part in labels.parts if parts is None else parts:
        f = np.full((len(systems), everything.size), np.nan)
        for number, (system, at) in enumerate(zip(systems, inside, strict=True)):
            f[number, at[at >= 0]] = labels.of(number, system.rows, part)[at >= 0]
        drawn = [(rows, f[:, place[rows]]) for rows in sample.draws]
        own = [(rows, of_all[j]) for j, (rows, of_all) in enumerate(drawn)]
        precision: dict[tuple[str, str], Sequence[PrecisionShare]] = {}
        for name in names:
            precision["simple", name] = iid.simple_estimates(own, ratios.get(name))
            precision["joint", name] = iid.joint_estimates(P, drawn, targets.get(name))
        recall: dict[tuple[str, str], Sequence[RecallEstimate | None]] = {}
        if documents is not None and documents.has_recall(part):
            of_pool = [(rows, documents.inside(of_all, rows)) for rows, of_all in drawn]
            shares: Sequence[ShareOfPool | None] = iid.shares_of_pool(P, of_pool) or [None] * len(systems)
            for name in names:
                alone = documents.recalls(part, name)
                recall["simple", name] = alone
                recall["joint", name] = documents.labelled(part, name, shares, alone)
        estimates = Estimates(part, precision, recall, pools, counts, *_seen(documents, part))
        yield estimates if resampling is None else _with_bootstrap(estimates, sizes, resampling)


def _ratios(
    systems: Sequence[System], sample: IidSample, weightings: Sequence[str]
) -> dict[str, list[iid.Ratio]]:
    """Return by weighting how each system's draws are reweighted to it."""
    ratios: dict[str, list[iid.Ratio]] = {name: [] for name in weightings}
    for system, rows in zip(systems, sample.draws, strict=True):
        order = np.argsort(system.rows)
        drawn = order[np.searchsorted(system.rows, rows, sorter=order)]
        p = system.weights[sample.weighting]
        for name in weightings:
            ratios[name].append(iid.Ratio.of(p, system.weights[name], drawn))
    return ratios


def _with_bootstrap(estimates: Estimates, draws: Sequence[int], resampling: Resampling) -> Estimates:
    """Return estimates with each estimator once more, under a name of its own, with bootstrap intervals."""
    found = resample(estimates.precision, estimates.recall, estimates.pools, draws, resampling)

    def once_more(of_ways: Mapping[tuple[str, str], Any]) -> dict[tuple[str, str], Any]:
        return {**of_ways, **{(way + BOOTSTRAP, name): one for (way, name), one in of_ways.items()}}

    def named(of_estimators: Mapping[str, Any]) -> dict[str, Any]:
        return {**of_estimators, **{way + BOOTSTRAP: one for way, one in of_estimators.items()}}

    return replace(
        estimates,
        precision=once_more(estimates.precision),
        recall=once_more(estimates.recall),
        pools=named(estimates.pools),
        labels=named(estimates.labels),
        replicates={(way + BOOTSTRAP, name): one for (way, name), one in found.items()},
    )


def _seen(documents: Documents | DocumentSums | None, part: str) -> tuple[list[int] | None, int | None]:
    return (None, None) if documents is None else documents.seen(part)


def _shares_of_pool(reduced: Reduced, f: FloatArray) -> list[ShareOfPool | None]:
    ends = reduced.indptr[1:-1]
    correct = list(zip(np.split(reduced.positions, ends), np.split(f, ends), strict=True))
    of_pool = np.zeros(reduced.pi.size)
    for place, own_f in correct:
        of_pool[place] = np.maximum(of_pool[place], own_f)
    shares = []
    for place, own_f in correct:
        own = np.zeros(reduced.pi.size)
        own[place] = own_f
        shares.append(share_of_pool(reduced.pi, of_pool, own))
    return shares
