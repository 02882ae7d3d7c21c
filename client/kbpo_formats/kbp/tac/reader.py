"""Read a TAC KBP knowledge base: from the bytes of a file to the instances that it claims."""

from collections import Counter
from dataclasses import dataclass, field
from typing import BinaryIO

from kbpo_formats.collecting import collector_paused
from kbpo_formats.corpus import Documents
from kbpo_formats.errors import InvalidInput
from kbpo_formats.kbp.counts import Counts, ranked
from kbpo_formats.kbp.predicates import Vocabulary
from kbpo_formats.kbp.predictions import Predictions, ReadPrediction
from kbpo_formats.kbp.tac.entities import Entities
from kbpo_formats.kbp.tac.instances import find_instances
from kbpo_formats.kbp.tac.problems import FORMATS, Format, ProblemLog
from kbpo_formats.kbp.tac.validator import Validator
from kbpo_formats.lines import numbered_lines
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.problems import LISTED_PER_CODE, Problem, Recorder

__all__ = ["Counts", "ReadPrediction", "Reading", "read"]

DROPPING = (
    "REPEATED_ASSERTION",
    "PREDICATE_NOT_SCORED",
    "NO_MENTION_FOUND",
    "MENTIONS_IN_TWO_DOCUMENTS",
)


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
    stream: BinaryIO,
    *,
    format: Format = "tac2016",
    documents: Documents,
    ontology: Ontology,
    most: int | None = LISTED_PER_CODE,
    recorder: Recorder | None = None,
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
    most : int or None
        How many problems of each code are listed; None: all.
    recorder : Recorder, optional
        Takes every problem, listed or not.

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
    with collector_paused():
        log = ProblemLog(format, most, recorder)
        return _read(stream, format, documents, Vocabulary(ontology), log)


def _read(
    stream: BinaryIO, format: Format, documents: Documents, vocabulary: Vocabulary, log: ProblemLog
) -> Reading:
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
        entities_by_type=ranked(
            Counter(entity.type or entity.asserted_type or "unknown" for entity in validator.entities)
        ),
        mentions_by_kind=ranked(validator.mentions),
        relation_lines_by_predicate=ranked(validator.predicates),
        instances_by_predicate=ranked(Counter(predictions.names("predicate"))),
        dropped_by_reason=ranked(dropped),
        problems=ranked(log.counts),
    )
    return Reading(
        accepted, validator.run_id, log.by_line(), predictions, counts, validator.entities, vocabulary
    )
