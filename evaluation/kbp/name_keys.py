"""Name keys: whom or what a span names, told from the corpus' text alone (docs/estimation.md, 1).

Spans with the same key count as the same entity. Neither a system's own clusters nor where exactly its spans
begin and end have a say: the key of a span is that of the whole name that it touches.

A *word* is a run without white space, bare of outer characters that are no letter, mark or digit; a lone & is
one too. A word *names* if it has an upper-case, title-case or caseless letter or a digit and is, folded, no
function word; or if it is one in capitals (US, WHO) on a line that is not all in capitals. Words are adjacent
if white space is between them, and no character that belongs to either's run: a dash that stands alone
parts no more than white space does.
"""

import hashlib
import re
import sys
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from kbpo_formats.kbp.extents import FUNCTION_WORDS

VERSION = "v1"
"""Of the rules below. Other rules are another version: what was weighed by these keeps its keys."""

CONNECTORS = frozenset(
    (
        *("of", "for", "the", "de", "la", "le", "du", "des", "del", "della", "di", "da", "van", "von", "der"),
        *("den", "bin", "al", "el", "&"),
    )
)
MOST_CONNECTORS = 2
"""Across how many in a row a name goes on."""

_NAMING = ("Lu", "Lt", "Lo", "Nd")
_INNER = ("L", "M", "N")


def _class_of(categories: tuple[str, ...], is_beyond: bool) -> str:
    """Return a character class for `re`: all characters of some categories, or those of the first plane."""
    ranges: list[list[int]] = []
    for code in range(sys.maxunicode + 1 if is_beyond else _PLANE):
        if unicodedata.category(chr(code)).startswith(categories):
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges) + "]"


