"""The fields that the forms of all pages of steps have: comments, times, and numbers for questions. Pure."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from crowd.interfaces.steps import Page

Posted = Mapping[str, Sequence[str]]

COMMENT = "comment"  # the form's field
MOST_STEPS = 200
LONGEST_STEP = 1e6  # seconds
_SECONDS = "seconds-"  # and the step's name: the form's field
_NUMBERED = re.compile(rf"((?:{_SECONDS})?q)([0-9]{{1,18}})(.*)", re.ASCII | re.DOTALL)


def renumbered(fields: Posted, numbers: Mapping[int, int]) -> dict[str, Sequence[str]]:
    """Return a form's fields with the numbers of their questions replaced; others as they are.

    What was shown or saved before pages had names of their own has the questions' ids.
    """
    renamed = {}
    for name, values in fields.items():
        found = _NUMBERED.fullmatch(name)
        number = numbers.get(int(found[2])) if found else None
        renamed[name if not found or number is None else f"{found[1]}{number}{found[3]}"] = values
    return renamed


def seconds_so_far(pages: Sequence[Page], posted: Posted) -> list[tuple[str, str]]:
    """Return the times that the form sends, with what they are so far."""
    names = [f"seconds-{step.name}" for page in pages for step in page.steps]
    return [(name, next(iter(posted.get(name, ())), "")) for name in names]


def seconds_of_steps(posted: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    """List how long each step was looked at, where the page says so."""
    found = []
    for name, values in posted.items():
        seconds = _number(next(iter(values), "")) if name.startswith(_SECONDS) else None
        if seconds is not None:
            found.append({"step": name.removeprefix(_SECONDS)[:60], "seconds": seconds})
    return found[:MOST_STEPS]


def seconds_of(name: str, posted: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Return how long a question took with all its steps; a page without scripts does not say."""
    field = f"{_SECONDS}{name}"
    own = [posted[one] for one in posted if one == field or one.startswith(f"{field}-")]
    found = [_number(next(iter(values), "")) for values in own]
    known = [seconds for seconds in found if seconds is not None]
    return {"seconds": round(sum(known), 1)} if known else {}


def _number(text: str) -> float | None:
    try:
        seconds = float(text)
    except ValueError:
        return None
    return seconds if 0 <= seconds < LONGEST_STEP else None
