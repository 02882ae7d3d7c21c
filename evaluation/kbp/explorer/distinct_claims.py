"""What published systems claim, each claim once: of however many systems, and in the order of the texts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.kbp.claims import ClaimRow
from evaluation.kbp.explorer.statements import Relation
from kbpo.core.database.bulk import array_literal, read_columns, read_rows
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.spans import Span

AT_ONCE = 200_000  # claims of which it is counted who makes them, in one query

_CLAIM = ("subject_type", "object_type", "subject_canonical_start", "subject_canonical_end")
_OF_OBJECT = ("object_canonical_start", "object_canonical_end")
_PLACE = ("document_id", "predicate", "subject_start", "subject_end", "object_start", "object_end")

# Codes for predicates and types; 0 for what the ontology does not have.
_DISTINCT = """
SELECT min(prediction.id), instance.id, instance.document_id,
    COALESCE(array_position(%s::text[], instance.predicate::text), 0),
    instance.subject_start, instance.subject_end, instance.object_start, instance.object_end,
    COALESCE(array_position(%s::text[], prediction.subject_type::text), 0),
    COALESCE(array_position(%s::text[], prediction.object_type::text), 0),
    prediction.subject_canonical_start, prediction.subject_canonical_end,
    COALESCE(prediction.object_canonical_start, -1), COALESCE(prediction.object_canonical_end, -1), count(*)
FROM evaluation_prediction AS prediction
JOIN evaluation_instance AS instance ON instance.id = prediction.instance_id
WHERE prediction.submission_id = ANY(%s::bigint[])
GROUP BY instance.id, prediction.subject_type, prediction.object_type,
    prediction.subject_canonical_start, prediction.subject_canonical_end,
    prediction.object_canonical_start, prediction.object_canonical_end
"""

_SYSTEMS = """
SELECT wanted.number, count(DISTINCT other.submission_id)
FROM unnest(%s::bigint[], %s::bigint[]) AS wanted (number, claim)
JOIN evaluation_prediction AS own ON own.id = wanted.claim
JOIN evaluation_prediction AS other ON other.instance_id = own.instance_id
    AND other.subject_type = own.subject_type AND other.object_type = own.object_type
    AND other.subject_canonical_start = own.subject_canonical_start
    AND other.subject_canonical_end = own.subject_canonical_end
    AND other.object_canonical_start IS NOT DISTINCT FROM own.object_canonical_start
    AND other.object_canonical_end IS NOT DISTINCT FROM own.object_canonical_end
WHERE other.submission_id = ANY(%s::bigint[])
GROUP BY wanted.number
"""


class DistinctClaim(NamedTuple):
    """What some systems claim alike, types and canonical mentions included.

    Attributes
    ----------
    id : int
        Of one of their predictions.
    row : ClaimRow
    systems : int
        How many they are.
    """

    id: int
    row: ClaimRow
    systems: int

    @property
    def relation(self) -> Relation:
        """The relation, and where its mentions are."""
        return Relation(self.row.predicate, self.row.subject, self.row.object)

    @property
    def subject_name(self) -> Span:
        """The canonical mention of the subject."""
        return Span(self.row.subject_canonical_start, self.row.subject_canonical_end)

    @property
    def object_name(self) -> Span | None:
        """The canonical mention of the object; None for a string or a date."""
        start, end = self.row.object_canonical_start, self.row.object_canonical_end
        return None if start is None or end is None else Span(start, end)


@dataclass(frozen=True, eq=False)
class DistinctClaims:
    """The distinct claims of some systems, as columns.

    Attributes
    ----------
    columns : dict of str to int[n]
        By document, then in the order of the text.
    predicates, types : list of str
        What the codes stand for, from 1.
    """

    columns: dict[str, NDArray[np.int64]]
    predicates: list[str]
    types: list[str]

    def by_document(self) -> Iterator[tuple[int, list[DistinctClaim]]]:
        """Yield each document's row id with the claims in it."""
        rows = zip(*(_in_parts(column) for column in self.columns.values()), strict=True)
        claims = (self._claim(*row) for row in rows)
        for document_id, own in groupby(claims, key=attrgetter("row.document_id")):
            yield document_id, list(own)

    def _claim(self, pk: int, instance: int, document: int, predicate: int, *rest: int) -> DistinctClaim:
        start, end, object_start, object_end, subject_type, object_type, name, name_end, *named, systems = (
            rest
        )
        has_object = named[0] >= 0
        row = ClaimRow(
            instance,
            document,
            self.predicates[predicate - 1],
            start,
            end,
            object_start,
            object_end,
            self.types[subject_type - 1],
            self.types[object_type - 1],
            name,
            name_end,
            named[0] if has_object else None,
            named[1] if has_object else None,
        )
        return DistinctClaim(pk, row, systems)


def read_distinct(submissions: Sequence[int], ontology: Ontology) -> DistinctClaims:
    """Read what systems claim, each distinct claim once.

    Parameters
    ----------
    submissions : sequence of int
        Row ids.
    ontology : Ontology
        Their corpus'.
    """
    predicates = [relation.name for relation in ontology.relations]
    types = [kind.name for kind in ontology.mention_types]
    names = ("id", "instance", *_PLACE, *_CLAIM, *_OF_OBJECT, "systems")
    columns = read_columns(
        _DISTINCT,
        [predicates, types, types, array_literal(submissions)],
        dict.fromkeys(names, "bigint"),
    )
    known = (columns["predicate"] > 0) & (columns["subject_type"] > 0) & (columns["object_type"] > 0)
    columns = {name: column[known] for name, column in columns.items()}
    order = np.lexsort(
        [columns[name] for name in reversed((*_PLACE[:1], *_PLACE[2:], "predicate", *_CLAIM, *_OF_OBJECT))]
    )
    return DistinctClaims({name: column[order] for name, column in columns.items()}, predicates, types)


def count_systems(groups: Mapping[int, Sequence[int]], submissions: Sequence[int]) -> dict[int, int]:
    """Count the systems that make at least one of some claims.

    Parameters
    ----------
    groups : mapping of int to sequence of int
        The ids of distinct claims, by the group's number.
    submissions : sequence of int
        Row ids of those that count.

    Returns
    -------
    dict of int to int
        By the group's number.
    """
    ids = array_literal(submissions)
    counted: dict[int, int] = {}
    numbers: list[int] = []
    claims: list[int] = []
    for number, own in groups.items():
        numbers += [number] * len(own)
        claims += own
        if len(claims) >= AT_ONCE:
            counted |= dict(read_rows(_SYSTEMS, [array_literal(numbers), array_literal(claims), ids]))
            numbers, claims = [], []
    if claims:
        counted |= dict(read_rows(_SYSTEMS, [array_literal(numbers), array_literal(claims), ids]))
    return counted


def _in_parts(column: NDArray[np.int64], size: int = 10_000) -> Iterator[int]:
    """Yield the numbers of a column as Python's own, without all of them in memory at once."""
    for first in range(0, column.size, size):
        yield from column[first : first + size].tolist()
