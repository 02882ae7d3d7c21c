"""Read a file of classes: JSON Lines, one for each document."""

import json
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple

from kbpo_formats.classification.problems import CODES
from kbpo_formats.corpus import Documents
from kbpo_formats.lines import numbered_lines
from kbpo_formats.problems import Problem, ProblemLog


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


def read(file: BinaryIO, format: str, documents: Documents) -> Reading:
    """Read a file: one line for each document of the corpus, with one of the corpus' classes.

    Parameters
    ----------
    file : binary file
    format : str
    documents : Documents
        Which say in `about` which classes there are.
    """
    log = ProblemLog(CODES, format)
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
    try:
        fields = json.loads(text, parse_constant=str)
    except (ValueError, RecursionError) as error:
        log.add("NO_OBJECT", number, text, str(error))
        return None
    if not isinstance(fields, dict):
        log.add("NO_OBJECT", number, text, text)
        return None
    for name in fields:
        if name not in ("doc_id", "label", "confidence"):
            log.add("UNKNOWN_FIELD", number, text, repr(name))
    doc_id, label, confidence = fields.get("doc_id"), fields.get("label"), fields.get("confidence", 1.0)
    if not isinstance(doc_id, str) or not doc_id:
        log.add("NO_DOCUMENT", number, text, "missing" if doc_id is None else repr(doc_id))
        return None
    # What is no text, half of a pair of JSON's, cannot even be looked for.
    if any(one == "\0" or "\ud800" <= one <= "\udfff" for one in doc_id) or documents.length(doc_id) is None:
        log.add("UNKNOWN_DOCUMENT", number, text, repr(doc_id))
        return None
    is_right = True
    if isinstance(label, str):
        label = unicodedata.normalize("NFC", label)  # as the names of classes are
    if not isinstance(label, str) or label not in classes:
        log.add(
            "UNKNOWN_CLASS", number, text, "missing" if label is None else repr(label), ", ".join(classes)
        )
        is_right = False
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 < confidence <= 1:
        log.add("WRONG_CONFIDENCE", number, text, repr(confidence))
        is_right = False
    return Line(doc_id, str(label), float(confidence), number) if is_right else Line(doc_id, "", 1.0, number)
