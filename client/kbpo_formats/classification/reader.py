"""Read a file of classes: JSON Lines, one for each document."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple

from kbpo_formats.classification.problems import CODES
from kbpo_formats.corpus import Documents
from kbpo_formats.json_lines import find, kind_of, read_object, report_unknown, show
from kbpo_formats.lines import numbered_lines
from kbpo_formats.normal import normal_id
from kbpo_formats.problems import LISTED_PER_CODE, Problem, ProblemLog, Recorder

FIELDS = ("doc_id", "label", "confidence")


class Line(NamedTuple):
    """A line that is right."""

    doc_id: str
    label: str
    confidence: float
    line: int


@dataclass(frozen=True, slots=True)
class Reading:
    """A file that was read.

    Attributes
    ----------
    read : sequence of Line
        Those that are right.
    problems : tuple of Problem
        What is wrong with the others.
    accepted : bool
        Whether the file has no error.
    counts : mapping
        What became of it, in numbers.
    """

    read: Sequence[Line]
    problems: tuple[Problem, ...]
    accepted: bool
    counts: Mapping[str, Any]

    def lines(self) -> Iterator[str]:
        """Write it as one without faults."""
        for one in self.read:
            fields = {"doc_id": one.doc_id, "label": one.label, "confidence": one.confidence}
            yield json.dumps(fields, ensure_ascii=False) + "\n"


def read(
    file: BinaryIO,
    format: str,
    documents: Documents,
    *,
    most: int | None = LISTED_PER_CODE,
    recorder: Recorder | None = None,
) -> Reading:
    """Read a file: one line for each document of the corpus, with one of the corpus' classes.

    Parameters
    ----------
    file : binary file
    format : str
    documents : Documents
        Which say in `about` which classes there are.
    most : int or None
        How many problems of each code are listed; None: all.
    recorder : Recorder, optional
        Takes every problem, listed or not.
    """
    log = ProblemLog(CODES, format, most, recorder)
    classes: list[str] = documents.about["classes"]
    first: dict[str, int] = {}
    found: list[Line] = []
    number = 0
    for number, text in numbered_lines(file, log):
        if log.ends_at(number):
            break
        if not text.strip():
            continue
        line = _read_line(text, number, documents, classes, log)
        if line is None:
            continue
        if line.doc_id in first:
            log.add("DOCUMENT_TWICE", number, text, repr(line.doc_id), first[line.doc_id])
            continue
        first[line.doc_id] = number
        if line.label:
            found.append(line)
    if not log.is_cut_short:
        for doc_id in documents.doc_ids():
            if doc_id not in first:
                log.add("MISSING_DOCUMENT", 0, doc_id, repr(doc_id))
    counts = {
        "lines": number,
        "items": len(found),
        "by_class": dict(Counter(line.label for line in found)),
        "errors": log.count("ERROR"),
        "warnings": log.count("WARNING"),
        "problems": dict(log.counts),
    }
    return Reading(found, log.by_line(), not log.has_errors, counts)


def _read_line(
    text: str, number: int, documents: Documents, classes: Sequence[str], log: ProblemLog
) -> Line | None:
    """Return what a line says, its label empty where something is wrong with it; None without a document."""
    fields = read_object(text, number, log)
    if fields is None:
        return None

    def fault(code: str, name: str, *values: object) -> None:
        column, said = find(text, (name,))
        log.add(code, number, said, *values, column=column)

    def wrong(name: str, what: str) -> None:
        if name in fields:
            fault("WRONG_KIND", name, name, kind_of(fields[name]), what)
        else:
            fault("MISSING_FIELD", name, name, what)

    report_unknown(fields, FIELDS, (), text, number, log)
    errors = log.count_errors
    label, confidence = fields.get("label"), fields.get("confidence", 1.0)
    if not isinstance(label, str):
        wrong("label", f"one of the corpus' classes: {', '.join(classes)}")
    elif normal_id(label) not in classes:  # as the names of classes are
        fault("UNKNOWN_CLASS", "label", show(label), ", ".join(classes))
    if type(confidence) not in (int, float) or not 0 <= confidence <= 1:
        fault("WRONG_CONFIDENCE", "confidence", show(confidence))
    doc_id = fields.get("doc_id")
    if not isinstance(doc_id, str):
        wrong("doc_id", "the id of a document of the corpus, as text")
        return None
    doc_id = normal_id(doc_id)
    if "\0" in doc_id or documents.length(doc_id) is None:
        fault("UNKNOWN_DOCUMENT", "doc_id", show(doc_id))
        return None
    if not isinstance(label, str) or log.count_errors != errors:
        return Line(doc_id, "", 1.0, number)
    return Line(doc_id, normal_id(label), float(confidence), number)
