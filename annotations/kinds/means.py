"""What kinds have in common whose labels are means of what people say. Pure."""

import hashlib
from collections.abc import Mapping, Sequence
from statistics import fmean

from annotations.aggregation.majority import Verdict


def mean_verdicts(votes: Sequence[Mapping[str, float]]) -> dict[str, Verdict] | None:
    """Return the mean of the votes on each claim; None without a vote. Every vote is for what it moves.

    Examples
    --------
    >>> mean_verdicts([{"overall": 1.0}, {"overall": 0.0}])
    {'overall': Verdict(value=0.5, votes_for=2, votes=2)}
    """
    if not votes:
        return None
    return {
        claim: Verdict(fmean(vote[claim] for vote in votes), len(votes), len(votes)) for claim in votes[0]
    }


def output_digest(text: str) -> str:
    """Return by what files of released labels name a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]
