"""What can be wrong with a knowledge base file: the one table of codes, and the log that a reader keeps.

Most codes are NIST's. The service's own, for what NIST's validators pass over in silence or cannot meet, are
marked ``own``. An ERROR means that the file is not accepted; a WARNING gets the repair that its row names.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Format = Literal["tac2015", "tac2016"]
Severity = Literal["ERROR", "WARNING"]

FORMATS: tuple[Format, ...] = ("tac2015", "tac2016")
TEXT_LENGTH = 200
LISTED_PER_CODE = 1_000
MOST_ERRORS = 100_000  # after these, nobody needs to be told that there are more


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of fault.

    Attributes
    ----------
    name : str
    severity : mapping of format to severity
        Only the formats that have the code.
    repair : str
        What is done about it where it is a warning; ``reject`` where it is always an error.
    wrong : str
        What is wrong, a template over the values that the reader gives.
    right : str
        What would be right.
    own : bool
        Whether the code is the service's own rather than NIST's.
    listed : int
        How many problems of this code are listed; further ones are only counted.
    """

    name: str
    severity: Mapping[Format, Severity]
    repair: str
    wrong: str
    right: str
    own: bool = False
    listed: int = LISTED_PER_CODE


def _nist(
    name: str, severities: str, repair: str, wrong: str, right: str, listed: int = LISTED_PER_CODE
) -> Code:
    words: dict[str, Severity] = {"E": "ERROR", "W": "WARNING"}
    by_format = {
        format: words[letter] for format, letter in zip(FORMATS, severities, strict=True) if letter in words
    }
    return Code(name, MappingProxyType(by_format), repair, wrong, right, listed=listed)


