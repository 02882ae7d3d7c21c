"""The rule for text that people type here: XML, and so mail, CSV and JSON, can hold each character. Pure."""

import re
import unicodedata
from collections.abc import Callable
from typing import Any, TypeVar

View = TypeVar("View", bound=Callable[..., Any])

#: No characters of XML 1.0 (section 2.2): most control characters, halves of surrogate pairs, U+FFFE, U+FFFF.
_NOT_PLAIN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
#: Control characters have no names in Unicode's tables; these are pasted from word processors and terminals.
_NAMES = {
    "\0": "NUL",
    "\b": "backspace",
    "\x0b": "vertical tab",
    "\x0c": "form feed",
    "\x1b": "escape",
}


def find_fault(text: str) -> str | None:
    r"""Return which character breaks the rule first and where, in words, or None.

    Examples
    --------
    >>> find_fault("First line\nsecond\x0bline"), find_fault("First line\n")
    ('the character U+000B (vertical tab) at line 2, after "second"', None)
    """
    found = _NOT_PLAIN.search(text)
    if found is None:
        return None
    before = text[: found.start()]
    line = before.rpartition("\n")[2]
    where = f'after "{line[-20:]}"' if line.strip() else "at its start"
    return f"the character {_describe(found[0])} at line {before.count(chr(10)) + 1}, {where}"


def replace_faults(text: str) -> str:
    r"""Return a text with U+FFFD in the place of each character that breaks the rule.

    Examples
    --------
    >>> replace_faults("a\x0bb\n")
    'a\ufffdb\n'
    """
    return _NOT_PLAIN.sub("\ufffd", text)


def replaced_in_forms(view: View) -> View:
    """Mark a view: faults in its forms are replaced, not refused, so that no answer is lost."""
    view.replaces_faults = True  # type: ignore[attr-defined]
    return view


def _describe(character: str) -> str:
    code = f"U+{ord(character):04X}"
    if name := _NAMES.get(character):
        return f"{code} ({name})"
    if unicodedata.category(character) == "Cs":
        return f"{code} (half of a surrogate pair)"
    return f"{code} (a control character)" if unicodedata.category(character) == "Cc" else code
