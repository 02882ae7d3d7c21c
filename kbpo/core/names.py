"""Names that people choose. None has invisible characters; names of teams and corpora do not look alike."""

import re
from collections.abc import Iterable
from functools import cache
from unicodedata import category, normalize

from kbpo.core.errors import InvalidInput
from kbpo.core.showable import visible

MOST_MARKS = 4  # that one character in NFC is made of
_NO_CHARACTERS = ("Cn", "Co")  # not assigned, or each reader's own
#: Default_Ignorable_Code_Point of Unicode: nobody sees them, though names in some scripts need them.
_IGNORABLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def read_name(given: str, *, of: str, longest: int, shortest: int = 1, where: str = "") -> str:
    """Return a name as it is kept: in NFC, with single spaces.

    Parameters
    ----------
    given : str
    of : str
        What it names, as in ``"A team's name"``.
    longest, shortest : int
        Characters.
    where : str
        The field that has it.

    Raises
    ------
    InvalidInput
        If it is too short or too long, or has a character that is not seen or turns the direction of text.
    """
    name = " ".join(given.split())
    if len(name) <= MOST_MARKS * longest:
        name = normalize("NFC", name)
    if not shortest <= len(name) <= longest:
        raise InvalidInput(
            f"{of} has {shortest} to {longest} characters; this one has {len(name):,}.", where=where
        )
    shown = visible(name)
    if shown != name or any(category(character) in _NO_CHARACTERS for character in name):
        raise InvalidInput(
            "The name has a character that cannot be seen, turns the direction of text, or is not known;"
            f" leave it out: {shown if shown != name else ascii(name)}",
            where=where,
        )
    return name


def find_lookalike(name: str, others: Iterable[str]) -> str | None:
    r"""Return the first other name that people could take for a name; None if there is none.

    Names look alike if their skeletons are the same (UTS 39, section 4), as they are or in lower case.

    Examples
    --------
    >>> find_lookalike("Wr\u0435n", ["Heron", "Wren"]), find_lookalike("Wren", ["Wren lab"])
    ('Wren', None)
    """
    wanted = _skeletons(name)
    return next((other for other in others if wanted & _skeletons(other)), None)


def _skeletons(name: str) -> set[str]:
    """Return two skeletons of a name, without regard to case: of it as it is, and of it in lower case."""
    return {_skeleton(_skeleton(name).casefold()), _skeleton(normalize("NFKC", name).casefold())}


def _skeleton(text: str) -> str:
    prototypes = _prototypes()
    seen = _IGNORABLE.sub("", normalize("NFD", text))
    replaced = "".join(prototypes.get(character, character) for character in seen)
    return normalize("NFD", replaced)


@cache
def _prototypes() -> dict[str, str]:
    """Return for each character that looks like others the one that stands for all of them."""
    from confusable_homoglyphs.confusables import confusables_data  # a megabyte, which few processes need

    alike = {
        _plain(one): [_plain(other["c"]) for other in others] for one, others in confusables_data.items()
    }
    found: dict[str, str] = {}
    for one in alike:
        if one in found:
            continue
        group, waiting = {one}, [one]
        while waiting:
            new = set(alike[waiting.pop()]) - group
            group |= new
            waiting += new
        # Where several characters look like one, as r and n like m, these stand for it.
        prototype = min(group, key=lambda text: (-len(text), text))
        found |= dict.fromkeys(group, prototype)
    return {one: prototype for one, prototype in found.items() if len(one) == 1}


def _plain(text: str) -> str:
    return text.replace("\u200e", "")  # the table marks the direction of some
