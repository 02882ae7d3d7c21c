"""Names that some people choose and others read: nothing in them is unseen, and none looks like another."""

from collections.abc import Iterable
from functools import cache
from unicodedata import category, normalize

from kbpo.core.errors import InvalidInput
from kbpo.core.showable import visible

_NO_CHARACTERS = ("Cn", "Co")  # not assigned, or each reader's own


def read_name(given: str, *, of: str, longest: int, shortest: int = 1, where: str = "") -> str:
    """Return a name as it is kept: in NFC, with single spaces.

    Parameters
    ----------
    given : str
    of : str
        Whose it is, as in ``"A team"``.
    longest, shortest : int
        Characters.
    where : str
        The field that has it.

    Raises
    ------
    InvalidInput
        If it is too short or too long, or has a character that is not seen or turns the direction of text.
    """
    name = normalize("NFC", " ".join(given.split()))
    if not shortest <= len(name) <= longest:
        raise InvalidInput(
            f"{of} needs a name of {shortest} to {longest} characters; this one has {len(name)}.", where=where
        )
    shown = visible(name)
    if shown != name or any(category(character) in _NO_CHARACTERS for character in name):
        raise InvalidInput(
            "The name has a character that is not seen or turns the direction of text; leave it out:"
            f" {shown if shown != name else ascii(name)}",
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
    """Return the skeletons of a name as it is and in lower case."""
    return {_skeleton(name), "lower case: " + _skeleton(normalize("NFKC", name).casefold())}


def _skeleton(text: str) -> str:
    prototypes = _prototypes()
    replaced = "".join(prototypes.get(character, character) for character in normalize("NFD", text))
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
