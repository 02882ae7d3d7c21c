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
from functools import lru_cache
from typing import NamedTuple

VERSION = "v1"
"""Of the rules below. Other rules are another version: what was weighed by these keeps its keys."""

FUNCTION_WORDS = frozenset(
    (
        *("i", "me", "my", "mine", "myself", "you", "your", "yours", "yourself", "he", "him", "his"),
        *("himself", "she", "her", "hers", "herself", "it", "its", "itself", "we", "us", "our", "ours"),
        *("ourselves", "they", "them", "their", "theirs", "themselves", "who", "whom", "whose", "which"),
        *("that", "this", "these", "those", "a", "an", "the", "some", "any", "each", "every", "no", "one"),
    )
)
CONNECTORS = frozenset(
    (
        *("of", "for", "the", "de", "la", "le", "du", "des", "del", "della", "di", "da", "van", "von", "der"),
        *("den", "bin", "al", "el", "&"),
    )
)
MOST_CONNECTORS = 2
"""Across how many in a row a name goes on."""

_NAMING = frozenset({"Lu", "Lt", "Lo", "Nd"})


def _class_of(*initials: str) -> str:
    """Return a character class for `re` of all characters whose category begins with one of these."""
    ranges: list[list[int]] = []
    for code in range(sys.maxunicode + 1):
        if unicodedata.category(chr(code))[0] in initials:
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges) + "]"


_INNER = _class_of("L", "M", "N")
_WORD = re.compile(rf"{_INNER}(?:\S*{_INNER})?|(?<!\S)&(?!\S)")
_LINE_END = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_HYPHENS = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_PLAIN = str.maketrans({"\u2019": "'", **dict.fromkeys(_HYPHENS, "-")})


class _Word(NamedTuple):
    """What there is to know of a word wherever it stands."""

    folded: str
    names: bool
    is_connector: bool
    names_in_mixed_case: bool


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
def _known(word: str) -> _Word:
    folded = fold(word)
    is_function_word = folded in FUNCTION_WORDS
    can_name = any(unicodedata.category(character) in _NAMING for character in word)
    return _Word(
        folded,
        can_name and not is_function_word,
        folded in CONNECTORS,
        is_function_word and len(folded) >= 2 and word[: len(folded)].isupper(),
    )


class Names:
    """The names of one document.

    Parameters
    ----------
    document : str
        What tells it from the corpus' other documents: its id.
    text : str
    """

    def __init__(self, document: str, text: str) -> None:
        self._document = document
        self._text = text
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._words: list[_Word] = []
        self._naming: list[bool] = []
        self._keys: dict[int, str] = {}  # of a run of adjacent naming words, by its first
        for match in _WORD.finditer(text):
            start, end = match.span()
            word = _known(match[0])
            self._starts.append(start)
            self._ends.append(end)
            self._words.append(word)
            self._naming.append(
                word.names or (word.names_in_mixed_case and self._is_in_mixed_case(start, end))
            )

    def key(self, start: int, end: int) -> str:
        """Return the key of a span: half-open character offsets into the text.

        That of the first word that it touches and that names: with all adjacent naming words to its left
        and, to its right, those that follow on, be it across one or two connectors. Where it touches none it
        names nobody beyond its document: the key, which then begins with a tab, holds the document's.
        """
        first = last = bisect_right(self._ends, start)
        while last < len(self._starts) and self._starts[last] < end:
            if self._naming[last]:
                return self._key_of(last)
            last += 1
        touched = " ".join(word.folded for word in self._words[first:last])
        return f"\t{self._document}\t{touched}"

    def all(self) -> set[str]:
        """Return the keys of all names in the document: those of its naming words."""
        return {
            self._key_of(word)
            for word, names in enumerate(self._naming)
            if names and not (word and self._naming[word - 1] and self._is_adjacent(word - 1))
        }

    def _key_of(self, word: int) -> str:
        first = word
        while first and self._naming[first - 1] and self._is_adjacent(first - 1):
            first -= 1
        key = self._keys.get(first)
        if key is None:
            end = self._end_of(word)
            key = self._keys[first] = " ".join(one.folded for one in self._words[first:end])
        return key

    def _end_of(self, word: int) -> int:
        """Return the place after the last word of a name, seen from one of its naming words."""
        while (following := self._next_naming(word)) is not None:
            word = following
        return word + 1

    def _next_naming(self, word: int) -> int | None:
        following = word
        for _ in range(MOST_CONNECTORS + 1):
            if following + 1 == len(self._words) or not self._is_adjacent(following):
                return None
            following += 1
            if self._naming[following]:
                return following
            if not self._words[following].is_connector:
                return None
        return None

    def _is_adjacent(self, word: int) -> bool:
        """Say whether a word ends its run, and the next begins its own."""
        return self._text[self._ends[word]].isspace() and self._text[self._starts[word + 1] - 1].isspace()

    def _is_in_mixed_case(self, start: int, end: int) -> bool:
        """Say whether the line of a word has a lower-case letter."""
        first = max((match.end() for match in _LINE_END.finditer(self._text, 0, start)), default=0)
        after = _LINE_END.search(self._text, end)
        line = self._text[first : after.start() if after else len(self._text)]
        return any(unicodedata.category(character) == "Ll" for character in line)


def name_key(document: str, text: str, start: int, end: int) -> str:
    r"""Return the name key of a span of a document.

    Who asks for many spans of a document asks `Names` instead, which reads the text once.

    Parameters
    ----------
    document : str
        What tells it from the corpus' other documents: its id.
    text : str
    start, end : int
        Half-open character offsets into the text.

    Examples
    --------
    >>> text = "Ada Byron of the North met her. So did the University of St Ives."
    >>> name_key("D", text, 4, 5), name_key("D", text, 27, 30), name_key("D", text, 46, 64)
    ('ada byron of the north', '\tD\ther', 'university of st ives')
    """
    return Names(document, text).key(start, end)


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


def digests(keys: Iterator[str]) -> list[int]:
    """Return the digest of each key; equal ones are hashed once."""
    known: dict[str, int] = {}
    return [known[key] if key in known else known.setdefault(key, digest(key)) for key in keys]
