"""What became of a file, in the order in which a reader asks: from its lines to the claims made of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

WHY_DROPPED: Mapping[str, str] = MappingProxyType(
    {
        "REPEATED_ASSERTION": "say the same as an earlier line",
        "PREDICATE_NOT_SCORED": "have a predicate that is not scored here",
        "NO_MENTION_FOUND": "point to no mention of their subject or object",
        "MENTIONS_IN_TWO_DOCUMENTS": "have subject and object in two documents",
    }
)
KINDS: Mapping[str, str] = MappingProxyType(
    {"canonical_mention": "canonical", "mention": "named", "nominal_mention": "nominal"}
)
Shares = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """What reading a file found.

    Attributes
    ----------
    lines, entities, mentions, relation_lines : int
    entities_by_type, mentions_by_kind : tuple of (str, int)
    instances, merged, overlapping, turned, dropped : int
        What became of the relation lines. `turned` are among the instances and the merged; `overlapping` are
        claims that are not scored, since they overlap one that is.
    dropped_by_reason : tuple of (str, int)
        The reasons in words, as in “3 say the same as an earlier line”.
    relation_lines_by_predicate, instances_by_predicate : tuple of (str, int)
    errors, warnings : int
    """

    lines: int
    entities: int
    entities_by_type: Shares
    mentions: int
    mentions_by_kind: Shares
    relation_lines: int
    relation_lines_by_predicate: Shares
    instances: int
    instances_by_predicate: Shares
    merged: int
    overlapping: int
    turned: int
    dropped: int
    dropped_by_reason: Shares
    errors: int
    warnings: int


def summarise(counts: Mapping[str, Any]) -> Summary | None:
    """Put the counts of a reading in order; None where nothing was read.

    Parameters
    ----------
    counts : mapping
        An `kbpo_formats.kbp.tac.reader.Counts`, as it was stored.
    """
    if not counts:
        return None

    def number(name: str) -> int:
        return int(counts.get(name, 0))

    def shares(name: str, words: Mapping[str, str] | None = None) -> Shares:
        # The most frequent first: the database keeps no order.
        ranked = sorted(counts.get(name, {}).items(), key=lambda one: (-one[1], one[0]))
        return tuple(((words or {}).get(key, key), count) for key, count in ranked)

    return Summary(
        lines=number("lines"),
        entities=number("entities"),
        entities_by_type=shares("entities_by_type"),
        mentions=number("mentions"),
        mentions_by_kind=shares("mentions_by_kind", KINDS),
        relation_lines=number("relation_lines"),
        relation_lines_by_predicate=shares("relation_lines_by_predicate"),
        instances=number("instances"),
        instances_by_predicate=shares("instances_by_predicate"),
        merged=number("merged_lines"),
        overlapping=number("overlapping"),
        turned=number("turned"),
        dropped=number("dropped_lines"),
        dropped_by_reason=shares("dropped_by_reason", WHY_DROPPED),
        errors=number("errors"),
        warnings=number("warnings"),
    )
