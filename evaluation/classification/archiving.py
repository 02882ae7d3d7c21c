"""What the archive of an epoch of classifications has beside what all have: the class of each prediction.

Every system gives every item a class, so a shown system tells each item's place. What a hidden one gives the
items that nobody judged is withheld. Scores of the others do not rest on it, since the model that they share
does not know hidden systems; its own come out of sums over all items instead. Where these have more digits
than its classes have bits, as of few items, neither they nor its scores are there.
"""

import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from evaluation.classification.items import LABELS
from evaluation.classification.scoring import BY_CLASS, modelled_systems, read_withheld
from evaluation.design import columns
from evaluation.models import Epoch
from evaluation.task import ArchivedDivision, Archiving, ToArchive
from kbpo.core.database.coded import unpack_names
from kbpo_archive.classification import EACH, MODELLED, NOTHING_TOLD, PREDICTIONS, SUMS
from kbpo_archive.writing import Writer
from kbpo_estimators.scores import CoordinatedSample

CLASSES = "classes.json"
DIGITS = 53
"""The bits that a sum tells, as a float has them."""
SUMS_OF_CLASS = 4
"""Of a class, beside how many items a system gives it."""
MOMENTS = 2
"""What the system's own model tells by what it says of judged items: the scale of confidences."""


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
    """Write the classes, what the model learnt from, and sums of what is withheld, where these are told."""
    classes = contents.epoch.corpus.classes
    assert classes is not None, "a corpus for classification has classes"
    writer.add(CLASSES, [json.dumps(classes.names, ensure_ascii=False).encode() + b"\n"])
    told = _how_told(contents)
    if told == SUMS:
        _write_sums(writer, contents)
    modelled = modelled_systems(contents.epoch)
    numbers = [one.number for one in contents.pool.batches if modelled.get(one.submission_id, False)]
    return {"classes": classes.names, PREDICTIONS: told, MODELLED: numbers}


def least_withheld(classes: int, items: int) -> int:
    """Return of how many items a system's classes must be withheld for its sums over all items to be told.

    Whoever refits the model knows what each class would add to each sum: the classes solve a subset sum, and
    where the digits told are more than the bits of the classes, they alone do. So of a system's classes there
    must be more bits than in its sums together. Other systems' sums say nothing of it.

    Parameters
    ----------
    classes, items : int
        How many are in the corpus, and in the epoch's pool.
    """
    told = classes * (SUMS_OF_CLASS * DIGITS + math.log2(items + 1)) + MOMENTS * DIGITS
    return math.ceil(told / math.log2(classes)) if classes > 1 else 1


def told_anyway(epoch: Epoch) -> Collection[int]:
    """Return the systems that the pooled model learnt from: at the release everybody saw them."""
    return {pk for pk, is_in in modelled_systems(epoch).items() if is_in}


def tells_hidden(contents: ToArchive) -> bool:
    """Say whether figures of withheld systems may be stated: they tell as much as sums do."""
    return _how_told(contents) != NOTHING_TOLD


def _how_told(contents: ToArchive) -> str:
    classes = contents.epoch.corpus.classes
    assert classes is not None, "a corpus for classification has classes"
    withheld = [count for one in contents.withheld if (count := int(one.sum()))]
    if not withheld:
        return EACH
    return SUMS if min(withheld) >= least_withheld(len(classes.names), contents.pool.size) else NOTHING_TOLD


def _write_sums(writer: Writer, contents: ToArchive) -> None:
    assert isinstance(contents.sample, CoordinatedSample), "its corpora have no other design"
    places = [place for place, one in enumerate(contents.withheld) if one.any()]
    withheld = list(zip(places, read_withheld(contents.pool, contents.sample, places), strict=True))
    units = np.flatnonzero(contents.sample.sampled).tolist()
    writer.add_table(
        "class_sums",
        (
            (place + 1, number, *row)
            for place, one in withheld
            for number, row in enumerate(
                zip(
                    one.by_own.assigned[0].tolist(),
                    one.by_shared.found[0].tolist(),
                    one.by_own.found[0].tolist(),
                    one.by_own.likely.tolist(),
                    one.by_own.need[0].tolist(),
                    strict=True,
                )
            )
        ),
    )
    writer.add_table(
        "class_predicted",
        (
            (place + 1, unit, number, value)
            for place, one in withheld
            for unit, row in zip(units, one.q.tolist(), strict=True)
            for number, value in enumerate(row)
        ),
    )


ARCHIVING = Archiving(
    unit_columns=(),
    describe=describe,
    divide=divide,
    prediction_columns=prediction_columns,
    write=write,
    shares_units=True,
    told_anyway=told_anyway,
    tells_hidden=tells_hidden,
)
