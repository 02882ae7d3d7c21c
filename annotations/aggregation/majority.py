"""The majority of the votes on one question."""

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import TypeVar

Option = TypeVar("Option", bound=Hashable)

ERROR = 0.1
"""Of a vote, in `Verdict.posterior`: what the workers of the field's crowds were found to make."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the votes on one claim amount to.

    Attributes
    ----------
    value : float
        1 if more than half of the votes are for it, else 0.
    votes_for, votes : int
        Votes for it, and votes of all who were offered it.
    """

    value: float
    votes_for: int
    votes: int

    @property
    def posterior(self) -> float:
        """Return how probable the verdict is, were each vote wrong one time in ten, by itself.

        It knows nothing of who voted, so that it does not hang on what else was answered by then.

        Examples
        --------
        >>> [round(Verdict(True, votes_for, 3).posterior, 4) for votes_for in (2, 3)]
        [0.9, 0.9986]
        """
        margin = abs(2 * self.votes_for - self.votes)
        return 1 / (1 + (ERROR / (1 - ERROR)) ** margin)


def relations(offered: Sequence[Option], votes: Sequence[Collection[Option]]) -> dict[Option, Verdict] | None:
    """Settle a question that offers several relations.

    A relation holds if more than half of the voters ticked it. The votes settle nothing while a relation is
    ticked by exactly half of them, or while neither a relation nor "none" has a majority.

    Parameters
    ----------
    offered : sequence
        What every voter was offered.
    votes : sequence of collections
        What each voter ticked of it; an empty one says that none holds.

    Returns
    -------
    dict or None
        One verdict for each of `offered`, or None while the question is not settled.

    Raises
    ------
    ValueError
        If a vote ticks what was not offered.
    """
    known = set(offered)
    for vote in votes:
        if not known.issuperset(vote):
            raise ValueError(f"a vote ticks {set(vote) - known}, which was not offered")
    tallies = {option: sum(option in vote for vote in votes) for option in offered}
    none = sum(not vote for vote in votes)
    tied = any(2 * tally == len(votes) for tally in tallies.values())
    decided = any(2 * tally > len(votes) for tally in (*tallies.values(), none))
    if tied or not decided:
        return None
    return {option: _verdict(tally, len(votes)) for option, tally in tallies.items()}


def canonical(votes: Sequence[bool]) -> Verdict | None:
    """Settle a question that is answered by right or wrong.

    Parameters
    ----------
    votes : sequence of bool

    Returns
    -------
    Verdict or None
        None for a tie, and without votes.
    """
    votes_for = sum(votes)
    return None if 2 * votes_for == len(votes) else _verdict(votes_for, len(votes))


def _verdict(votes_for: int, votes: int) -> Verdict:
    return Verdict(value=float(2 * votes_for > votes), votes_for=votes_for, votes=votes)
