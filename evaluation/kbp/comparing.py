"""Comparing knowledge bases: what is stored of an epoch's systems, and their differences from it."""

from dataclasses import dataclass, fields, replace
from io import BytesIO
from typing import Any

import numpy as np

from evaluation.kbp.recall import annotated
from evaluation.kbp.recall.annotated import AnnotatedDocuments
from evaluation.models import Epoch
from evaluation.scores import ReadSide
from kbpo_estimators.comparison import Comparable, OtherDocuments, differences
from kbpo_estimators.differences import Differences


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """An epoch's systems under one choice, and the documents that their recall rests on.

    Attributes
    ----------
    comparable : Comparable
    sample_id : int or None
        The row id of the epoch's exhaustive sample.
    documents : AnnotatedDocuments or None
        As far as they are annotated.
    """

    comparable: Comparable
    sample_id: int | None
    documents: AnnotatedDocuments | None

    def differences(self, other: "Side", measure: str) -> Differences:
        """Return what `evaluation.scores.Side.differences` says, by `estimators.comparison.differences`."""
        if self.documents is None or other.documents is None:
            return differences(self.comparable, other.comparable, measure, None)
        documents = None
        if self.sample_id != other.sample_id:
            place = {pk: column for column, pk in enumerate(other.documents.annotations)}
            here = [column for column, pk in enumerate(self.documents.annotations) if pk in place]
            there = [place[pk] for pk in self.documents.annotations if pk in place]
            documents = OtherDocuments(
                other.documents.design, np.array(here, dtype=np.int64), np.array(there, dtype=np.int64)
            )
        return differences(self.comparable, other.comparable, measure, self.documents.design, documents)

    def difference_of(self, place: int, other: "Side", other_place: int, measure: str) -> Differences:
        """Return what `evaluation.scores.Side.difference_of` says."""
        if other is self:
            two = replace(self, comparable=self.comparable.take([place, other_place]))
            return two.differences(two, measure).take(np.array([0]), np.array([1]))
        one = replace(self, comparable=self.comparable.take([place]))
        return one.differences(replace(other, comparable=other.comparable.take([other_place])), measure)


def sides() -> ReadSide:
    """Return what makes sides of stored arrays. It reads each sample of documents once."""
    samples: dict[int | None, AnnotatedDocuments | None] = {}

    def read(arrays: bytes | memoryview, epoch: Epoch) -> Side:
        pk = epoch.document_sample_id
        if pk not in samples:
            samples[pk] = annotated.read_sample(epoch.document_sample)
        return Side(unpack(arrays), pk, samples[pk])

    return read


def pack(comparable: Comparable) -> bytes:
    """Return the arrays of a Comparable as NumPy's npz; of one that is all 0, its shape alone."""
    stream = BytesIO()
    packed: dict[str, Any] = {}
    for name, array in _arrays(comparable).items():
        if array.ndim == 2 and not array.any():
            packed[f"shape of {name}"] = np.array(array.shape)
        else:
            packed[name] = array
    np.savez(stream, allow_pickle=False, **packed)
    return stream.getvalue()


def unpack(arrays: bytes | memoryview) -> Comparable:
    """Return what `pack` was given."""
    with np.load(BytesIO(arrays), allow_pickle=False) as stored:
        read = {name: stored[name] for name in stored.files}
    for name in [name for name in read if name.startswith("shape of ")]:
        read[name.removeprefix("shape of ")] = np.zeros(read.pop(name))
    return Comparable(**{**read, "documents": int(read["documents"])})


def _arrays(comparable: Comparable) -> dict[str, Any]:
    return {field.name: np.asarray(getattr(comparable, field.name)) for field in fields(comparable)}
