"""The word or the name that a span stands in: claims about pieces of the same names are one claim.

A *word* is a run of letters and digits, with a hyphen, an apostrophe or an & inside, before letters, or a
hyphen before two digits: 1990-07-04, but not 1972-1982. It names if it begins in upper case and is no
function word. A *name* is a row of such words with one space between them, or a full stop and a space after
a single letter; a final 's ends it. A number stands in a name with the words beside it, and with another
number if one of the two is a day: 4 July 1990, July 4, 1990. What has letters that are neither upper nor
lower case stays as it is: such a run may be a whole clause.
"""

import re
import unicodedata
from bisect import bisect_right
from functools import lru_cache
from typing import NamedTuple

FUNCTION_WORDS = frozenset(
    (
        *("i", "me", "my", "mine", "myself", "you", "your", "yours", "yourself", "he", "him", "his"),
        *("himself", "she", "her", "hers", "herself", "it", "its", "itself", "we", "us", "our", "ours"),
        *("ourselves", "they", "them", "their", "theirs", "themselves", "who", "whom", "whose", "which"),
        *("that", "this", "these", "those", "a", "an", "the", "some", "any", "each", "every", "no", "one"),
    )
)
LONGEST_DAY = 2  # digits
LONGEST_NAME = 150
"""Characters, as many as a mention may have: a longer row, as of a headline in capitals, is no name."""

_INNER = "[^\\W_][\u0300-\u036f]*"
_JOINS = r"(?:[-'\u2019&](?=[^\W\d_])|-(?=\d{1,2}(?!\d)))"  # before a letter, or before a month or a day
_WORD = re.compile(f"(?:{_INNER})+(?:{_JOINS}(?:{_INNER})+)*")


class _Kind(NamedTuple):
    names: bool
    is_number: bool
    is_day: bool
    is_caseless: bool
    is_initial: bool
    ends: bool


@lru_cache(maxsize=1 << 16)
def _kind_of(word: str) -> _Kind:
    is_number = word[0].isdigit()
    return _Kind(
        names=word[0].isupper() and word.casefold() not in FUNCTION_WORDS,
        is_number=is_number,
        is_day=is_number and len(word) <= LONGEST_DAY,
        is_caseless=not word.isascii() and any(unicodedata.category(one) == "Lo" for one in word),
        is_initial=len(word) == 1 and word.isupper(),
        ends=word.endswith(("'s", "\u2019s")),
    )


class Extents:
    """Where the words and names of a text begin and end.

    Parameters
    ----------
    text : str
    """

    def __init__(self, text: str) -> None:
        self._text = text
        words = list(_WORD.finditer(text))
        self._starts = [word.start() for word in words]
        self._ends = [word.end() for word in words]
        self._kinds = [_kind_of(word[0]) for word in words]

    def grown(self, start: int, end: int) -> tuple[int, int]:
        """Return a span with the words that it touches, and the names that these stand in.

        Examples
        --------
        >>> text = "Born on July 4, 1990, Ada Byron-King met a chief clerk."
        >>> for start, end in [(13, 14), (8, 9), (26, 29), (49, 50)]:
        ...     print(text[slice(*Extents(text).grown(start, end))])
        July 4, 1990
        July
        Ada Byron-King
        clerk
        """
        at, low, high = bisect_right(self._ends, start), start, end
        while at < len(self._starts) and self._starts[at] < end:
            if not self._kinds[at].is_caseless:
                first, last = self._row(at)
                low, high = min(low, self._starts[first]), max(high, self._ends[last])
            at += 1
        return low, high

    def _row(self, at: int) -> tuple[int, int]:
        kind, first, last = self._kinds[at], at, at
        if kind.names or kind.is_number:
            while first and self._goes_on(first - 1, first - 1, with_numbers=kind.is_number):
                first -= 1
                if self._ends[at] - self._starts[first] > LONGEST_NAME:
                    return at, at
            while last + 1 < len(self._starts) and self._goes_on(last, last + 1, with_numbers=kind.is_number):
                last += 1
                if self._ends[last] - self._starts[first] > LONGEST_NAME:
                    return at, at
        return first, last

    def _goes_on(self, left: int, other: int, *, with_numbers: bool) -> bool:
        """Say whether a row of words goes on between a word and the next, to the one of them that is new."""
        one, next_one, new = self._kinds[left], self._kinds[left + 1], self._kinds[other]
        if one.ends or new.is_caseless or not (new.names or (with_numbers and new.is_number)):
            return False
        between = self._text[self._ends[left] : self._starts[left + 1]]
        if one.is_number and next_one.is_number:
            return between in (" ", ", ") and one.is_day != next_one.is_day
        return between == " " or (between == ". " and one.is_initial)
