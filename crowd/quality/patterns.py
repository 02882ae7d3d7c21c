"""Patterns in what a worker answers that a person should look at: the rules, and their words. Pure.

Each is looked for from the tenth answer on, and asks how likely it is by chance, from what the others answer.
None of them proves anything: an honest worker may have had ten pairs of names that are not related.
"""

from collections.abc import Sequence
from math import comb

FEWEST = 10  # answers, from which on a pattern is one
SMALL_EDIT = 5  # characters: who changes fewer, every time, does not improve texts
#: A pattern is said from this chance on that somebody who answers as the others do shows it.
UNLIKELY = 0.05
UNLIKELY_COPY = 0.001  # of as many equal documents; a worker is compared with every other
#: However usual an answer is, nobody gives it without end: 29 times in a row are looked at.
MOST_USUAL = 0.9


def always_none(said_none: Sequence[bool], usual: float | None) -> str:
    """Say that every answer is "none"; empty if not, or if that is likely.

    Parameters
    ----------
    said_none : sequence of bool
        For each answer.
    usual : float or None
        The share of such answers among those of the others; None where they gave too few.

    Examples
    --------
    >>> always_none([True] * 10, 0.5)
    'All of the last 10 answers say "none"; of those of the others 50% do.'
    >>> always_none([True] * 10, 0.8), always_none([True] * 9, 0.5)
    ('', '')
    """
    return _always(said_none, usual, 'say "none"')


def always_first(said_first: Sequence[bool], usual: float | None) -> str:
    """Say that every answer is the first option; empty if not, or if that is likely. As `always_none`.

    Examples
    --------
    >>> always_first([True] * 10, None)
    'All of the last 10 answers are the first option.'
    """
    return _always(said_first, usual, "are the first option")


def small_edits(changed: Sequence[int]) -> str:
    """Say that no edit changed more than a few characters; empty if one did, or there are few edits.

    Examples
    --------
    >>> small_edits([1] * 10)
    'None of the last 10 edits changed five characters.'
    >>> small_edits([1] * 9), small_edits([1] * 10 + [5])
    ('', '')
    """
    if len(changed) < FEWEST or max(changed) >= SMALL_EDIT:
        return ""
    return f"None of the last {len(changed)} edits changed five characters."


def copied(same: int, of: int, others_same: int, others_of: int) -> str:
    """Say that marks are those of another worker more often than chance has it; empty if they are not.

    Parameters
    ----------
    same, of : int
        Documents on which the two marked the same, to the character, and all that both have marked.
    others_same, others_of : int
        The same of pairs of other workers.

    Examples
    --------
    >>> copied(9, 10, 2, 30)
    'On 9 of 10 documents the marks are those of another worker, to the character; of other pairs on 2 of 30.'
    >>> copied(4, 10, 10, 30), copied(9, 9, 2, 30)
    ('', '')
    """
    if of < FEWEST:
        return ""
    chance = (others_same + 1) / (others_of + 2)
    if _at_least(same, of, chance) >= UNLIKELY_COPY:
        return ""
    compared = f"; of other pairs on {others_same} of {others_of}" if others_of else ""
    return f"On {same} of {of} documents the marks are those of another worker, to the character{compared}."


def _always(said: Sequence[bool], usual: float | None, words: str) -> str:
    if len(said) < FEWEST or not all(said):
        return ""
    if usual is not None and min(usual, MOST_USUAL) ** len(said) >= UNLIKELY:
        return ""
    compared = "" if usual is None else f"; of those of the others {100 * usual:.0f}% do"
    if words.startswith("are") and compared:
        compared = compared.removesuffix("do") + "are"
    return f"All of the last {len(said)} answers {words}{compared}."


def _at_least(hits: int, of: int, chance: float) -> float:
    """Return the chance of so many hits or more."""
    return sum(comb(of, k) * chance**k * (1 - chance) ** (of - k) for k in range(hits, of + 1))
