"""Detection of files whose offsets were counted in another way than ours."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from kbpo_formats.corpus import Documents
from kbpo_formats.problems import ProblemLog
from kbpo_formats.spans import Span

CODE = "OFFSETS_COUNTED_OTHERWISE"
WRONG = "{0} of {1} mentions begin or end inside a word or at white space. Read as {2}, {3} of them would fit"
LOOKED_AT = 500  # mentions of a file, each once
FEWEST = 20  # mentions that another counting would put elsewhere
MOST_AS_GIVEN = 0.5  # share of these that fit as they are, in a file that is warned of
LEAST_OTHERWISE = 0.8  # share of these that fit as counted otherwise
LONGEST_TEXT = 100_000  # characters of a document that is looked into

Recount = Callable[[str, Span], Span | None]
"""Return the span that somebody means who counts in another way; None where there is none."""


class OffsetCheck:
    """Looks at the first mentions of a file, and warns once if another counting would fit better.

    A mention fits if it neither begins nor ends inside a word or with white space. Texts under an agreement
    are not looked at: from enough answers one could learn where their words end.

    Parameters
    ----------
    documents : Documents
    ends_are_last : bool
        Whether the format's end is the last character of a mention, as in TAC KBP, and not the one after it.
        Spans are given as `Span` all the same.
    """

    def __init__(self, documents: Documents, *, ends_are_last: bool) -> None:
        self._documents = documents
        self._seen: dict[tuple[str, Span], int] = {}
        self._is_full = not documents.about.get("quotes_texts", True)
        other_end = "after the last character" if ends_are_last else "at the last character"
        further = -1 if ends_are_last else 1
        self._otherwise: Mapping[str, Recount] = {
            "counted in code units of UTF-16": _of_encoding("utf-16-le", 2),
            "counted in bytes of UTF-8": _of_encoding("utf-8", 1),
            f"with the end {other_end}": _moved(0, further),
            "counted from 1": _moved(-1, -1),
            f"counted from 1, with the end {other_end}": _moved(-1, further - 1),
        }

    def add(self, doc_id: str, span: Span, line: int) -> None:
        """Look at a mention."""
        if not self._is_full:
            self._seen.setdefault((doc_id, span), line)
            self._is_full = len(self._seen) >= LOOKED_AT

    def report(self, log: ProblemLog) -> None:
        """Warn of the first mention that does not fit, if another counting fits far better.

        A file that was not read to its end is not warned of.
        """
        if log.is_cut_short:
            return
        counts = {words: _Count() for words in self._otherwise}
        lines = []
        for doc_id, places in groupby(sorted(self._seen), key=lambda place: place[0]):
            if (self._documents.length(doc_id) or 0) > LONGEST_TEXT:
                continue
            text = self._documents.text(doc_id)
            for _, span in places:
                is_fitting = _fits(text, span)
                if not is_fitting:
                    lines.append(self._seen[doc_id, span])
                for words, recount in self._otherwise.items():
                    if (other := recount(text, span)) != span:
                        counts[words].add(is_fitting, _fits(text, other))
        likely = [(count.otherwise, words, count) for words, count in counts.items() if count.is_likely]
        if likely:
            fitting, words, count = max(likely, key=lambda one: one[0])
            log.add(CODE, min(lines), "", count.moved - count.as_given, count.moved, words, fitting)


@dataclass
class _Count:
    """Mentions that another counting moves: how many fit as given, and how many as moved."""

    moved: int = 0
    as_given: int = 0
    otherwise: int = 0

    def add(self, as_given: bool, otherwise: bool) -> None:
        self.moved += 1
        self.as_given += as_given
        self.otherwise += otherwise

    @property
    def is_likely(self) -> bool:
        is_wrong = self.as_given <= MOST_AS_GIVEN * self.moved
        return self.moved >= FEWEST and is_wrong and self.otherwise >= LEAST_OTHERWISE * self.moved


def _fits(text: str, span: Span | None) -> bool:
    """Return True if a span neither cuts a word nor begins or ends with white space."""
    if span is None or not 0 <= span.start < span.end <= len(text):
        return False
    first, last = text[span.start], text[span.end - 1]
    if first.isspace() or last.isspace():
        return False
    begins_inside = span.start > 0 and first.isalnum() and text[span.start - 1].isalnum()
    ends_inside = span.end < len(text) and last.isalnum() and text[span.end].isalnum()
    return not begins_inside and not ends_inside


def _moved(start: int, end: int) -> Recount:
    """Return what moves the start and the end of a span by so many characters."""

    def recount(_text: str, span: Span) -> Span | None:
        return Span(span.start + start, span.end + end)

    return recount


def _of_encoding(encoding: str, unit: int) -> Recount:
    """Return what takes offsets for those of a text in an encoding, in units of so many bytes."""

    @lru_cache(maxsize=8)
    def encoded(text: str) -> bytes:
        return text.encode(encoding)

    def characters(text: str, offset: int) -> int:
        return len(encoded(text)[: offset * unit].decode(encoding))

    def recount(text: str, span: Span) -> Span | None:
        if encoding == "utf-8" and text.isascii():
            return span
        try:
            return Span(characters(text, span.start), characters(text, span.end))
        except UnicodeDecodeError:  # the offset is inside a character
            return None

    return recount
