"""What can be wrong with a file of classes."""

from collections.abc import Mapping
from types import MappingProxyType

from kbpo_formats.problems import Code, of_any_file, own

FORMAT = "jsonl"
FORMATS: Mapping[str, str] = MappingProxyType({FORMAT: "JSON Lines"})

_ERRORS = (
    (
        "NO_OBJECT",
        "The line is no JSON object: {0}",
        'Write each line as {{"doc_id": "D1", "label": "a class"}}, with "confidence" if there is one.',
    ),
    (
        "NO_DOCUMENT",
        "The line's doc_id is {0}",
        "It must be the id of a document of the corpus, as a string.",
    ),
    ("UNKNOWN_DOCUMENT", "The corpus has no document {0}", "Take the ids from the corpus' file."),
    (
        "DOCUMENT_TWICE",
        "Document {0} was given a class in line {1} already",
        "A document has one class: leave one of the lines out.",
    ),
    ("UNKNOWN_CLASS", "The label is {0}", "It must be one of the corpus' classes: {1}."),
    (
        "WRONG_CONFIDENCE",
        "The confidence is {0}",
        "It must be a number above 0 and at most 1; left out, it is 1.",
    ),
    (
        "MISSING_DOCUMENT",
        "Document {0} is given no class",
        "Every document of the corpus needs a line: a system is judged on all of them.",
    ),
)

CODES: Mapping[str, Code] = MappingProxyType(
    {
        code.name: code
        for code in (
            *of_any_file(tuple(FORMATS)),
            *(own(name, tuple(FORMATS), "ERROR", "reject", wrong, right) for name, wrong, right in _ERRORS),
            own(
                "UNKNOWN_FIELD",
                tuple(FORMATS),
                "WARNING",
                "ignored",
                "The line has a field {0}",
                "It was ignored: a line has doc_id, label and confidence.",
            ),
        )
    }
)
