"""Claims of one file that are one claim: same document and predicate, overlapping subjects and objects."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from kbpo_formats.kbp.predictions import Predictions

_FEW = 16
"""So many claims of a predicate in a document are compared one with another."""
_CELL = 16  # characters

Rectangle = tuple[int, int, int, int]
"""The spans of subject and object: start and end of each."""


def find_overlapping(predictions: Predictions) -> dict[int, int]:
    """Find the claims that overlap one that counts: the most confident first, then the first of the file.

    Returns
    -------
    dict of int to int
        The place of each claim that does not count, and of the first that does and overlaps it.
    """
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, kind in enumerate(
        zip(predictions.names("doc_id"), predictions.names("predicate"), strict=True)
    ):
        groups[kind].append(place)
    a, b, c, d = (
        predictions.integers(name) for name in ("subject_start", "subject_end", "object_start", "object_end")
    )
    found: dict[int, int] = {}
    for places in groups.values():
        if len(places) == 1:
            continue
        rectangles: list[Rectangle] = [(a[i], b[i], c[i], d[i]) for i in places]
        if len(places) <= _FEW and not any(
            _overlap(one, other)
            for number, one in enumerate(rectangles)
            for other in rectangles[number + 1 :]
        ):
            continue
        order = sorted(range(len(places)), key=lambda i: (-predictions.confidences[places[i]], places[i]))
        for one, other in _covered(rectangles, order):
            found[places[one]] = places[other]
    return found


def _overlap(one: Rectangle, other: Rectangle) -> bool:
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]


def _covered(rectangles: Sequence[Rectangle], order: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield each that overlaps one before it that is not yielded itself, and the first such.

    Those that stay do not overlap, so a cell of the plane holds few of them, however many claims there are.
    """
    cells: dict[tuple[int, int], list[int]] = defaultdict(list)
    rank: dict[int, int] = {}
    for one in order:
        mine = list(_cells(rectangles[one]))
        near = {other for cell in mine if cell in cells for other in cells[cell]}
        first = min(
            (other for other in near if _overlap(rectangles[one], rectangles[other])),
            key=rank.__getitem__,
            default=None,
        )
        if first is not None:
            yield one, first
            continue
        rank[one] = len(rank)
        for cell in mine:
            cells[cell].append(one)


def _cells(rectangle: Rectangle) -> Iterator[tuple[int, int]]:
    subject_start, subject_end, object_start, object_end = rectangle
    for row in range(subject_start // _CELL, (subject_end - 1) // _CELL + 1):
        for column in range(object_start // _CELL, (object_end - 1) // _CELL + 1):
            yield row, column
