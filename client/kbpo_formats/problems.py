"""What can be wrong with a file: a code for each kind of fault, and the log that a reader keeps.

Each task has a table of codes; those that any file may meet, whatever it should hold, are here. An ERROR
means that the file is not accepted; a WARNING gets the repair that its row names.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, Protocol

Severity = Literal["ERROR", "WARNING"]

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
        Whether the code is the service's own rather than one of those who made the format.
    """

    name: str
    severity: Mapping[str, Severity]
    repair: str
    wrong: str
    right: str
    own: bool = False


def own(name: str, formats: Sequence[str], severity: Severity, repair: str, wrong: str, right: str) -> Code:
    """Return a code of the service's own, of one severity in some formats."""
    return Code(name, MappingProxyType(dict.fromkeys(formats, severity)), repair, wrong, right, own=True)


def of_any_file(formats: Sequence[str]) -> tuple[Code, ...]:
    """Return the codes that files of some formats have whatever they should hold."""
    return tuple(own(name, formats, "ERROR", "reject", wrong, right) for name, wrong, right in _OF_ANY_FILE)


# name, what is wrong, what would be right
_OF_ANY_FILE = (
    (
        "UNSUPPORTED_FILE",
        "The file is {0}",
        "{1}",
    ),
    (
        "EMPTY_FILE",
        "The file is empty{0}",
        "Upload what your system wrote; was it still writing?",
    ),
    (
        "BROKEN_GZIP",
        "The gzip file is damaged or cut off: {0}",
        "Compress and upload the file again; what could be read of it was checked, line by line.",
    ),
    (
        "UNDECODABLE_BYTES",
        "The line is not UTF-8: byte {0} of it is {1}",
        "Save the file as UTF-8.",
    ),
    (
        "ILLEGAL_CHARACTER",
        "The line holds a null character, at column {0}",
        "Remove it: no text of a document can hold one.",
    ),
    (
        "LINE_TOO_LONG",
        "The line has more than {0} {1}",
        "Is a line end missing?{2}",
    ),
    (
        "TOO_LARGE",
        "The file {0}",
        "Leave out what is not judged; nothing beyond that point was read.",
    ),
    (
        "TOO_MANY_ERRORS",
        "The file has {0} errors up to here",
        "Correct what is wrong with so many lines first; nothing beyond this one was checked.",
    ),
    (
        "TOO_SLOW",
        "Reading the file took longer than {0} seconds",
        "A million lines take some ten seconds: submit less, or ask the operators what is slow about it.",
    ),
)


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault in a file.

    Attributes
    ----------
    line : int
        From 1.
    code : str
        The name of its `Code`.
    severity : {"ERROR", "WARNING"}
        An error refuses the file.
    message : str
        What is wrong, with the offending value, and what would be right or was done about it.
    text : str
        The offending part, cut to `TEXT_LENGTH` characters.
    column : int or None
        Where there is one: in TAC KBP and in tables the tab-separated column, in JSON Lines the character,
        from 1.
    attachment : str
        The name of the file beside it that has the fault; empty for the file itself.
    """

    line: int
    code: str
    severity: Severity
    message: str
    text: str
    column: int | None = None
    attachment: str = ""


def shorten(text: str, length: int = TEXT_LENGTH) -> str:
    """Cut a text to `length` characters, the last an ellipsis where something is missing."""
    return text if len(text) <= length else text[: length - 1] + "…"


class Recorder(Protocol):
    """Takes every problem of a file, in the order in which they are found, while the file is read."""

    @property
    def takes_more(self) -> bool:
        """Say whether one that is not listed is recorded; those that are listed always are."""

    def add(self, problem: Problem) -> None:
        """Record a problem."""


class ProblemLog:
    """The problems of one file: all counted, the first of each code listed.

    Parameters
    ----------
    codes : mapping of str to Code
        Those of the task, by name.
    format : str
        Gives the severities.
    most : int or None
        How many problems of each code are listed, further ones are only counted; None: all are listed.
    recorder : Recorder, optional
        Takes those too that are not listed.
    attachment : str
        The name of the file beside it whose problems these are; empty for the file itself.

    Attributes
    ----------
    is_cut_short : bool
        Whether reading ended before the file did, so that nothing can be said of the file as a whole.
    """

    def __init__(
        self,
        codes: Mapping[str, Code],
        format: str,
        most: int | None = LISTED_PER_CODE,
        recorder: Recorder | None = None,
        attachment: str = "",
    ) -> None:
        self.codes = codes
        self.format = format
        self.most = most
        self._recorder = recorder
        self._attachment = attachment
        self.counts: Counter[str] = Counter()
        self.is_cut_short = False
        self._listed: list[Problem] = []
        self._errors = 0

    def knows(self, code: str) -> bool:
        """Say whether the format has this code."""
        return self.format in self.codes[code].severity

    def add(self, code: str, line: int, text: object, *values: object, column: int | None = None) -> None:
        """Count a problem, list it if not too many of its code are listed, and have it recorded.

        Parameters
        ----------
        code : str
            A code that the format has.
        line : int
        text : object
            The offending part; made a string if it is told.
        *values : object
            What the code's templates want, in order; made strings, but for numbers, if it is told.
        column : int, optional
        """
        count = self.counts[code] = self.counts[code] + 1
        kind = self.codes[code]
        severity = kind.severity[self.format]
        self._errors += severity == "ERROR"
        is_listed = self.most is None or count <= self.most
        if not is_listed and not self._records_more:
            return
        shown = [value if isinstance(value, int | float) else shorten(str(value)) for value in values]
        message = f"{kind.wrong.format(*shown)}. {kind.right.format(*shown)}"
        said = shorten(str(text)).replace("\0", "␀")  # no database takes it
        problem = Problem(line, code, severity, message, said, column, self._attachment)
        if is_listed:
            self._listed.append(problem)
        if self._recorder is not None:
            self._recorder.add(problem)

    def end(self, code: str, line: int, text: object, *values: object) -> None:
        """Add a problem after which nothing more is read."""
        self.add(code, line, text, *values)
        self.is_cut_short = True

    def count(self, severity: Severity) -> int:
        """Count the problems of this severity, listed or not."""
        return sum(
            count for code, count in self.counts.items() if self.codes[code].severity[self.format] == severity
        )

    def lists(self, code: str) -> bool:
        """Say whether a further problem of this code would be listed: a search for what is meant pays."""
        return self.most is None or self.counts[code] < self.most

    def tells(self, code: str) -> bool:
        """Say whether a further problem of this code would be listed, or recorded, and so wants its words."""
        return self.lists(code) or self._records_more

    @property
    def _records_more(self) -> bool:
        return self._recorder is not None and self._recorder.takes_more

    @property
    def count_errors(self) -> int:
        """How many problems refuse the file so far."""
        return self._errors

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
