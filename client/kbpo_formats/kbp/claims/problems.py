"""What can be wrong with a knowledge base that is written as JSON Lines."""

from collections.abc import Mapping
from types import MappingProxyType

from kbpo_formats import problems
from kbpo_formats.json_lines import FORMAT, codes_of_lines
from kbpo_formats.kbp import offsets
from kbpo_formats.problems import Code, of_any_file, own

FORMATS = (FORMAT,)
EXAMPLE = (
    '{"doc_id": "D1", "predicate": "per:city_of_birth", "subject": {"start": 0, "end": 9, "type": "PER"},'
    ' "object": {"start": 22, "end": 32, "type": "GPE"}}'
)

_ERRORS = (
    (
        "UNKNOWN_PREDICATE",
        "{0} is not a predicate of {1}",
        "Use one as the corpus' ontology spells it, as in {2}.{3}",
    ),
    (
        "WRONG_TYPE",
        "{0} is {1}, but {2} takes {3}",
        "Correct the type, or use a predicate that takes it.",
    ),
    ("WRONG_OFFSET", "{0} is {1}", "An offset is a whole number of characters, counted from 0, as in 17."),
    (
        "OFFSET_OUTSIDE",
        "{0} is {1}, but document {2} has {3} characters",
        "Count characters from 0, not bytes; end is that of the character after the last.",
    ),
    (
        "EMPTY_SPAN",
        "{0} ends at {1}, and starts at {2}",
        "end is the offset of the character after the last, so it is above start.",
    ),
    (
        "LONG_SPAN",
        "{0} has {1} characters",
        "At most {2} are allowed: mark the name alone.",
    ),
    (
        "CANONICAL_OF_VALUE",
        "{0} is given, but {1} is no type of entities",
        "Only entities have canonical mentions: leave it out.",
    ),
    (
        "VALUE_OF_ENTITY",
        "{0} is given, but {1} is a type of entities",
        "Only dates, numbers and strings have values: leave it out, or correct the type.",
    ),
    (
        "ILLEGAL_TEXT",
        "{0} {1}",
        "It must be one line of text that is not empty.",
    ),
    (
        "NO_CLAIMS",
        "The file claims nothing that can be judged: {0} lines, of which none is scored",
        "Claim at least one relation that the service scores.",
    ),
)
_WARNINGS = (
    (
        "REPEATED_CLAIM",
        "keep the most confident",
        "{0} of these mentions is claimed in line {1} already",
        "The more confident of the two lines counts, or else the first; inverses need not be stated.",
    ),
    (
        "OVERLAPPING_CLAIM",
        "report and do not score",
        "{0} is claimed where line {1} claims the same: the predicate is one, subjects and objects overlap"
        " or stand in one name",
        "Only the other is scored, since it is more confident, or the first of the file.",
    ),
    (
        "LONG_MENTION",
        "report and keep",
        "{0} {1}",
        "No true mention is near it, so it finds no relation: mark the name alone.",
    ),
    (
        offsets.CODE,
        "report and keep",
        offsets.WRONG,
        "Count characters (Unicode code points) from 0; end is the offset of the character after the last.",
    ),
    (
        "PREDICATE_NOT_SCORED",
        "drop the line",
        "{0} is not scored by this service",
        "The line is dropped.",
    ),
)

CODES: Mapping[str, Code] = MappingProxyType(
    {
        code.name: code
        for code in (
            *of_any_file(FORMATS),
            *codes_of_lines(FORMATS, EXAMPLE),
            *(own(name, FORMATS, "ERROR", "reject", wrong, right) for name, wrong, right in _ERRORS),
            *(
                own(name, FORMATS, "WARNING", repair, wrong, right)
                for name, repair, wrong, right in _WARNINGS
            ),
        )
    }
)


class ProblemLog(problems.ProblemLog):
    """The problems of one file of claims; `most` of each code are listed, a recorder takes all."""

    def __init__(
        self, most: int | None = problems.LISTED_PER_CODE, recorder: problems.Recorder | None = None
    ) -> None:
        super().__init__(CODES, FORMAT, most, recorder)
