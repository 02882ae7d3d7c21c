"""What Postgres can keep as JSON, which is less than what JSON can say."""

import math
import re

from kbpo.core.errors import InvalidInput

DEEPEST = 100  # levels; Python and Postgres read some thousands, and nothing of ours has ten
_NO_TEXT = re.compile("[\0\ud800-\udfff]")


def check_storable(document: object, *, where: str = "") -> None:
    """Check that Postgres can keep what was read of JSON.

    Parameters
    ----------
    document : object
        As `json.loads` returns it.
    where : str
        The name of the document, for the message.

    Raises
    ------
    InvalidInput
        If it holds a NUL character, half a character (a lone surrogate), a number that is none, or more than
        `DEEPEST` levels.
    """
    level, inside = 0, [document]
    while inside:
        level += 1
        if level > DEEPEST:
            raise InvalidInput(f"it has more than {DEEPEST} levels", where=where)
        outside, inside = inside, []
        for one in outside:
            match one:
                case str() if _NO_TEXT.search(one):
                    raise InvalidInput(f"{one[:40]!r} holds a character that is none", where=where)
                case float() if not math.isfinite(one):
                    raise InvalidInput(f"{one} is no number", where=where)
                case dict():
                    inside += [*one.keys(), *one.values()]
                case list():
                    inside += one
