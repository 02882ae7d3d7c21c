"""What the archive of an epoch of classifications has beside what all have: the class of each prediction."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evaluation.classification.items import LABELS
from evaluation.classification.scoring import BY_CLASS
from evaluation.design import columns
from evaluation.task import ArchivedDivision, Archiving, ToArchive
from kbpo.core.database.coded import unpack_names
from kbpo_archive.writing import Writer

CLASSES = "classes.json"


def describe(contents: ToArchive, is_open: Sequence[bool]) -> Iterator[tuple[str | None, Sequence[Any]]]:
    """Yield each item's document, which is its key."""
    for key, may_be_told in zip(contents.keys, is_open, strict=True):
        yield (key if may_be_told else None), ()


def prediction_columns(contents: ToArchive) -> Mapping[str, Sequence[Sequence[Any]]]:
    """Return the class that each system gives each item."""
    stored = columns.read([batch.pk for batch in contents.pool.batches], [LABELS])
    names = [unpack_names(one[LABELS]) for one in stored]
    return {"label": [column.values[column.codes].tolist() for column in names]}


def divide(contents: ToArchive) -> Iterator[ArchivedDivision]:
    """Yield the classes: which labels and predictions are of one, other columns say."""
    classes = contents.epoch.corpus.classes
    assert classes is not None, "a corpus for classification has classes"
    yield ArchivedDivision(BY_CLASS, classes.names, None)


def write(writer: Writer, contents: ToArchive) -> Mapping[str, Any]:
    """Write the classes."""
    classes = contents.epoch.corpus.classes
    assert classes is not None, "a corpus for classification has classes"
    writer.add(CLASSES, [json.dumps(classes.names, ensure_ascii=False).encode() + b"\n"])
    return {"classes": classes.names}


ARCHIVING = Archiving(
    unit_columns=(), describe=describe, divide=divide, prediction_columns=prediction_columns, write=write
)
