"""What metrics take for words and sentences, in any script."""

import re
import unicodedata
from collections.abc import Iterator

# Scripts whose words no white space sets apart: each of their characters is a word.
_UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f"  # Burmese
    "\u1780-\u17ff"  # Khmer
    "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"  # Chinese, Japanese
)


def _marks() -> str:
    """Return, as ranges, the marks that combine with the letter before."""
    return "".join(
        chr(code) for code in range(0x300, 0xFFFF) if unicodedata.category(chr(code)) in ("Mn", "Mc")
    )


_MARKS = _marks()
_WORD = re.compile(rf"[{_UNSPACED}][{_MARKS}]*|[^\W_{_UNSPACED}](?:[^\W_{_UNSPACED}]|[{_MARKS}])*")
_UNSPACED_CHARACTER = re.compile(rf"([{_UNSPACED}][{_MARKS}]*)")
_SENTENCE_END = re.compile(r"(?<=[.!?…۔؟।॥])[\"'”’»)\]]*\s+|(?<=[。！？｡])|[\n\r\u2028\u2029]+")

UNKNOWN = "▃"
"""Stands for a word that a system did not know."""

_UNKNOWN_WORD = re.compile(rf"\S*{UNKNOWN}\S*|[<\[](?:unk|UNK)[>\]]|\bUNK\b")


def words(text: str) -> list[str]:
    """Return the words of a text in lower case: letters and digits, without punctuation.

    Of texts in ASCII they are those of the package rouge-score. In scripts that set no words apart each character is
    one.
    """
    return _WORD.findall(text.lower())


def spaced(text: str) -> str:
    """Return a text with white space around each character that is a word."""
    return text if text.isascii() else _UNSPACED_CHARACTER.sub(r" \1 ", text)


def sentences(text: str) -> Iterator[list[str]]:
    """Yield the words of each sentence that has any: it ends at a mark and white space, or at the line's end."""
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
