"""What the archive of an epoch of classifications has beside what all have: the class of each prediction.

Every system gives every item a class, so a shown system tells each item's place. What a hidden one gives the
items that nobody judged is withheld, and scores come out of sums over all items instead. Where sums have more
digits than the classes have bits, as of few items, neither they nor all digits of figures are there.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from evaluation.classification.items import LABELS
from evaluation.classification.scoring import BY_CLASS, read_totals
from evaluation.design import columns
from evaluation.task import ArchivedDivision, Archiving, ToArchive
from kbpo.core.database.coded import unpack_names
from kbpo_archive.classification import EACH, NOTHING_TOLD, SUMS
from kbpo_archive.writing import Writer
from kbpo_estimators.scores import CoordinatedSample

CLASSES = "classes.json"
DIGITS = 53
"""The bits that a sum tells, as a float has them."""


def describe(contents: ToArchive, is_open: Sequence[bool]) -> Iterator[tuple[str | None, Sequence[Any]]]:
    """Yield each item's document, which is its key."""
    for key, may_be_told in zip(contents.keys, is_open, strict=True):
        yield (key if may_be_told else None), ()


def prediction_columns(contents: ToArchive) -> Mapping[str, Sequence[Sequence[Any]]]:
    """Return the class that each system gives each item, as far as that is told."""
    stored = columns.read([batch.pk for batch in contents.pool.batches], [LABELS])
    names = [unpack_names(one[LABELS]) for one in stored]
    return {
        "label": [
            [None if is_withheld else name for name, is_withheld in zip(given, own, strict=True)]
            for given, own in zip(
                (column.values[column.codes].tolist() for column in names),
                (one.tolist() for one in contents.withheld),
                strict=True,
            )
        ]
    }


def divide(contents: ToArchive) -> Iterator[ArchivedDivision]:
    """Yield the classes: which labels and predictions are of one, other columns say."""
    classes = contents.epoch.corpus.classes
    assert classes is not None, "a corpus for classification has classes"
    yield ArchivedDivision(BY_CLASS, classes.names, None)


def write(writer: Writer, contents: ToArchive) -> Mapping[str, Any]:
    """Write the classes; and sums over all items, where some of what systems give them is withheld."""
    classes = contents.epoch.corpus.classes
    assert classes is not None, "a corpus for classification has classes"
    writer.add(CLASSES, [json.dumps(classes.names, ensure_ascii=False).encode() + b"\n"])
    told = _how_told(contents)
    if told == SUMS:
        _write_sums(writer, contents, classes.names)
    return {"classes": classes.names, "predictions": told}


def least_withheld(systems: int, classes: int, items: int) -> int:
    """Return of how many items a system's classes must be withheld for sums over all items to be told.

    Whoever refits the model knows what each class would add to each sum: the classes solve a subset sum, and
    where the digits told are more than the bits of the classes, they alone do. So of one system's classes
    there must be more bits than in all sums together.

    Parameters
    ----------
    systems, classes, items : int
        How many are in the epoch, in the corpus, and in its pool.
    """
    told = classes * (DIGITS + systems * (2 * DIGITS + math.log2(items + 1)))
    return math.ceil(told / math.log2(classes)) if classes > 1 else 1


def tells_digits(contents: ToArchive) -> bool:
    """Say whether figures may be stated with all of their digits: they tell as much as sums do."""
    return _how_told(contents) != NOTHING_TOLD


def _how_told(contents: ToArchive) -> str:
    classes = contents.epoch.corpus.classes
    assert classes is not None, "a corpus for classification has classes"
    withheld = max((int(one.sum()) for one in contents.withheld), default=0)
    if not withheld:
        return EACH
    least = least_withheld(len(contents.withheld), len(classes.names), contents.pool.size)
    return SUMS if withheld >= least else NOTHING_TOLD


def _write_sums(writer: Writer, contents: ToArchive, names: Sequence[str]) -> None:
    assert isinstance(contents.sample, CoordinatedSample), "its corpora have no other design"
    q, totals = read_totals(contents.pool, contents.sample)
    places = np.flatnonzero(contents.sample.sampled).tolist()
    folds = contents.sample.folds.tolist()
    writer.add_table(
        "predicted",
        (
            (name, unit, folds[unit], value)
            for name, column in zip(names, q.T.tolist(), strict=True)
            for unit, value in zip(places, column, strict=True)
        ),
    )
    of_all = ((0, number, None, likely, None) for number, likely in enumerate(totals.likely.tolist()))
    of_systems = (
        (system, number, *row)
        for system, rows in enumerate(
            zip(totals.assigned.tolist(), totals.found.tolist(), totals.need.tolist(), strict=True), start=1
        )
        for number, row in enumerate(zip(*rows, strict=True))
    )
    writer.add_table("class_sums", chain(of_all, of_systems))


ARCHIVING = Archiving(
    unit_columns=(),
    describe=describe,
    divide=divide,
    prediction_columns=prediction_columns,
    write=write,
    shares_units=True,
    tells_digits=tells_digits,
    given_from=2,
)
