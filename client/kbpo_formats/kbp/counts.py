"""What became of a knowledge base, in numbers."""

from collections import Counter
from typing import TypedDict


class Counts(TypedDict):
    """What became of a file, in numbers.

    Attributes
    ----------
    lines, entities, mentions, relation_lines : int
        Of the file. A mention is a line, whatever its kind.
    instances : int
        Made of the relation lines; none if the file is refused.
    turned : int
        Relation lines whose subject and object changed places.
    merged_lines : int
        Relation lines whose instance an earlier line had claimed.
    overlapping : int
        Further instances that are not scored, since they overlap one that is: each of one line, or with
        others that are merged.
    dropped_lines : int
        Relation lines without errors that make no instance. In an accepted file instances, overlapping ones,
        merged lines and dropped lines are all of the relation lines.
    errors, warnings : int
        All problems, listed or not.
    unlisted : int
        Problems that are counted but not listed.
    entities_by_type, mentions_by_kind : dict of str to int
        The kinds are the predicates, as in ``canonical_mention``.
    relation_lines_by_predicate : dict of str to int
        By the ontology's name; lines whose predicate or subject is none are left out.
    instances_by_predicate : dict of str to int
        By the name that they are stored under.
    dropped_by_reason, problems : dict of str to int
        By code, most frequent first.
    """

    lines: int
    entities: int
    mentions: int
    relation_lines: int
    instances: int
    turned: int
    merged_lines: int
    overlapping: int
    dropped_lines: int
    errors: int
    warnings: int
    unlisted: int
    entities_by_type: dict[str, int]
    mentions_by_kind: dict[str, int]
    relation_lines_by_predicate: dict[str, int]
    instances_by_predicate: dict[str, int]
    dropped_by_reason: dict[str, int]
    problems: dict[str, int]


NO_COUNTS = Counts(
    lines=0,
    entities=0,
    mentions=0,
    relation_lines=0,
    instances=0,
    turned=0,
    merged_lines=0,
    overlapping=0,
    dropped_lines=0,
    errors=0,
    warnings=0,
    unlisted=0,
    entities_by_type={},
    mentions_by_kind={},
    relation_lines_by_predicate={},
    instances_by_predicate={},
    dropped_by_reason={},
    problems={},
)
"""Those of a file of which nothing was read."""


def ranked(counter: Counter[str]) -> dict[str, int]:
    """Return what was counted, the most frequent first."""
    return {name: count for name, count in counter.most_common() if count}
