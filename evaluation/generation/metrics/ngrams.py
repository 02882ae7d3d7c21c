"""Runs of n words, counted."""

from collections import Counter
from collections.abc import Sequence


def ngrams(words: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    """Count the runs of n words."""
    return Counter(zip(*(words[start:] for start in range(n)), strict=False))


def repeated(words: Sequence[str], n: int) -> float:
    """Return which share of the runs of n words stand earlier already; 0 where there is none."""
    runs = len(words) - n + 1
    return 1 - len(ngrams(words, n)) / runs if runs > 0 else 0.0


def f_score(common: int, found: int, wanted: int) -> float:
    """Return F of precision and recall; 0 where nothing is in common."""
    return 2 * common / (found + wanted) if common else 0.0
