"""Which words can be shown beside others without changing how these are read. Pure."""

import unicodedata

#: Marks that turn the direction of what stands around them: a title with one makes a page say another thing.
_BIDIRECTIONAL = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_LINES = frozenset("\n\r\t")
_REFUSED = frozenset({"Cc", "Cs", "Zl", "Zp"})
#: Seen by nobody, and by themselves of no meaning in any script.
_ZERO_WIDTH = frozenset("\u200b\u2060\ufeff")


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


def without_unshowable(text: str, *, but: str = "") -> str:
    r"""Return a text without the control, bidirectional and zero-width characters that another has not.

    Examples
    --------
    >>> without_unshowable("Paid \u202e0\u200b0.1$\n"), without_unshowable("a\u202eb", but="\u202e")
    ('Paid 00.1$\n', 'a\u202eb')
    """
    kept = set(but)
    return "".join(
        one for one in text if one in kept or (one not in _ZERO_WIDTH and unshowable(one, lines=True) is None)
    )
