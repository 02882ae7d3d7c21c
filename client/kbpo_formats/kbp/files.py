"""Read a knowledge base in any of its formats, and write one in another."""

from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO, cast

from kbpo_formats import json_lines
from kbpo_formats.corpus import Documents
from kbpo_formats.errors import InvalidInput
from kbpo_formats.kbp.claims import reader as claim_reader
from kbpo_formats.kbp.claims import writer as claim_writer
from kbpo_formats.kbp.problems import FORMATS
from kbpo_formats.kbp.tac import reader as tac_reader
from kbpo_formats.kbp.tac import writer as tac_writer
from kbpo_formats.kbp.tac.from_claims import write_claims
from kbpo_formats.kbp.tac.problems import Format, ProblemLog
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.problems import LISTED_PER_CODE, Recorder

Reading = tac_reader.Reading | claim_reader.Reading


def read(
    stream: BinaryIO,
    *,
    format: str,
    documents: Documents,
    ontology: Ontology,
    most: int | None = LISTED_PER_CODE,
    recorder: Recorder | None = None,
) -> Reading:
    """Read and validate a knowledge base; refuse one that claims nothing: it has no precision.

    Parameters
    ----------
    stream : binary file
        UTF-8, plain or gzip.
    format : str
        One of `FORMATS`.
    documents : Documents
        Those of the corpus.
    ontology : Ontology
        Its.
    most : int or None
        How many problems of each code are listed; None: all.
    recorder : Recorder, optional
        Takes every problem, listed or not.

    Raises
    ------
    InvalidInput
        If there is no such format.
    """
    if format == json_lines.FORMAT:
        return claim_reader.read(stream, documents=documents, ontology=ontology, most=most, recorder=recorder)
    _require(format)
    known = cast(Format, format)
    reading = tac_reader.read(
        stream, format=known, documents=documents, ontology=ontology, most=most, recorder=recorder
    )
    return _refuse_without_claims(reading, known, recorder)


def write(reading: Reading, documents: Documents, *, format: str | None = None) -> Iterator[str]:
    """Write an accepted knowledge base as one without faults; what is scored stays the same.

    Parameters
    ----------
    reading : Reading
        Accepted.
    documents : Documents
        Those that it was read with.
    format : {"jsonl", "tac2016"}, optional
        Left out, it is JSON Lines of what was JSON Lines, else TAC KBP 2016.

    Yields
    ------
    str
        A line, with its line end.

    Raises
    ------
    InvalidInput
        If the reading is not accepted, the format cannot be written, or a claim cannot be said in it.
    """
    if not reading.accepted:
        raise InvalidInput("the file was refused, so there is nothing to write", where="reading")
    is_tac = isinstance(reading, tac_reader.Reading)
    format = format or ("tac2016" if is_tac else json_lines.FORMAT)
    if format == json_lines.FORMAT:
        return claim_writer.write(reading.predictions)
    if format != "tac2016":
        raise InvalidInput(f"nothing is written as {format!r:.40}; use jsonl or tac2016", where="format")
    if isinstance(reading, tac_reader.Reading):
        return tac_writer.write(reading, documents)
    return write_claims(reading.predictions, documents)


def convert(
    stream: BinaryIO, *, source: str, target: str, documents: Documents, ontology: Ontology
) -> tuple[Reading, Iterator[str]]:
    """Read a knowledge base in one format and write it in another.

    Returns
    -------
    tuple of Reading and iterator of str
        What was read, and the lines; none if it is refused. Parameters and errors are those of `read` and
        `write`.
    """
    reading = read(stream, format=source, documents=documents, ontology=ontology)
    return reading, write(reading, documents, format=target) if reading.accepted else iter(())


def _require(format: str) -> None:
    if format not in FORMATS:
        raise InvalidInput(f"there is no format {format!r:.40}; use {' or '.join(FORMATS)}", where="format")


def _refuse_without_claims(
    reading: tac_reader.Reading, format: Format, recorder: Recorder | None
) -> tac_reader.Reading:
    counts = reading.counts
    if not reading.accepted or counts["instances"]:
        return reading
    log = ProblemLog(format, recorder=recorder)
    log.add("NO_CLAIMS", counts["lines"], "", counts["relation_lines"])
    problems = {**counts["problems"], "NO_CLAIMS": 1}
    return replace(
        reading,
        accepted=False,
        problems=(*reading.problems, *log.by_line()),
        counts={**counts, "errors": 1, "problems": problems},
    )
