"""Scores of classifications, from an archive."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from kbpo_archive.errors import BadArchive
from kbpo_archive.figures import Choice, Figure, Place, Scored, SubsetPlace, measured, measured_subset
from kbpo_archive.pool import ArchivedPool
from kbpo_archive.reading import Archive
from kbpo_estimators._checks import FloatArray, IntArray
from kbpo_estimators.classification.estimates import FEW, Estimated, Given, Scores, Totals, learn
from kbpo_estimators.classification.labels import AuditedItems
from kbpo_estimators.classification.sides import Side
from kbpo_estimators.intervals import DEFAULT_LEVEL, LEVELS, interval
from kbpo_estimators.scores import AUDIT, VOTES

ESTIMATOR, WEIGHTING, PART = "sampled", "class", "class"
"""What there is to choose: one of each."""
BY_CLASS = "class"
"""The one way to divide."""
PREDICTIONS = "predictions"
EACH, SUMS, NOTHING_TOLD = "each", "sums", "nothing"
"""How what systems give the items is told, as the manifest has it: each; of hidden systems, where nobody
judged, by sums over all items; or neither, since those are too few."""

Audited = Callable[[AuditedItems | None], Scores]
"""What makes scores, from an audit or none."""


def score(archive: Archive, through: int | None = None) -> Iterator[Scored]:
    """Compute every score of an epoch's systems, by each standard; or as they were after so many of them."""
    for standard, scores, systems in _scores(archive, through):
        overall = [scores.overall(system) for system in range(systems)]
        side = Side.of(scores, overall)
        choice = Choice(ESTIMATOR, WEIGHTING, PART, standard)
        yield Scored(_figures(choice, overall), [(choice, partial(side.differences, side))])


def _figures(
    choice: Choice, overall: Sequence[Mapping[str, Estimated | None]]
) -> Iterator[tuple[Place, Figure]]:
    for system, found in enumerate(overall, start=1):
        for level in LEVELS:
            intervals = {name: interval(one, level) for name, one in found.items()}
            yield from measured(system, choice, round(100 * level), intervals)


def subsets(archive: Archive) -> Iterator[tuple[SubsetPlace, Figure]]:
    """Compute every score of a class."""
    for standard, scores, systems in _scores(archive):
        for system in range(systems):
            for number in range(scores.classes):
                by_class = scores.by_class(system, number)
                measures = {name: interval(one, DEFAULT_LEVEL) for name, one in by_class.items()}
                some = any(one is not None for one in measures.values())
                judged = int(scores.judged[number])
                place = SubsetPlace(system + 1, BY_CLASS, number, PART, standard, "")
                yield from measured_subset(
                    place,
                    measures,
                    scores.labels(system, number) if some else None,
                    judged if judged >= FEW else None,
                )


def _scores(archive: Archive, through: int | None = None) -> Iterator[tuple[str, Scores, int]]:
    """Yield the scores by each standard, and how many systems there are."""
    told = archive.manifest[PREDICTIONS]
    if told == NOTHING_TOLD:
        return
    pool = ArchivedPool(archive, through)
    names: list[str] = archive.manifest["classes"]
    claims = _claims(pool)
    truth = np.array(
        [next((names.index(claim) for claim, value, _ in said if value == 1), -1) for said in claims],
        dtype=np.int64,
    )
    of, m = _of_sums(pool, names, truth) if told == SUMS else _of_each(pool, names, truth)
    yield VOTES, of(None), m
    audit = pool.audit(_answers(claims))
    if audit is not None:
        # Answers are numbers of classes in the order of their names, from 1; 0 of none.
        number = np.array([-1, *(names.index(name) for name in sorted(names))])
        audited = number[np.nan_to_num(audit.answers).astype(np.int64)]
        yield AUDIT, of(AuditedItems(audit.rho, audit.audited, audited, audit.doubts)), m


def _of_each(pool: ArchivedPool, names: list[str], of_sample: IntArray) -> tuple[Audited, int]:
    """Return what makes scores, where each prediction is told, and how many systems there are."""
    truth = np.full(pool.size, -1, dtype=np.int64)
    truth[pool.sampled] = of_sample
    systems = _systems(pool, names)
    q, _ = learn(systems, len(names), pool.sampled, pool.units["fold"], truth)
    return partial(Scores.of, systems, len(names), pool.units["pi"], pool.sampled, truth, q), len(systems)


def _of_sums(pool: ArchivedPool, names: list[str], of_sample: IntArray) -> tuple[Audited, int]:
    """Return the same where of the items that nobody judged only sums are told."""
    place = np.cumsum(pool.sampled) - 1
    m, size = pool.table_of_systems["system"].size, of_sample.size
    given = []
    for rows, labels in zip(pool.split("unit"), pool.split("label"), strict=True):
        own = pool.sampled[rows]
        classes = np.empty(size, dtype=np.int64)
        classes[place[rows[own]]] = [names.index(label) for label in labels[own].tolist()]
        given.append(classes)
    predicted, sums = pool.archive.table("predicted"), pool.archive.table("class_sums")
    q = np.full((size, len(names)), np.nan)
    q[place[predicted["unit"]], [names.index(part) for part in predicted["part"]]] = predicted["value"]
    cells = {name: np.full((m + 1, len(names)), np.nan) for name in ("items", "likely", "need")}
    for name, column in cells.items():
        column[sums["system"], sums["class"]] = sums[name]
    needed = (q, cells["likely"], cells["need"][1:], cells["items"][1:])
    if any(np.isnan(one).any() for one in needed):
        raise BadArchive("lacks rows of predicted.csv or class_sums.csv", where=str(pool.archive.path))
    likely = cells["likely"]
    totals = Totals(pool.size, likely[0], cells["items"][1:].astype(np.int64), likely[1:], cells["need"][1:])
    return partial(Scores, given, pool.units["pi"][pool.sampled], of_sample, q, totals), m


def is_held_back(archive: Archive, place: Place) -> bool:
    """Say whether a score rests on what systems give items, and that is neither told nor summed."""
    told: str = archive.manifest[PREDICTIONS]
    return told == NOTHING_TOLD


def is_subset_held_back(archive: Archive, place: SubsetPlace) -> bool:
    """Say the same of a score of a class."""
    told: str = archive.manifest[PREDICTIONS]
    return told == NOTHING_TOLD


def why_not_then(archive: Archive, place: Place) -> str | None:
    """Say why a figure of earlier in an epoch cannot be computed; None where it can."""
    if archive.manifest[PREDICTIONS] == EACH:
        return None
    return (
        "are of earlier in the epoch: of the classes that hidden and withdrawn systems give items, the"
        " archive has sums of its end alone"
    )


def _systems(pool: ArchivedPool, names: list[str]) -> list[Given]:
    found = []
    for system, labels in zip(pool.systems, pool.split("label"), strict=True):
        given, confidence = np.empty(pool.size, dtype=np.int64), np.empty(pool.size)
        given[system.rows] = [names.index(label) for label in labels.tolist()]
        confidence[system.rows] = system.confidence
        found.append(Given(given, confidence, system.team))
    return found


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
