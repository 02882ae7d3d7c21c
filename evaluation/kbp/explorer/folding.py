"""The form in which names are compared and searched: without accents, case and widths. Pure.

What is folded is never shown. `annotations.names.normalised` is another form: that in which names are counted
in texts, letter by letter.
"""

import re
import unicodedata
from functools import lru_cache

LONGEST = 200  # characters

_ACCENTS = range(0x0300, 0x0370)
# Vowels and signs that are written or left out as one likes, in Arabic and in Hebrew; and what fills a line.
_POINTS = re.compile("[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u0655\u0670\u0640]")
# Letters that are others with a stroke or without a dot, which Unicode does not take apart.
_PLAIN = str.maketrans(
    {
        "ı": "i",
        "ł": "l",
        "ø": "o",
        "đ": "d",
        "ħ": "h",
        "ŧ": "t",
        "ð": "d",
        "þ": "th",
        "æ": "ae",
        "œ": "oe",
        **dict.fromkeys("\u2018\u2019\u02bc\u02b9`\u00b4", "'"),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    }
)


def folded(name: str) -> str:
    """Return a name without accents, case, widths and format characters, at most 200 characters.

    Accents go from Latin and Greek letters, and from the Cyrillic ё; elsewhere a mark makes another letter
    (й, が, a vowel of Hindi), and stays.

    Examples
    --------
    >>> folded("José   GROẞ"), folded("İstanbul"), folded("Ｋｂｐ")
    ('jose gross', 'istanbul', 'kbp')
    """
    if name.isascii():
        text = name.lower().replace("`", "'")
    else:
        text = unicodedata.normalize("NFKC", name).casefold().translate(_PLAIN)
        text = _POINTS.sub("", unicodedata.normalize("NFKD", text))
        kept, base = [], ""
        for character in text:
            category = unicodedata.category(character)
            if category == "Cf" or (ord(character) in _ACCENTS and _is_accent(base, character)):
                continue
            if category != "Mn":
                base = character
            kept.append(character)
        text = unicodedata.normalize("NFC", "".join(kept)).translate(_PLAIN)
    return " ".join(text.split())[:LONGEST].strip()


@lru_cache(maxsize=1 << 12)
def _is_accent(base: str, mark: str) -> bool:
    if base == "е":  # of the Cyrillic letters this alone is written with or without its two dots
        return mark == "\u0308"
    return not base.isalpha() or unicodedata.name(base, "").startswith(("LATIN", "GREEK"))
