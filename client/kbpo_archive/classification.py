"""Scores of classifications, from an archive."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from kbpo_archive.errors import BadArchive
from kbpo_archive.figures import Choice, Figure, Place, Scored, SubsetPlace, measured, measured_subset
from kbpo_archive.pool import ArchivedPool
from kbpo_archive.reading import Archive
from kbpo_estimators._checks import FloatArray, IntArray
from kbpo_estimators.classification.apart import Apart
from kbpo_estimators.classification.estimates import FEW, Estimated, Given, Scores, Totals, learn
from kbpo_estimators.classification.labels import AuditedItems
from kbpo_estimators.classification.sides import Side
from kbpo_estimators.differences import Differences
from kbpo_estimators.intervals import DEFAULT_LEVEL, LEVELS, interval
from kbpo_estimators.scores import AUDIT, VOTES

ESTIMATOR, WEIGHTING, PART = "sampled", "class", "class"
"""What there is to choose: one of each."""
BY_CLASS = "class"
"""The one way to divide."""
PREDICTIONS, MODELLED = "predictions", "modelled"
"""What the manifest has: how what systems give the items is told; and the numbers of the systems that the
pooled model learnt from, all of whose classes are told."""
EACH, SUMS, NOTHING_TOLD = "each", "sums", "nothing"
"""How that is told: each; of hidden systems, where nobody judged, by sums over all items; or neither, since
those are too few: then their scores are not stated."""
_WITHHELD = -1

Audited = Callable[[AuditedItems | None], Apart]
"""What makes scores, from an audit or none."""


_SUMS = ("items", "likely", "own", "all", "need")


@dataclass(frozen=True, slots=True, eq=False)
class _System:
    """What the scores of a system take from all items.

    Attributes
    ----------
    by_shared, by_own : Totals
        Of it alone, by the model that learnt from shown systems, and by its own, which may be the same.
    q : float[S, C]
        What its own says of the sampled items.
    """

    by_shared: Totals
    by_own: Totals
    q: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class _Computed:
    """Scores by one standard, of the systems of which they can be computed.

    Attributes
    ----------
    standard : str
    scores : Apart
    numbers : sequence of int
        Those of its systems in the archive, from 1.
    size : int
        How many systems there are.
    """

    standard: str
    scores: Apart
    numbers: Sequence[int]
    size: int

    def differences(self, side: Side, measure: str) -> Differences:
        """Return how much more each system of the archive has of a measure than each; NaN where unknown."""
        found, places = side.differences(side, measure), np.array(self.numbers) - 1
        estimates, variances = (np.full((self.size, self.size), np.nan) for _ in range(2))
        own, others = (np.full(self.size, np.nan) for _ in range(2))
        estimates[np.ix_(places, places)] = found.estimates
        variances[np.ix_(places, places)] = found.variances
        own[places], others[places] = found.own, found.others
        return Differences(estimates, variances, own, others, found.degrees_of_freedom)


def score(archive: Archive) -> Iterator[Scored]:
    """Compute the scores of an epoch's systems, by each standard.

    All of them, but where what hidden systems predict is told in no way: then those of the others.
    """
    for one in _compute(archive):
        overall = [one.scores.overall(place) for place in range(len(one.numbers))]
        side = one.scores.side(overall)
        choice = Choice(ESTIMATOR, WEIGHTING, PART, one.standard)
        yield Scored(_figures(choice, one.numbers, overall), [(choice, partial(one.differences, side))])


def _figures(
    choice: Choice, numbers: Sequence[int], overall: Sequence[Mapping[str, Estimated | None]]
) -> Iterator[tuple[Place, Figure]]:
    for system, found in zip(numbers, overall, strict=True):
        for level in LEVELS:
            intervals = {name: interval(one, level) for name, one in found.items()}
            yield from measured(system, choice, round(100 * level), intervals)


def subsets(archive: Archive) -> Iterator[tuple[SubsetPlace, Figure]]:
    """Compute the scores of classes, of the systems of which `score` does."""
    for one in _compute(archive):
        scores = one.scores.shared
        for place, system in enumerate(one.numbers):
            for number in range(scores.classes):
                by_class = one.scores.by_class(place, number)
                measures = {name: interval(found, DEFAULT_LEVEL) for name, found in by_class.items()}
                some = any(found is not None for found in measures.values())
                judged = int(scores.judged[number])
                yield from measured_subset(
                    SubsetPlace(system, BY_CLASS, number, PART, one.standard, ""),
                    measures,
                    scores.labels(place, number) if some else None,
                    judged if judged >= FEW else None,
                )


def _compute(archive: Archive) -> Iterator[_Computed]:
    """Yield the scores by each standard."""
    pool = ArchivedPool(archive)
    names: list[str] = archive.manifest["classes"]
    claims = _claims(pool)
    truth = np.full(pool.size, -1, dtype=np.int64)
    truth[pool.sampled] = [
        next((names.index(claim) for claim, value, _ in said if value == 1), -1) for said in claims
    ]
    numbers, of = _from_predictions(pool, names, truth)
    if not numbers:
        return
    size = pool.table_of_systems["system"].size
    yield _Computed(VOTES, of(None), numbers, size)
    audit = pool.audit(_answers(claims))
    if audit is not None:
        # Answers are numbers of classes in the order of their names, from 1; 0 of none.
        number = np.array([-1, *(names.index(name) for name in sorted(names))])
        audited = number[np.nan_to_num(audit.answers).astype(np.int64)]
        of_audit = of(AuditedItems(audit.rho, audit.audited, audited, audit.doubts))
        yield _Computed(AUDIT, of_audit, numbers, size)


def _from_predictions(pool: ArchivedPool, names: list[str], truth: IntArray) -> tuple[list[int], Audited]:
    """Return of which systems scores can be computed, and what makes them; truth is int[N]."""
    given = _read_given(pool, names)
    manifest, sampled, pi = pool.archive.manifest, pool.sampled, pool.units["pi"]
    told = [system for system, one in given.items() if (one.classes != _WITHHELD).all()]
    modelled = [system for system in manifest[MODELLED] if system in given]
    if not set(modelled) <= set(told):
        raise BadArchive("withholds classes that its model learnt from", where=str(pool.archive.path))
    shown = [given[one] for one in modelled]
    of_model = len(names), sampled, pool.units["fold"], truth
    q, _ = learn(shown, *of_model)
    found: dict[int, _System] = {}
    for system in told:
        one = given[system]
        own = q if system in modelled else learn([*shown, one], *of_model)[0]
        found[system] = _System(Totals.of([one], pi, q), Totals.of([one], pi, own), own[sampled])
    if manifest[PREDICTIONS] == SUMS:
        found |= _read_withheld(pool, [system for system in given if system not in found], len(names), q)
    numbers = sorted(found)
    of_sample = [given[one].classes[sampled] for one in numbers]

    def of(audit: AuditedItems | None) -> Apart:
        def scores(classes: list[IntArray], by: FloatArray, sums: Totals) -> Scores:
            return Scores(classes, pi[sampled], truth[sampled], by, sums, audit)

        own = {
            place: scores([of_sample[place]], found[one].q, found[one].by_own)
            for place, one in enumerate(numbers)
            if one not in modelled
        }
        together = Totals.together([found[one].by_shared for one in numbers])
        return Apart(scores(of_sample, q[sampled], together), own)

    return numbers, of


def _read_given(pool: ArchivedPool, names: list[str]) -> dict[int, Given]:
    """Read what each system gives the items, by its number: no class where that is withheld."""
    number = {"": _WITHHELD, **{name: place for place, name in enumerate(names)}}
    found = {}
    for system, own, labels in zip(
        pool.table_of_systems["system"].tolist(), pool.systems, pool.split("label"), strict=True
    ):
        classes, confidence = np.full(pool.size, _WITHHELD), np.empty(pool.size)
        classes[own.rows] = [number.get(label, _WITHHELD) for label in labels.tolist()]
        confidence[own.rows] = own.confidence
        if (classes[pool.sampled] == _WITHHELD).any():
            raise BadArchive(
                f"lacks the class that system {system} gives a judged item", where=str(pool.archive.path)
            )
        found[system] = Given(classes, confidence, own.team)
    return found


def _read_withheld(
    pool: ArchivedPool, systems: Sequence[int], classes: int, q: FloatArray
) -> dict[int, _System]:
    """Read what scores take of the systems whose classes are withheld."""
    place, size = np.cumsum(pool.sampled) - 1, int(pool.sampled.sum())
    sums, said = pool.archive.table("class_sums"), pool.archive.table("class_predicted")
    found = {}
    for system in systems:
        cells = np.full((len(_SUMS), classes), np.nan)
        own = sums["system"] == system
        cells[:, sums["class"][own]] = [sums[name][own] for name in _SUMS]
        by_own, own = np.full((size, classes), np.nan), said["system"] == system
        by_own[place[said["unit"][own]], said["class"][own]] = said["value"][own]
        if np.isnan(cells).any() or np.isnan(by_own).any():
            where = str(pool.archive.path)
            raise BadArchive("lacks rows of class_sums.csv or class_predicted.csv", where=where)
        items, likely, by_model, of_all, need = cells[:, None, :]
        assigned = items.astype(np.int64)
        found[system] = _System(
            Totals(pool.size, q.sum(axis=0), assigned, likely, need),
            Totals(pool.size, of_all[0], assigned, by_model, need),
            by_own,
        )
    return found


def is_held_back(archive: Archive, place: Place) -> bool:
    """Say whether a score rests on what the archive does not tell: then it is not stated either."""
    return False


def is_subset_held_back(archive: Archive, place: SubsetPlace) -> bool:
    """Say the same of a score of a class."""
    return False


def _claims(pool: ArchivedPool) -> list[list[tuple[str, float, float]]]:
    """Return for each sampled item its question's claims in order, with the label's and audit's values."""
    labels = pool.labels
    by_question: dict[int, list[tuple[str, float, float]]] = {}
    for row in zip(
        labels.question.tolist(), labels.claim, labels.value.tolist(), labels.answer.tolist(), strict=True
    ):
        by_question.setdefault(row[0], []).append(row[1:])
    return [sorted(by_question.get(one, [])) for one in pool.units["question"][pool.sampled].tolist()]


def _answers(claims: list[list[tuple[str, float, float]]]) -> FloatArray:
    """Return the number of the claim that the audit says holds, from 1; 0 of none, NaN without an answer."""
    found = np.zeros(len(claims))
    for item, said in enumerate(claims):
        for number, (_, _, answer) in enumerate(said, start=1):
            found[item] = np.maximum(found[item], answer * number)  # NaN stays
    return found
