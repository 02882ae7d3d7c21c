"""What judging costs: known above this package, where the crowd is, which registers it here."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Protocol

from evaluation.models import Submission


@dataclass(frozen=True, slots=True)
class Expected:
    """What judging a submission should cost, before anything is posted.

    Attributes
    ----------
    cents : int
        Rewards and fees.
    reward_cents, questions : int
        For an assignment, and how many questions about relations it has.
    hourly_cents : int
        What an hour of it pays a worker.
    votes : float
        On a question, by what questions have needed.
    """

    cents: int
    reward_cents: int
    questions: int
    hourly_cents: int
    votes: float


class Source(Protocol):
    """Whoever knows what work costs."""

    def expected(self, submission: Submission, *, relations: float, questions: float) -> Expected | None:
        """Say what so many questions more, those about relations among them, would cost."""

    def paid(self, submissions: Collection[int]) -> Mapping[int, int]:
        """Return the cents paid for judging each submission; those for which nothing is known are missing."""


_sources: list[Source] = []


def register(source: Source) -> None:
    """Say who knows what work costs; the last one counts."""
    _sources[:] = [source]


def expected(submission: Submission, *, relations: float, questions: float) -> Expected | None:
    """Say what judging a submission should cost; None where nobody is paid, or nobody knows.

    Parameters
    ----------
    submission : Submission
    relations, questions : float
        How many questions about relations are still to be asked, and how many in all.
    """
    if not _sources:
        return None
    return _sources[0].expected(submission, relations=relations, questions=questions)


def paid(submissions: Collection[int]) -> Mapping[int, int]:
    """Return the cents paid so far for judging each submission of which anything is known."""
    return _sources[0].paid(submissions) if _sources else {}
