"""Which words can be shown beside others without changing how these are read. Pure."""

import unicodedata

#: Marks that turn the direction of what stands around them: a title with one makes a page say another thing.
_BIDIRECTIONAL = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_LINES = frozenset("\n\r\t")
_REFUSED = frozenset({"Cc", "Cs", "Zl", "Zp"})


def unshowable(text: str, *, lines: bool = False) -> str | None:
    r"""Return the first control or bidirectional character of a text as ``U+202E``; None if there is none.

    Parameters
    ----------
    text : str
    lines : bool
        Whether it may have several lines and tabs.

    Examples
    --------
    >>> unshowable("Paid \u202e00.1$"), unshowable("one\ntwo"), unshowable("one\ntwo", lines=True)
    ('U+202E', 'U+000A', None)
    """
    for character in text:
        if lines and character in _LINES:
            continue
        if character in _BIDIRECTIONAL or unicodedata.category(character) in _REFUSED:
            return f"U+{ord(character):04X}"
    return None