# Few texts hold characters beyond the Basic Multilingual Plane, and to look for them takes ten times as long.
_PLANE = 0x10000
_BEYOND = re.compile(f"[{chr(_PLANE)}-{chr(sys.maxunicode)}]")
_RUN = re.compile(r"\S+")
_LINE = re.compile(r"[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
_HYPHENS = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_PLAIN = str.maketrans({"\u2019": "'", **dict.fromkeys(_HYPHENS, "-")})


@cache
def _what_may_name(is_beyond: bool) -> re.Pattern[str]:
    return re.compile(rf"{_class_of(_NAMING, is_beyond)}\S*")


@cache
def _bare_word(is_beyond: bool) -> re.Pattern[str]:
    inner = _class_of(_INNER, is_beyond)
    return re.compile(rf"{inner}(?:\S*{inner})?")


class _Word(NamedTuple):
    """The word of a run, wherever that stands.

    Attributes
    ----------
    start, end : int
        Where in the run it is; equal where the run has no word.
    folded : str
    names : bool
        On any line.
    names_in_mixed_case : bool
        On a line that has a lower-case letter.
    is_connector : bool
    opens, closes : bool
        Whether the run begins and ends with it.
    """

    start: int
    end: int
    folded: str
    names: bool
    names_in_mixed_case: bool
    is_connector: bool
    opens: bool
    closes: bool


def fold(word: str) -> str:
    """Return the form in which words are compared.

    NFKC without format characters, straight apostrophes and hyphens, case-folded, without a final 's.

    Examples
    --------
    >>> fold("O\u2019Neill\u2019s")
    "o'neill"
    """
    if not word.isascii():
        word = unicodedata.normalize("NFKC", word)
        word = "".join(character for character in word if unicodedata.category(character) != "Cf")
        word = word.translate(_PLAIN)
    return word.casefold().removesuffix("'s")


@lru_cache(maxsize=1 << 16)
def _word_of(run: str) -> _Word:
    bare = _bare_word(_BEYOND.search(run) is not None).search(run)
    start, end = bare.span() if bare else (0, run == "&")
    word = run[start:end]
    folded = fold(word)
    is_function_word = folded in FUNCTION_WORDS
    can_name = any(unicodedata.category(character) in _NAMING for character in word)
    return _Word(
        start=start,
        end=end,
        folded=folded,
        names=can_name and not is_function_word,
        names_in_mixed_case=is_function_word and len(folded) > 1 and word[: len(folded)].isupper(),
        is_connector=folded in CONNECTORS,
        opens=start == 0,
        closes=end == len(run),
    )


class Names:
    """The names of one document.

    Parameters
    ----------
    document : str
        What tells it from the corpus' other documents: its id.
    text : str
    """

    # Only the runs that may name are held: most of a text is lower case, and passed over by the search alone.
    def __init__(self, document: str, text: str) -> None:
        self._document = document
        self._text = text
        self._lines: tuple[list[int], list[bool]] | None = None
        self._keys: dict[int, str] = {}  # of a row of adjacent naming words, by its first
        self._gaps: dict[int, list[str] | None] = {}  # connectors between a word and the next
        self._runs: list[tuple[int, int]] = []
        self._words: list[_Word] = []
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._naming: list[bool] = []
        for found in _what_may_name(_BEYOND.search(text) is not None).finditer(text):
            start, end = found.span()
            while start and not text[start - 1].isspace():
                start -= 1
            word = _word_of(text[start:end])
            self._runs.append((start, end))
            self._words.append(word)
            self._starts.append(start + word.start)
            self._ends.append(start + word.end)
            self._naming.append(word.names or (word.names_in_mixed_case and self._is_in_mixed_case(start)))

    def key(self, start: int, end: int) -> str:
        """Return the key of a span: half-open character offsets into the text.

        That of the first word that it touches and that names: with all adjacent naming words to its left
        and, to its right, those that follow on, be it across one or two connectors. Where it touches none it
        names nobody beyond its document: the key, which then begins with a tab, holds the document's.
        """
        at = bisect_right(self._ends, start)
        while at < len(self._starts) and self._starts[at] < end:
            if self._naming[at]:
                return self._key_of(self._first_of(at))
            at += 1
        return f"\t{self._document}\t{' '.join(self._touched(start, end))}"

    def all(self) -> set[str]:
        """Return the keys of all names in the document: those of its naming words."""
        return {
            self._key_of(at) for at, names in enumerate(self._naming) if names and self._first_of(at) == at
        }

    def _first_of(self, at: int) -> int:
        """Return the first of a row of adjacent naming words."""
        while at and self._naming[at - 1] and self._between(at - 1) == []:
            at -= 1
        return at

    def _key_of(self, first: int) -> str:
        """Return the key of the name whose first word this is."""
        key = self._keys.get(first)
        if key is None:
            words = [self._words[first].folded]
            at: int | None = first
            while at is not None:
                at = self._follow(at, words)
            key = self._keys[first] = " ".join(words)
        return key

    def _follow(self, at: int, words: list[str]) -> int | None:
        """Return the next naming word of a name, and add it to the name's words; None where it ends."""
        connectors: list[str] = []
        while (between := self._between(at)) is not None:
            at += 1
            connectors += between
            word = self._words[at]
            if self._naming[at]:
                if len(connectors) > MOST_CONNECTORS:
                    return None
                words += [*connectors, word.folded]
                return at
            if not word.is_connector:
                return None
            connectors.append(word.folded)
        return None

    def _between(self, at: int) -> list[str] | None:
        """Return the connectors between a word and the next that may name; None where others part them."""
        if at not in self._gaps:
            self._gaps[at] = self._find_between(at)
        return self._gaps[at]

    def _find_between(self, at: int) -> list[str] | None:
        if at + 1 == len(self._words) or not (self._words[at].closes and self._words[at + 1].opens):
            return None
        start, end = self._runs[at][1], self._runs[at + 1][0]
        if end - start == 1:
            return []  # most often: a space
        connectors = []
        for run in _RUN.finditer(self._text, start, end):
            word = _word_of(run[0])
            if word.start == word.end:
                continue
            if not (word.is_connector and word.opens and word.closes):
                return None
            connectors.append(word.folded)
        return connectors

    def _touched(self, start: int, end: int) -> Iterator[str]:
        """Yield the words, folded, that a span touches."""
        first = min(start, len(self._text))
        while first and not self._text[first - 1].isspace():
            first -= 1
        for run in _RUN.finditer(self._text, first):
            if run.start() >= end:
                return
            word = _word_of(run[0])
            if run.start() + word.start < end and run.start() + word.end > start and word.start < word.end:
                yield word.folded

    def _is_in_mixed_case(self, at: int) -> bool:
        """Say whether the line of a character has a lower-case letter."""
        if self._lines is None:
            lines = list(_LINE.finditer(self._text))
            self._lines = (
                [line.start() for line in lines],
                [any(unicodedata.category(character) == "Ll" for character in line[0]) for line in lines],
            )
        starts, mixed = self._lines
        return mixed[bisect_right(starts, at) - 1]


def digest(key: str) -> int:
    """Return the number that stands for a key where it is stored: a text that is taken down leaves no name.

    Returns
    -------
    int
        Of 63 bits; below 0 for the key of a span that names nobody.
    """
    hashed = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    number = int.from_bytes(hashed, "big") >> 1
    return ~number if key.startswith("\t") else number
