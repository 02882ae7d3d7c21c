"""Some of the exhaustive documents go, others come: what is left is a simple random sample again.

Let S be a simple random sample of U, R of S, and D of what is in U and not in S. Given R, no document outside
R is more probable than another to have been kept or to have come in. So S without R, and that with D, are
each a simple random sample of U without R, and what is estimated from them is about U without R.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kbpo_estimators import _checks

#: Draws so many of some documents, each as probable as the others.
Choose = Callable[[Sequence[str], int], list[str]]


@dataclass(frozen=True, slots=True)
class Turnover:
    """Which documents of a sample go, which stay, and which come: sorted, no document twice."""

    retired: tuple[str, ...]
    kept: tuple[str, ...]
    added: tuple[str, ...]

    @property
    def sample(self) -> tuple[str, ...]:
        """The new sample."""
        return tuple(sorted(self.kept + self.added))


def turn_over(
    sampled: Sequence[str], reserve: Sequence[str], number: int, *, choose_out: Choose, choose_in: Choose
) -> Turnover:
    """Retire some documents of a sample, and draw others in their place.

    Parameters
    ----------
    sampled : sequence of str
        A simple random sample of documents, in any order.
    reserve : sequence of str
        Those that were never in a sample, in any order.
    number : int
        How many go, from 1 to all; as many come, or the whole reserve if that is less.
    choose_out, choose_in : callable
        Draw a simple random sample of sorted documents: of `sampled`, and of `reserve`.

    Returns
    -------
    Turnover

    Raises
    ------
    InvalidInput
        If there are not so many, or a document is in both.

    Examples
    --------
    >>> turn_over(["a", "b"], ["c"], 2, choose_out=lambda ids, n: ids[:n], choose_in=lambda ids, n: ids[:n])
    Turnover(retired=('a', 'b'), kept=(), added=('c',))
    """
    if not 1 <= number <= len(sampled):
        _checks.refuse("number", f"is {number}; from 1 to the {len(sampled)} sampled documents is needed")
    if both := set(sampled) & set(reserve):
        _checks.refuse("reserve", f"has {min(both)!r}, which is sampled")
    gone = set(choose_out(sorted(sampled), number))
    coming = min(number, len(reserve))
    return Turnover(
        tuple(sorted(gone)),
        tuple(sorted(set(sampled) - gone)),
        tuple(sorted(choose_in(sorted(reserve), coming))) if coming else (),
    )


def shared_covariance(shared: int, first: int, second: int, population: int) -> float:
    """Return what makes a covariance by document one of two means, over samples before and after a turnover.

    Cov(ā, b̄) = (c/(n1 n2) − 1/N) S_ab, S_ab the covariance of a and b over the N documents.

    Parameters
    ----------
    shared : int
        c: documents that both samples have.
    first, second : int
        n1, n2: documents of each.
    population : int
        N: documents that the earlier sample was drawn from.

    Examples
    --------
    >>> shared_covariance(4, 4, 4, 8)  # the same sample: (1 − n/N)/n
    0.125
    """
    return shared / (first * second) - 1.0 / population
