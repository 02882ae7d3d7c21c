"""The instances that a file claims, in columns: a file may have millions."""

from array import array
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, cast, overload

from kbpo_formats.spans import Span

NONE = -1  # both offsets, where a string has no canonical mention


class ReadPrediction(NamedTuple):
    """An instance that a file claims.

    Attributes
    ----------
    doc_id : str
    predicate : str
        The name it is stored under.
    subject_type, object_type : str
        The ontology's: an entity's for the subject, any for the object.
    subject_entity, object_entity : str
        The entities' names; for a string, what stands between its quotes.
    official : str
        The predicate of that line.
    provenance : str
        Of that line, as it stands there.
    subject, object : Span
        The two mentions, in the stored direction.
    subject_canonical : Span
    object_canonical : Span or None
        The canonical mentions in this document; None for a string.
    line : int
        The line with the largest confidence, the first of them on ties.
    turned : bool
        Whether that line's subject and object changed places.
    confidence : float
        1.0 where the file gives none.
    """

    doc_id: str
    predicate: str
    subject_type: str
    object_type: str
    subject_entity: str
    object_entity: str
    official: str
    provenance: str
    subject: Span
    object: Span
    subject_canonical: Span
    object_canonical: Span | None
    line: int
    turned: bool
    confidence: float


NAMES = ReadPrediction._fields[:8]
SPANS = ReadPrediction._fields[8:12]
OFFSETS = tuple(f"{span}_{end}" for span in SPANS for end in ("start", "end"))
INTEGERS = (*OFFSETS, "line", "turned")


class Predictions(Sequence[ReadPrediction]):
    """A sequence of predictions, each made when it is asked for.

    Parameters
    ----------
    predictions : iterable of ReadPrediction
    """

    def __init__(self, predictions: Iterable[ReadPrediction] = ()) -> None:
        self._names: list[str] = []  # those of the first prediction, those of the second, …
        self._integers = array("i")
        self.confidences = array("d")
        for prediction in predictions:
            self.append(prediction)

    def __len__(self) -> int:
        return len(self.confidences)

    @overload
    def __getitem__(self, index: int) -> ReadPrediction: ...
    @overload
    def __getitem__(self, index: slice) -> list[ReadPrediction]: ...
    def __getitem__(self, index: int | slice) -> ReadPrediction | list[ReadPrediction]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        i = range(len(self))[index]
        names = self._names[i * len(NAMES) : (i + 1) * len(NAMES)]
        *offsets, line, turned = self._integers[i * len(INTEGERS) : (i + 1) * len(INTEGERS)]
        subject, object_, subject_canonical = (Span(*offsets[at : at + 2]) for at in (0, 2, 4))
        object_canonical = None if offsets[6] == NONE else Span(*offsets[6:])
        spans = subject, object_, subject_canonical, object_canonical
        return ReadPrediction._make([*names, *spans, line, bool(turned), self.confidences[i]])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Predictions) and self._fields() == other._fields()

    __hash__ = None  # type: ignore[assignment]  # it grows

    def append(self, one: ReadPrediction) -> None:
        """Add a prediction."""
        self._names += _names(one)
        self._integers.extend(_integers(one))
        self.confidences.append(one.confidence)

    def replace(self, i: int, one: ReadPrediction) -> None:
        """Put a prediction in another's place."""
        self._names[i * len(NAMES) : (i + 1) * len(NAMES)] = _names(one)
        self._integers[i * len(INTEGERS) : (i + 1) * len(INTEGERS)] = array("i", _integers(one))
        self.confidences[i] = one.confidence

    def line(self, i: int) -> int:
        """Return the line of a prediction."""
        return self._integers[i * len(INTEGERS) + INTEGERS.index("line")]

    def without(self, places: Collection[int]) -> "Predictions":
        """Return the predictions but those at some places."""
        return Predictions(one for place, one in enumerate(self) if place not in places)

    def names(self, column: str) -> list[str]:
        """Return a column of `NAMES`."""
        return self._names[NAMES.index(column) :: len(NAMES)]

    def integers(self, column: str) -> "array[int]":
        """Return a column of `INTEGERS`, with `NONE` where there is none."""
        return self._integers[INTEGERS.index(column) :: len(INTEGERS)]

    def _fields(self) -> tuple[object, ...]:
        return self._names, self._integers, self.confidences


def _names(one: ReadPrediction) -> tuple[str, ...]:
    return cast("tuple[str, ...]", one[: len(NAMES)])


def _integers(one: ReadPrediction) -> tuple[int, ...]:
    (a, b), (c, d), (e, f) = one.subject, one.object, one.subject_canonical
    g, h = one.object_canonical or (NONE, NONE)
    return a, b, c, d, e, f, g, h, one.line, one.turned
