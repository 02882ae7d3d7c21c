"""Claims of one file that are one claim: same document and predicate, overlapping subjects and objects.

Spans overlap if they share a character, or stand in the same word or name (`kbpo_formats.kbp.extents`): who
says the surest claims once for each letter or word of their mentions says nothing more.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from kbpo_formats.corpus import Documents
from kbpo_formats.kbp.extents import LONGEST_NAME, Extents
from kbpo_formats.kbp.predictions import Predictions

_FEW = 16
"""So many claims of a predicate in a document are compared one with another first."""
_CELL = 16  # characters

Rectangle = tuple[int, int, int, int]
"""The spans of subject and object: start and end of each."""


def find_overlapping(predictions: Predictions, documents: Documents) -> dict[int, int]:
    """Find the claims that overlap one that counts: the most confident first, then the first of the file.

    Returns
    -------
    dict of int to int
        The place of each claim that does not count, and of the first that does and overlaps it.
    """
    groups: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for place, (doc_id, predicate) in enumerate(
        zip(predictions.names("doc_id"), predictions.names("predicate"), strict=True)
    ):
        groups[doc_id][predicate].append(place)
    a, b, c, d = (
        predictions.integers(name) for name in ("subject_start", "subject_end", "object_start", "object_end")
    )
    found: dict[int, int] = {}
    for doc_id, of_document in groups.items():
        extents: Extents | None = None
        for places in of_document.values():
            rectangles: list[Rectangle] = [(a[i], b[i], c[i], d[i]) for i in places]
            if not _may_overlap(rectangles):
                continue
            if extents is None:
                extents = Extents(documents.text(doc_id))
            grown = [(*extents.grown(*one[:2]), *extents.grown(*one[2:])) for one in rectangles]
            order = sorted(range(len(places)), key=lambda i: (-predictions.confidences[places[i]], places[i]))
            for one, other in _covered(grown, order):
                found[places[one]] = places[other]
    return found


def _may_overlap(rectangles: Sequence[Rectangle]) -> bool:
    """Say whether any two of a few are near enough to stand in one name."""
    if len(rectangles) > _FEW:
        return True
    wide = [
        (a - LONGEST_NAME, b + LONGEST_NAME, c - LONGEST_NAME, d + LONGEST_NAME) for a, b, c, d in rectangles
    ]
    return any(_overlap(one, other) for number, one in enumerate(rectangles) for other in wide[number + 1 :])


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
