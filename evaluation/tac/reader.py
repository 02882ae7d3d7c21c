"""Read a TAC KBP knowledge base: from the bytes of a file to the instances that it claims."""

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO

from evaluation.tac.instances import ReadPrediction, find_instances
from evaluation.tac.lines import numbered_lines
from evaluation.tac.problems import FORMATS, Format, Problem, ProblemLog
from evaluation.tac.validator import Validator
from kbpo.core.errors import InvalidInput

__all__ = ["ReadPrediction", "Reading", "read"]


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
    predictions : tuple of ReadPrediction
        Empty unless accepted.
    counts : dict of str to int
        ``lines``, ``entities``, ``mentions`` and ``relation_lines`` of the file; ``instances`` made of them,
        ``turned`` lines (subject and object changed places), ``merged_lines`` (their instance was claimed by
        an earlier line), ``dropped_lines``; ``errors``, ``warnings``, ``unlisted`` problems; and
        ``problem:CODE`` for each code that occurs.
    """

    accepted: bool
    run_id: str
    problems: tuple[Problem, ...]
    predictions: tuple[ReadPrediction, ...]
    counts: dict[str, int]


def read(stream: BinaryIO, *, format: Format = "tac2016", documents: Mapping[str, int]) -> Reading:
    """Read and validate a knowledge base.

    Whatever the bytes are, the answer is a `Reading`: faults are problems, not exceptions. All of them are
    found in one pass; warnings are repaired, and an error refuses the file.

    Parameters
    ----------
    stream : binary file
        UTF-8, plain or gzip, with or without a byte-order mark. Read once, in chunks.
    format : {"tac2015", "tac2016"}
        The year whose rules hold.
    documents : mapping of str to int
        The number of characters of each document of the corpus.

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
        return _read(stream, format, documents)


def _read(stream: BinaryIO, format: Format, documents: Mapping[str, int]) -> Reading:
    log = ProblemLog(format)
    validator = Validator(format, documents, log)
    validator.read(numbered_lines(stream, log))
    instances = find_instances(validator.check(), log)
    accepted = not log.has_errors
    predictions = instances.predictions if accepted else ()
    counts = {
        **validator.counts,
        "entities": len(validator.entities),
        "instances": len(predictions),
        "turned": instances.turned,
        "merged_lines": instances.merged,
        "dropped_lines": instances.dropped + log.counts["REPEATED_ASSERTION"],
        "errors": log.count("ERROR"),
        "warnings": log.count("WARNING"),
        "unlisted": log.unlisted,
        **{f"problem:{code}": count for code, count in sorted(log.counts.items()) if count},
    }
    return Reading(accepted, validator.run_id, log.by_line(), predictions, counts)


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
