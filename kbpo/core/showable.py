"""Which words can be shown beside others without changing how these are read. Pure."""

import re
import unicodedata

#: Marks that turn the direction of what stands around them: a title with one makes a page say another thing.
_BIDIRECTIONAL = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_LINES = frozenset("\n\r\t")
_REFUSED = frozenset({"Cc", "Cs", "Zl", "Zp"})
#: Signs of Arabic, Syriac and Kaithi that stand around numbers, and can be seen.
_SIGNS = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")
_JOINERS = frozenset("\u200c\u200d")
#: What looks like a blank, and is none.
_BLANK = frozenset("\u2800\u3164\uffa0")
#: What chooses another form of the character before, or fills a place beside it: in other scripts than Latin.
_CHOOSERS = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f"
    + "".join(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
)
#: After these it is a sign that may be drawn in colours.
_CHOSEN = frozenset("0123456789#*©®")
_LAST_OF_LATIN = "\u024f"  # up to here nothing is joined, or kept apart, by a character that nobody sees
_WRITTEN = re.compile(r"⟨U\+([0-9A-F]{4,6})⟩")


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
            return _code(character)
    return None


def visible(text: str) -> str:
    r"""Return a text with the code of each character in its place that nobody sees, or that turns directions.

    Examples
    --------
    >>> visible("Paid \u202e00.1$\n"), visible("pass\u200bword"), visible("می\u200cخواهم") == "می\u200cخواهم"
    ('Paid ⟨U+202E⟩00.1$\n', 'pass⟨U+200B⟩word', True)
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(f"⟨{_code(one)}⟩" if is_unseen else one for one, is_unseen in _looked_at(text))


def restored(shown: str, *, of: str) -> str:
    r"""Return what somebody made of `visible(of)`, with the characters of `of` in the place of their codes.

    Of other characters that nobody sees it is rid.

    Examples
    --------
    >>> restored("⟨U+202E⟩00.1$ ⟨U+200B⟩", of="Paid \u202e00.1$"), restored("Paid\u200b", of="Paid")
    ('\u202e00.1$ ⟨U+200B⟩', 'Paid')
    """
    kept = {one for one, is_unseen in _looked_at(of) if is_unseen}

    def character(found: re.Match[str]) -> str:
        number = int(found[1], 16)
        return chr(number) if number <= 0x10FFFF and chr(number) in kept else found[0]

    return _WRITTEN.sub(character, "".join(one for one, is_unseen in _looked_at(shown) if not is_unseen))


def without_unseen(text: str, *, but: str = "") -> str:
    r"""Return a text without the characters that nobody sees, or that turn directions, that another has not.

    Examples
    --------
    >>> without_unseen("Paid \u202e0\u200b0.1$\n"), without_unseen("a\u202eb", but="\u202e")
    ('Paid 00.1$\n', 'a\u202eb')
    """
    kept = set(but)
    return "".join(one for one, is_unseen in _looked_at(text) if one in kept or not is_unseen)


def _looked_at(text: str) -> list[tuple[str, bool]]:
    """List the characters, each with whether nobody sees it."""
    return [(one, _is_unseen(one, before)) for before, one in zip(" " + text, text, strict=False)]


def _is_unseen(character: str, before: str) -> bool:
    if character in _LINES or character in _SIGNS:
        return False
    if character in _JOINERS:
        return before <= _LAST_OF_LATIN
    if character in _CHOOSERS:
        return before <= _LAST_OF_LATIN and before not in _CHOSEN
    if character in _BLANK:
        return True
    category = unicodedata.category(character)
    return category in _REFUSED or category == "Cf"


def _code(character: str) -> str:
    return f"U+{ord(character):04X}"
