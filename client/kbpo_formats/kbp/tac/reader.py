"""Read a TAC KBP knowledge base: from the bytes of a file to the instances that it claims."""

import gc
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import BinaryIO, TypedDict

from kbpo_formats.corpus import Documents
from kbpo_formats.errors import InvalidInput
from kbpo_formats.kbp.predicates import Vocabulary
from kbpo_formats.kbp.predictions import Predictions, ReadPrediction
from kbpo_formats.kbp.tac.entities import Entities
from kbpo_formats.kbp.tac.instances import find_instances
from kbpo_formats.kbp.tac.problems import FORMATS, Format, ProblemLog
from kbpo_formats.kbp.tac.validator import Validator
from kbpo_formats.lines import numbered_lines
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.problems import Problem

__all__ = ["Counts", "ReadPrediction", "Reading", "read"]

DROPPING = (
    "REPEATED_ASSERTION",
    "PREDICATE_NOT_SCORED",
    "NO_MENTION_FOUND",
    "MENTIONS_IN_TWO_DOCUMENTS",
)


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


@dataclass(frozen=True)
class Reading:
    """What a file says, and what is wrong with it.

    Attributes
    ----------
    accepted : bool
        Whether the file has no error.
    run_id : str
        Empty if the file has none.
    problems : tuple of Problem
        By line. Of each code only the first are listed; `counts` has them all.
    predictions : Predictions
        Empty unless accepted.
    counts : Counts
    entities : Entities
        Those of the file, their mentions settled.
    vocabulary : Vocabulary
        By which it was read.
    """

    accepted: bool
    run_id: str
    problems: tuple[Problem, ...]
    predictions: Predictions
    counts: Counts
    entities: Entities = field(repr=False, compare=False)
    vocabulary: Vocabulary = field(repr=False, compare=False)


def read(
    stream: BinaryIO, *, format: Format = "tac2016", documents: Documents, ontology: Ontology
) -> Reading:
    """Read and validate a knowledge base.

    Whatever the bytes are, the answer is a `Reading`: faults are problems, not exceptions. All of them are
    found in one pass; warnings are repaired, and an error refuses the file. Where reading ends early (the
    file is damaged, too large, or beyond repair), what follows from the file as a whole is left unsaid.

    Parameters
    ----------
    stream : binary file
        UTF-8, plain or gzip, with or without a byte-order mark. Read once, in chunks.
    format : {"tac2015", "tac2016"}
        The year whose rules hold.
    documents : Documents
        Those of the corpus.
    ontology : Ontology
        Its: what entities may be, and what may be said of them.

    Raises
    ------
    InvalidInput
        If there is no such format.

    References
    ----------
    TAC KBP 2016 Cold Start Track, task description. The service departs from it in keeping every
    justification of a relation: each is an instance of its own.
    """
    if format not in FORMATS:
        raise InvalidInput(f"there is no format {format!r}; use {' or '.join(FORMATS)}", where="format")
    with _collector_paused():
        return _read(stream, format, documents, Vocabulary(ontology))


def _read(stream: BinaryIO, format: Format, documents: Documents, vocabulary: Vocabulary) -> Reading:
    log = ProblemLog(format)
    validator = Validator(format, documents, vocabulary, log)
    validator.read(numbered_lines(stream, log))
    instances = find_instances(validator.check(), validator.lengths, log)
    accepted = not log.has_errors
    predictions = instances.predictions if accepted else Predictions()
    dropped = Counter({code: log.counts[code] for code in DROPPING if log.counts[code]})
    counts = Counts(
        lines=validator.lines,
        entities=len(validator.entities),
        mentions=validator.mentions.total(),
        relation_lines=validator.relation_lines,
        instances=len(predictions),
        turned=instances.turned,
        merged_lines=instances.merged,
        overlapping=instances.overlapping,
        dropped_lines=dropped.total(),
        errors=log.count("ERROR"),
        warnings=log.count("WARNING"),
        unlisted=log.unlisted,
        entities_by_type=_ranked(
            Counter(entity.type or entity.asserted_type or "unknown" for entity in validator.entities)
        ),
        mentions_by_kind=_ranked(validator.mentions),
        relation_lines_by_predicate=_ranked(validator.predicates),
        instances_by_predicate=_ranked(Counter(predictions.names("predicate"))),
        dropped_by_reason=_ranked(dropped),
        problems=_ranked(log.counts),
    )
    return Reading(
        accepted, validator.run_id, log.by_line(), predictions, counts, validator.entities, vocabulary
    )


def _ranked(counter: Counter[str]) -> dict[str, int]:
    return {name: count for name, count in counter.most_common() if count}


@contextmanager
def _collector_paused() -> Iterator[None]:
    # Nothing here makes cycles, and searching millions of objects for them costs more than all the rest.
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