def _own(name: str, severity: Severity, repair: str, wrong: str, right: str) -> Code:
    return Code(name, MappingProxyType(dict.fromkeys(FORMATS, severity)), repair, wrong, right, own=True)


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
        "Write the subject's type before the name, as in per:parents, or give the subject a type.",
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
        "A confidence is above 0 and at most 1, with a decimal point, as in 0.75.",
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
        "The types are PER, ORG, GPE, FAC and LOC.",
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
        "Use a predicate of the task as it is spelled there, as in per:children.{2}",
    ),
    _nist(
        "ILLEGAL_PREDICATE_TYPE",
        "EE",
        "reject",
        "{0} is not a type that a predicate can begin with",
        "A relation begins with per:, org: or gpe:.",
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
        listed=100,
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
        "Assert one, as in: {0} type PER.",
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
    _own(
        "UNSUPPORTED_FILE",
        "ERROR",
        "reject",
        "The file is {0}",
        "Upload the knowledge base as plain text in UTF-8, or that text compressed by gzip.",
    ),
    _own(
        "BROKEN_GZIP",
        "ERROR",
        "reject",
        "The gzip file is damaged or cut off: {0}",
        "Compress and upload the file again; what could be read of it was checked, line by line.",
    ),
    _own(
        "UNDECODABLE_BYTES",
        "ERROR",
        "reject",
        "The line is not UTF-8: byte {0} of it is {1}",
        "Save the file as UTF-8.",
    ),
    _own(
        "ILLEGAL_CHARACTER",
        "ERROR",
        "reject",
        "The line holds a null character, at column {0}",
        "Remove it: no text of a document can hold one.",
    ),
    _own(
        "LINE_TOO_LONG",
        "ERROR",
        "reject",
        "The line has more than {0} {1}",
        "A line is one assertion; is a line end missing?{2}",
    ),
    _own(
        "TOO_LARGE",
        "ERROR",
        "reject",
        "The file {0}",
        "Leave out what no relation needs, such as entities in none; nothing beyond that point was read.",
    ),
    _own(
        "TOO_MANY_ERRORS",
        "ERROR",
        "reject",
        "The file has {0} errors up to here",
        "Correct what is wrong with so many lines first; nothing beyond this one was checked.",
    ),
    _own(
        "TOO_SLOW",
        "ERROR",
        "reject",
        "Reading the file took longer than {0} seconds",
        "A million lines take some ten seconds: hand in less, or ask the operators what is slow about it.",
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
    ),
    _own(
        "REPEATED_ASSERTION",
        "WARNING",
        "drop the repetition",
        "{0}({1}, {2}) with this provenance is asserted on line {3} already",
        "The repetition is dropped.",
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

CODES: Mapping[str, Code] = MappingProxyType({code.name: code for code in _TABLE})


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault in a file.

    Attributes
    ----------
    line : int
        From 1.
    code : str
        A name of `CODES`.
    severity : {"ERROR", "WARNING"}
        An error refuses the file.
    message : str
        What is wrong, with the offending value, and what would be right or was done about it.
    text : str
        The offending part, cut to `TEXT_LENGTH` characters.
    column : int or None
        The tab-separated column, from 1, where there is one.
    """

    line: int
    code: str
    severity: Severity
    message: str
    text: str
    column: int | None = None


def shorten(text: str, length: int = TEXT_LENGTH) -> str:
    """Cut a text to `length` characters, the last an ellipsis where something is missing."""
    return text if len(text) <= length else text[: length - 1] + "…"


class ProblemLog:
    """The problems of one file: all counted, the first of each code listed.

    Parameters
    ----------
    format : {"tac2015", "tac2016"}
        Gives the severities.

    Attributes
    ----------
    is_cut_short : bool
        Whether reading ended before the file did, so that nothing can be said of the file as a whole.
    """

    def __init__(self, format: Format) -> None:
        self.format = format
        self.counts: Counter[str] = Counter()
        self.is_cut_short = False
        self._listed: list[Problem] = []
        self._errors = 0

    def knows(self, code: str) -> bool:
        """Say whether the format has this code."""
        return self.format in CODES[code].severity

    def add(self, code: str, line: int, text: object, *values: object, column: int | None = None) -> None:
        """Count a problem, and list it if not too many of its code are listed.

        Parameters
        ----------
        code : str
            A code that the format has.
        line : int
        text : object
            The offending part; made a string if it is listed.
        *values : object
            What the code's templates want, in order; made strings, but for numbers, if it is listed.
        column : int, optional
        """
        count = self.counts[code] = self.counts[code] + 1
        kind = CODES[code]
        severity = kind.severity[self.format]
        self._errors += severity == "ERROR"
        if count > kind.listed:
            return
        shown = [value if isinstance(value, int | float) else shorten(str(value)) for value in values]
        message = f"{kind.wrong.format(*shown)}. {kind.right.format(*shown)}"
        self._listed.append(Problem(line, code, severity, message, shorten(str(text)), column))

    def end(self, code: str, line: int, text: object, *values: object) -> None:
        """Add a problem after which nothing more is read."""
        self.add(code, line, text, *values)
        self.is_cut_short = True

    def count(self, severity: Severity) -> int:
        """Count the problems of this severity, listed or not."""
        return sum(
            count for code, count in self.counts.items() if CODES[code].severity[self.format] == severity
        )

    def lists(self, code: str) -> bool:
        """Say whether a further problem of this code would be listed."""
        return self.counts[code] < CODES[code].listed

    @property
    def has_errors(self) -> bool:
        """Whether any problem refuses the file."""
        return self._errors > 0

    def ends_at(self, line: int) -> bool:
        """Say whether reading ends at a line: it does where the errors are so many that more are no use."""
        if self._errors >= MOST_ERRORS and not self.is_cut_short:
            self.end("TOO_MANY_ERRORS", line, "", f"{MOST_ERRORS:,}")
        return self.is_cut_short

    @property
    def unlisted(self) -> int:
        """How many problems were counted without being listed."""
        return self.counts.total() - len(self._listed)

    def by_line(self) -> tuple[Problem, ...]:
        """Return the listed problems in the order of their lines."""
        return tuple(sorted(self._listed, key=lambda problem: problem.line))
