"""What counts as a word where one text is compared with another that was made of it."""

import re

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Characters, for a regular expression, of scripts that set no words apart: each of them is one.

Thai, Lao, Burmese, Khmer, Chinese and Japanese.
"""

_LETTERS = rf"[^\W{UNSPACED}]+"
# A word with what a hyphen joins to it, a number with its points and commas, the end of a word after an
# apostrophe, and any other mark by itself.
TOKEN = re.compile(rf"[{UNSPACED}]|['’]?{_LETTERS}(?:[.,]\d+|-{_LETTERS})*|[^\w\s]")


def tokens(text: str) -> list[str]:
    """Return the words and marks of a text, in order; everything but white space is in one."""
    return TOKEN.findall(text)
