"""What an answer looks like to somebody who looks for habits: without its meaning."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenAnswer:
    """The form of an answer.

    Attributes
    ----------
    is_none : bool or None
        Whether it says "none": that nothing holds, or that there is nothing; None where it cannot.
    is_first : bool or None
        Whether it is the first option that the page offers, alone; None where there are no options.
    marks : frozenset
        What was marked, to the character; empty where nothing is marked, or was.
    changed : int or None
        How many characters of a text were changed; None where none is to be, or was.
    """

    is_none: bool | None = None
    is_first: bool | None = None
    marks: frozenset[object] = frozenset()
    changed: int | None = None
