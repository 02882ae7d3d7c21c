"""Whether a file's offsets look as if they were counted in another way than ours."""

from collections.abc import Callable, Mapping
from functools import lru_cache

from kbpo_formats.corpus import Documents
from kbpo_formats.problems import ProblemLog
from kbpo_formats.spans import Span

CODE = "OFFSETS_COUNTED_OTHERWISE"
WRONG = "{0} of {1} mentions begin or end inside a word or with white space; {2}, {3} of them would not"
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
        self._otherwise: Mapping[str, Recount] = {
            "counted in code units of UTF-16": _of_encoding("utf-16-le", 2),
            "counted in bytes of UTF-8": _of_encoding("utf-8", 1),
            **(
                {"with the end after the last character": _moved(0, -1)}
                if ends_are_last
                else {"with the end at the last character": _moved(0, 1)}
            ),
            "counted from 1": _moved(-1, -1),
            "counted from 1, with the end at the last character": _moved(-1, 0),
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
        texts = {
            doc_id: self._documents.text(doc_id)
            for doc_id in {doc_id for doc_id, _ in self._seen}
            if (self._documents.length(doc_id) or 0) <= LONGEST_TEXT
        }
        given = {(doc_id, span): _fits(texts[doc_id], span) for doc_id, span in self._seen if doc_id in texts}
        best: tuple[int, str, int, int] | None = None
        for words, recount in self._otherwise.items():
            others = {key: recount(texts[key[0]], key[1]) for key in given}
            moved = [key for key in given if others[key] != key[1]]
            as_given = sum(given[key] for key in moved)
            otherwise = sum(_fits(texts[key[0]], others[key]) for key in moved)
            if (
                len(moved) >= FEWEST
                and as_given <= MOST_AS_GIVEN * len(moved)
                and otherwise >= LEAST_OTHERWISE * len(moved)
                and (best is None or otherwise > best[0])
            ):
                best = otherwise, words, len(moved) - as_given, len(moved)
        if best is not None:
            fitting, words, failing, moved_all = best
            line = min(self._seen[key] for key, fits in given.items() if not fits)
            log.add(CODE, line, "", failing, moved_all, words, fitting)


def _fits(text: str, span: Span | None) -> bool:
    """Say whether a span neither begins nor ends inside a word or with white space."""
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
