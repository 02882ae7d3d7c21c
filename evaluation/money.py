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
    reward_cents : int
        For a question.
    hourly_cents : int
        What an hour of it pays a worker.
    votes : float
        On a question, by what questions have needed.
    """

    cents: int
    reward_cents: int
    hourly_cents: int
    votes: float


class Source(Protocol):
    """Whoever knows what work costs."""

    def expected(self, submission: Submission, *, questions: float) -> Expected | None:
        """Say what so many questions more would cost; None where nobody is paid."""

    def paid(self, submissions: Collection[int]) -> Mapping[int, int]:
        """Return the cents paid for judging each submission; those for which nothing is known are missing."""


_sources: list[Source] = []


def register(source: Source) -> None:
    """Say who knows what work costs; the last one counts."""
    _sources[:] = [source]


def expected(submission: Submission, *, questions: float) -> Expected | None:
    """Say what judging so many questions of a submission should cost; None where nobody is paid, or knows."""
    return _sources[0].expected(submission, questions=questions) if _sources else None


def paid(submissions: Collection[int]) -> Mapping[int, int]:
    """Return the cents paid so far for judging each submission of which anything is known."""
    return _sources[0].paid(submissions) if _sources else {}
