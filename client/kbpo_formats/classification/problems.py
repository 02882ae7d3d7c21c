"""What can be wrong with a file of classes."""

from collections.abc import Mapping
from types import MappingProxyType

from kbpo_formats.json_lines import FORMAT, NAME, codes_of_lines
from kbpo_formats.problems import Code, of_any_file, own

FORMATS: Mapping[str, str] = MappingProxyType({FORMAT: NAME})
EXAMPLE = '{"doc_id": "D1", "label": "complaint", "confidence": 0.8}'

_ERRORS = (
    (
        "DOCUMENT_TWICE",
        "Document {0} was given a class in line {1} already",
        "A document has one class: leave one of the lines out.",
    ),
    ("UNKNOWN_CLASS", "The label is {0}", "It must be one of the corpus' classes: {1}."),
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
            *codes_of_lines(tuple(FORMATS), EXAMPLE),
            *(own(name, tuple(FORMATS), "ERROR", "reject", wrong, right) for name, wrong, right in _ERRORS),
        )
    }
)
