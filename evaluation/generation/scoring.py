"""The scores of a pool of systems that write: from rows to arrays to scores, comparisons and subsets."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from io import BytesIO

import numpy as np

from evaluation.generation import subsets
from evaluation.generation.choices import (
    ANOTHER_CROWD,
    CORRECTED,
    COUNTS,
    PLAIN,
    THIS_CROWD,
    UNDECIDED,
    WEIGHTING,
)
from evaluation.generation.given import read_given
from evaluation.generation.judgements import read_judgements
from evaluation.models import Epoch
from evaluation.scores import Choice, Divided, Measured, ReadSide, Scored, ScoredPart, ScoreRow, SubsetRow
from evaluation.task import Sample
from evaluation.units import BoolArray, FloatArray, IntArray, Pool
from kbpo_estimators.generation import Given, Judgements, Score, Scores
from kbpo_estimators.generation.sides import Side, sides_of
from kbpo_estimators.intervals import DEFAULT_LEVEL, LEVELS, Interval
from kbpo_estimators.pooled import UnitFeatures
from kbpo_estimators.scores import CoordinatedSample

_CROWDS = (THIS_CROWD, ANOTHER_CROWD)


@dataclass(frozen=True, eq=False)
class _Found:
    """A pool with all that its scores rest on.

    Attributes
    ----------
    documents : int[I]
        The row id of each input, in the order of `Given.inputs`.
    by_estimator : mapping of str to Scores
    measures : tuple of str
    undecided : list of float or None
        Of each system's judgements the share that decides nothing; None where that cannot be.
    """

    documents: IntArray
    by_estimator: Mapping[str, Scores]
    measures: tuple[str, ...]
    undecided: list[float | None]

    @classmethod
    def read(cls, pool: Pool, sample: Sample) -> "_Found":
        assert isinstance(sample, CoordinatedSample), "its corpora have no other design"
        read = read_given(pool)
        may_be_undecided = UNDECIDED in COUNTS[read.prompt]
        systems = read.systems
        said = read_judgements(pool, (*read.measures, *([UNDECIDED] if may_be_undecided else [])))
        judgements = replace(said, values={name: said.values[name] for name in read.measures})
        bare = [Given(one.inputs, one.units, {}) for one in systems]
        given = {CORRECTED: systems, PLAIN: bare}
        return cls(
            read.documents,
            {
                name: Scores(some, judgements, sample.pi, sample.sampled, read.folds)
                for name, some in given.items()
            },
            read.measures,
            [_undecided(said, one.units) if may_be_undecided else None for one in systems],
        )

    @property
    def size(self) -> int:
        """How many systems there are."""
        return len(self.by_estimator[PLAIN].systems)

    def intervals(
        self, scores: Mapping[str, Score | None], standard: str, level: float
    ) -> dict[str, Interval | None]:
        """Return the interval of each measure for a crowd, at a level."""
        return {name: _interval(one, standard, level) for name, one in scores.items()}

    def scores(self, estimator: str, system: int, within: BoolArray | None = None) -> dict[str, Score | None]:
        """Return a system's score by each measure, of all inputs or of some."""
        found = self.by_estimator[estimator]
        return {name: found.score(system, name, within) for name in self.measures}


def _undecided(judgements: Judgements, units: IntArray) -> float | None:
    own = judgements.values[UNDECIDED][np.isin(judgements.units, units)]
    return float(own.mean()) if own.size else None


def _interval(score: Score | None, standard: str, level: float) -> Interval | None:
    if score is None:
        return None
    estimated = score.this_crowd if standard == THIS_CROWD else score.another_crowd
    return None if estimated is None else estimated.interval(level)


def score(pool: Pool, sample: Sample, features: UnitFeatures) -> Scored:
    """Estimate the means of all measures, with metrics and without, for these people and for others."""
    return Scored(_parts(_Found.read(pool, sample)), "")


def _parts(found: _Found) -> Iterator[ScoredPart]:
    # Parts differ by what ranks alone: each has all measures.
    scores = {
        (estimator, system): found.scores(estimator, system)
        for estimator in found.by_estimator
        for system in range(found.size)
    }
    measured = {
        (*key, standard, level): found.intervals(of_system, standard, level)
        for key, of_system in scores.items()
        for standard in _CROWDS
        for level in LEVELS
    }
    packed = {
        (estimator, standard): _packed(side.arrays)
        for estimator, of_pool in found.by_estimator.items()
        for standard, side in sides_of(
            of_pool, [scores[estimator, system] for system in range(found.size)]
        ).items()
    }
    for part in found.measures:
        rows = [
            _row(
                scores[estimator, system][part],
                system,
                Choice(estimator, WEIGHTING, part, standard),
                level,
                one,
                found.undecided[system],
            )
            for (estimator, system, standard, level), one in measured.items()
        ]
        comparisons = [
            (Choice(estimator, WEIGHTING, part, standard), arrays)
            for (estimator, standard), arrays in packed.items()
        ]
        yield ScoredPart(rows, comparisons, part)


def _row(
    score: Score | None,
    system: int,
    choice: Choice,
    level: float,
    measured: Measured,
    undecided: float | None,
) -> ScoreRow:
    counts: dict[str, int | None] = {"judgements": None, "saved": None, "efficiency_percent": None}
    if score is not None:
        is_finite = np.isfinite(score.efficiency)
        counts = {
            "judgements": score.judgements,
            "saved": round(score.saved) if is_finite else None,
            "efficiency_percent": round(100 * score.efficiency) if is_finite else None,
        }
        if undecided is not None:
            counts["undecided_permille"] = round(1_000 * undecided)
    outputs = 0 if score is None else score.outputs
    return ScoreRow(system, choice, round(100 * level), measured, outputs, counts)


def _packed(arrays: Mapping[str, FloatArray]) -> bytes:
    packed = BytesIO()
    np.savez(packed, allow_pickle=False, **arrays)
    return packed.getvalue()


def sides() -> ReadSide:
    """Return what makes sides of stored arrays."""

    def read(arrays: bytes | memoryview, epoch: Epoch) -> Side:
        with np.load(BytesIO(arrays), allow_pickle=False) as stored:
            return Side({name: stored[name] for name in stored.files})

    return read


def divide(pool: Pool, sample: Sample, features: UnitFeatures) -> Iterator[Divided]:
    """Score every system on each subset of the inputs, for these people and for others."""
    found = _Found.read(pool, sample)
    units = [system.units for system in found.by_estimator[CORRECTED].systems]
    inputs = [system.inputs for system in found.by_estimator[CORRECTED].systems]
    for division, of_input, of_unit in subsets.read(pool, found.documents):
        names = subsets.NAMES[division]
        masks = []
        for own_units, own_inputs in zip(units, inputs, strict=True):
            which = of_input
            if of_unit is not None:
                which = np.full(found.documents.size, -1)
                which[own_inputs] = of_unit[own_units]
            masks.append(which)
        yield Divided(division, names, _subset_rows(found, masks, len(names)))


def _subset_rows(found: _Found, masks: list[IntArray], size: int) -> Iterator[SubsetRow]:
    for system, which in enumerate(masks):
        for subset in range(size):
            within = which == subset
            if not within.any():
                continue
            scores = found.scores(CORRECTED, system, within)
            judged = next((one.outputs for one in scores.values() if one is not None), None)
            for standard in _CROWDS:
                measured = found.intervals(scores, standard, DEFAULT_LEVEL)
                for part in found.measures:
                    yield SubsetRow(system, subset, part, measured, judged, None, standard)
