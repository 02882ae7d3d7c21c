"""What metrics take for words and sentences, in any script."""

import re
import unicodedata
from collections.abc import Iterator

from annotations.texts.tokens import UNSPACED


def _marks() -> str:
    """Return the marks that combine with the letter before."""
    every = map(chr, range(0x300, 0xFFFF))
    return "".join(mark for mark in every if unicodedata.category(mark) in ("Mn", "Mc"))


UNKNOWN = "▃"
"""Stands for a word that a system did not know."""

_MARKS = _marks()
_WORD = re.compile(rf"{UNKNOWN}|[{UNSPACED}][{_MARKS}]*|[^\W_{UNSPACED}](?:[^\W_{UNSPACED}]|[{_MARKS}])*")
_UNSPACED_CHARACTER = re.compile(rf"([{UNSPACED}][{_MARKS}]*)")
_SENTENCE_END = re.compile(r"(?<=[.!?…۔؟।॥])[\"'”’»)\]]*\s+|(?<=[。！？｡])|[\n\r\u2028\u2029]+")

_UNKNOWN_WORD = re.compile(rf"{UNKNOWN}|[<\[](?:unk|UNK)[>\]]|\bUNK\b")


def words(text: str) -> list[str]:
    """Return the words of a text in lower case: letters and digits, without punctuation, and ▃ as a word.

    Of texts in ASCII they are those of the package rouge-score. In scripts that set no words apart each
    character is one.
    """
    return _WORD.findall(text.lower())


def spaced(text: str) -> str:
    """Return a text with white space around each character that is a word."""
    return text if text.isascii() else " ".join(_UNSPACED_CHARACTER.split(text))


def sentences(text: str) -> Iterator[list[str]]:
    """Yield the words of each sentence that has any: it ends at a mark and white space, or with the line."""
    for sentence in _SENTENCE_END.split(text):
        if found := words(sentence):
            yield found


def count_unknown(text: str) -> tuple[int, int]:
    """Return how many words, as white space sets them apart, stand for unknown ones, and how many there are.

    Such is a word in which ▃ stands, be it with punctuation or a suffix ("▃-year-old", "▃.▃"), and `<unk>`,
    `[UNK]` or `UNK`.
    """
    every = spaced(text).split()
    return sum(_UNKNOWN_WORD.search(word) is not None for word in every), len(every)
