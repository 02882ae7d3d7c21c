"""What can be wrong with a knowledge base file: the one table of codes, and the log that a reader keeps.

Most codes are NIST's. The service's own, for what NIST's validators pass over in silence or cannot meet, are
marked ``own``. An ERROR means that the file is not accepted; a WARNING gets the repair that its row names.
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Literal

from kbpo_formats import problems
from kbpo_formats.kbp import offsets
from kbpo_formats.problems import LISTED_PER_CODE, Code, Severity, of_any_file

Format = Literal["tac2015", "tac2016"]

#: The formats that are read, and what they are called. The first is taken where none is named.
FORMAT_NAMES: Mapping[str, str] = MappingProxyType({"tac2016": "TAC KBP 2016", "tac2015": "TAC KBP 2015"})
FORMATS: tuple[Format, ...] = ("tac2015", "tac2016")


def _nist(name: str, severities: str, repair: str, wrong: str, right: str) -> Code:
    words: dict[str, Severity] = {"E": "ERROR", "W": "WARNING"}
    by_format: dict[str, Severity] = {
        format: words[letter] for format, letter in zip(FORMATS, severities, strict=True) if letter in words
    }
    return Code(name, MappingProxyType(by_format), repair, wrong, right)


def _own(name: str, severity: Severity, repair: str, wrong: str, right: str, *, quotes: bool = False) -> Code:
    return replace(problems.own(name, FORMATS, severity, repair, wrong, right), quotes=quotes)


# name, severity in 2015 and 2016, repair, what is wrong, what would be right
_TABLE = (
    _nist(
        "ILLEGAL_DOCID",
        "EE",
        "reject",
        "{0} is not a document of this corpus",
        "Use the document's id as the corpus has it.",
    ),
    _nist(
        "ILLEGAL_OFFSET",
        "EE",
        "reject",
        "{0} is not an offset",
        "An offset is a whole number of characters, counted from 0.",
    ),
    _nist(
        "ILLEGAL_OFFSET_IN_DOC",
        "EE",
        "reject",
        "Offset {0} lies outside document {1}",
        "The document has {2} characters, so its offsets run from 0 to {3}.",
    ),
    _nist(
        "ILLEGAL_OFFSET_PAIR",
        "EE",
        "reject",
        "({0}, {1}) ends before it starts",
        "Give the first and the last character, as in 17-23; both belong to the span.",
    ),
    _nist(
        "ILLEGAL_OFFSET_PAIR_STRING",
        "EE",
        "reject",
        "{0} is not a pair of offsets",
        "Give the first and the last character with a hyphen between, as in 17-23.",
    ),
    _nist(
        "ILLEGAL_OFFSET_TRIPLE_STRING",
        "EE",
        "reject",
        "{0} is not a document with a pair of offsets",
        "Write DOCUMENT:FIRST-LAST, as in DOC:17-23, with commas between several.",
    ),
    _nist(
        "TOO_MANY_PROVENANCE_TRIPLES",
        "WW",
        "keep the first allowed triples",
        "{0} spans of provenance are given",
        "At most {1} are allowed; the first {1} are kept.",
    ),
    _nist(
        "TOO_MANY_CHARS",
        "WW",
        "truncate the triple to the limit",
        "{0} has {1} characters",
        "At most {2} are allowed; the first {2} are kept.",
    ),
    _nist(
        "TOO_MANY_TOTAL_CHARS",
        "EE",
        "reject",
        "The provenance has {0} characters in all",
        "At most {1} are allowed.",
    ),
    _nist(
        "AMBIGUOUS_PREDICATE",
        "EE",
        "reject",
        "{0} may be any of {1}",
        "Write the subject's type before the name, as in {2}, or give the subject a type.",
    ),
    _nist(
        "COLON_OMITTED",
        "WW",
        "prefix the colon",
        "The entity {0} has no colon before its name",
        "It is read as :{0}.",
    ),
    _nist(
        "DUPLICATE_ASSERTION",
        "WW",
        "report and keep",
        "{0}({1}, {2}) is asserted on line {3} already",
        "It is kept, as one more justification: each is an instance of its own.",
    ),
    _nist(
        "ILLEGAL_CONFIDENCE_VALUE",
        "EE",
        "reject",
        "{0} is not a confidence",
        "A confidence is a number from 0 to 1 with a decimal point, such as 0.75.",
    ),
    _nist(
        "ILLEGAL_ENTITY_NAME",
        "EE",
        "reject",
        "{0} is not an entity's name",
        "A name is a colon and then letters, digits and underscores only, as in :Entity_12.",
    ),
    _nist(
        "ILLEGAL_ENTITY_TYPE",
        "EE",
        "reject",
        "{0} is not an entity type",
        "The types{1} are {2}.{3}",
    ),
    _nist(
        "ILLEGAL_LINK_SPECIFICATION",
        "WW",
        "drop the link",
        "{0} is not a link",
        "A link is a knowledge base's name, a colon and the id there, as in wikidata:Q42; it is dropped.",
    ),
    _nist(
        "ILLEGAL_PREDICATE",
        "EE",
        "reject",
        "{0} is not a predicate{1}",
        "Use a predicate of {2} as it is spelled there, as in {3}.{4}",
    ),
    _nist(
        "ILLEGAL_PREDICATE_TYPE",
        "EE",
        "reject",
        "{0} is not a type that a predicate can begin with",
        "A relation begins with {1}.",
    ),
    _nist(
        "MISSING_CANONICAL",
        "WW",
        "promote the sole mention of that document",
        "{0} has no canonical mention in document {1}",
        "Its mention at {2} is taken; assert one canonical_mention in each document that mentions it.",
    ),
    _nist(
        "MISSING_DECIMAL_POINT",
        "WW",
        "read as 1.0",
        "The confidence {0} has no decimal point",
        "It is read as 1.0.",
    ),
    _nist(
        "MISSING_INVERSE",
        "WW",
        "add the inverse",
        "No inverse is asserted for {0}({1}, {2})",
        "{3}({2}, {1}) is taken as said; a claim and its inverse are one instance, so no score changes.",
    ),
    _nist(
        "MISSING_RUNID",
        "EE",
        "reject",
        "The first line, {0!r}, is not a run id",
        "Begin the file with a line that holds a run id alone: no white space, no colon in front.",
    ),
    _nist(
        "MISSING_TYPEDEF",
        "WE",
        "infer the type from the entity's use",
        "No type is asserted for {0}",
        "It is used as {1}; assert one, as in: {0} type {1}.",
    ),
    _nist(
        "MULTIPLE_CANONICAL",
        "EE",
        "reject",
        "{0} has another canonical mention in document {1}, at {2}",
        "Assert one canonical_mention of an entity in each document.",
    ),
    _nist(
        "MULTIPLE_FILLS_ENTITY",
        "WW",
        "report and keep",
        "{0} has more than one {1}: {2} and {3}",
        "The predicate takes one value; all are kept, and each is judged.",
    ),
    _nist(
        "MULTIPLE_LINKS",
        "WW",
        "report",
        "{0} has more than one link to {1}: {2} and {3}",
        "Give one link to each knowledge base.",
    ),
    _nist(
        "MULTITYPED_ENTITY",
        "EE",
        "reject",
        "{0} is {1} (line {2}) and here {3}",
        "An entity has one type, and every use of it must agree with it.",
    ),
    _nist(
        "NO_MENTIONS",
        "WW",
        "report only",
        "{0} has no mentions",
        "Assert where it is mentioned, or leave it out.",
    ),
    _nist(
        "PREDICATE_ALIAS",
        "WW",
        "rename to the official predicate",
        "{1} is a {0} name",
        "It is read as {2}.",
    ),
    _nist(
        "STRING_USED_FOR_ENTITY",
        "EE",
        "reject",
        "The string {0} stands where an entity must",
        "Name an entity, as in :Entity_12.",
    ),
    _nist(
        "SUBJECT_PREDICATE_MISMATCH",
        "EE",
        "reject",
        "The subject is {0}, but {1} is about {2}",
        "Use a predicate of the subject's type, or correct the type.",
    ),
    _nist(
        "UNASSERTED_MENTION",
        "WW",
        "add the mention",
        "The canonical mention of {0} at {1} is not asserted as a mention too",
        "The mention is added.",
    ),
    _nist(
        "UNATTESTED_RELATION_ENTITY",
        "EE",
        "reject",
        "{0} uses {1}, which has no mention in the documents of its provenance, {2}",
        "Assert a mention of the entity in a document that the relation is found in.",
    ),
    _nist(
        "UNQUOTED_STRING",
        "WW",
        "quote it",
        "The string {0} does not stand between double quotes",
        'It is quoted; write a quote inside a string as \\" and a backslash as \\\\.',
    ),
    _nist(
        "UNKNOWN_TYPE",
        "EE",
        "reject",
        "No type is asserted for {0}, and none follows from its use",
        "Assert one, as in: {0} type {1}.",
    ),
    # NIST's tools for queries raise it; here a document's language is that of its corpus, whatever its id.
    _nist(
        "FAILED_LANG_INFERENCE",
        "-W",
        "report",
        "The language of {0} cannot be told from its id",
        "The corpus' own language is taken.",
    ),
    _nist(
        "IMPROPER_CONFIDENCE_VALUE",
        "-W",
        "reformat",
        "The confidence {0} is in scientific notation",
        "It is read as {1}.",
    ),
    _nist(
        "MISSING_MENTION",
        "-W",
        "report",
        "{0} has nominal mentions in document {1}, but no mention by name and no canonical mention",
        "Assert a mention by name, or make one of its mentions the canonical one.",
    ),
    _nist(
        "MULTIPLE_MENTIONS_NO_CANONICAL",
        "-E",
        "reject",
        "{0} has {2} mentions in document {1}, but no canonical mention",
        "Assert which of them is its canonical_mention.",
    ),
    # NIST's validators have this code too, though it is not in the table of the task.
    _own(
        "WRONG_NUM_ENTRIES",
        "ERROR",
        "reject",
        "The line has {1} where {0} are expected",
        "Separate by tabs: {2}.",
    ),
    _own(
        "NO_CLAIMS",
        "ERROR",
        "reject",
        "The file claims nothing that can be judged: {0} relation lines, of which none is scored",
        "Assert at least one relation that the service scores.",
    ),
    _own(
        "EXTRA_MENTION_SPANS",
        "WARNING",
        "keep the first span",
        "{0} spans are given for one mention",
        "A mention is one span; the first is kept.",
    ),
    # Only mentions of entities are compared: the filler of a string slot may be normalised, as 1957-02-XX is.
    # White space counts as any other white space, and canonically equivalent characters as one another.
    _own(
        "MENTION_TEXT_DIFFERS",
        "WARNING",
        "keep the offsets",
        "The document has {0} at {1}, not {2}",
        "Check the offsets (characters, from 0, both ends included) or the string; the offsets are taken.",
        quotes=True,
    ),
    _own(
        "REPEATED_ASSERTION",
        "WARNING",
        "drop the repetition",
        "{0}({1}, {2}) with this provenance is asserted on line {3} already",
        "The repetition is dropped.",
    ),
    _own(
        "OVERLAPPING_CLAIM",
        "WARNING",
        "report and do not score",
        "{0} is claimed where line {1} claims the same: the predicate is one, subjects and objects overlap"
        " or stand in one name",
        "Only the other is scored, since it is more confident, or the first of the file.",
    ),
    _own(
        "LONG_MENTION",
        "WARNING",
        "report and keep",
        "The mention at {0} {1}",
        "No true mention is near it, so it finds no relation: mark the name alone.",
    ),
    _own(
        offsets.CODE,
        "WARNING",
        "report and keep",
        offsets.WRONG,
        "Count characters (Unicode code points) from 0; the end is the offset of the last character.",
    ),
    _own(
        "PREDICATE_NOT_SCORED",
        "WARNING",
        "drop the line",
        "{0} is not scored by this service",
        "The line is dropped.",
    ),
    _own(
        "NO_MENTION_FOUND",
        "WARNING",
        "drop the line",
        "No mention of {0} is found in or after {1}",
        "The line is dropped; give spans that hold a mention of the subject and of the object"
        " (for a string: first the string's own span, then one that holds the subject).",
    ),
    _own(
        "MENTIONS_IN_TWO_DOCUMENTS",
        "WARNING",
        "drop the line",
        "The subject is found in document {0}, the object in document {1}",
        "The line is dropped; give spans of one document that hold both.",
    ),
)

CODES: Mapping[str, Code] = MappingProxyType({code.name: code for code in (*_TABLE, *of_any_file(FORMATS))})


class ProblemLog(problems.ProblemLog):
    """The problems of one knowledge base.

    Parameters
    ----------
    format : {"tac2015", "tac2016"}
        Gives the severities.
    most : int or None
        Of each code, as in `kbpo_formats.problems.ProblemLog`.
    recorder : Recorder, optional
        As there.
    """

    def __init__(
        self,
        format: Format,
        most: int | None = LISTED_PER_CODE,
        recorder: problems.Recorder | None = None,
    ) -> None:
        super().__init__(CODES, format, most, recorder)
