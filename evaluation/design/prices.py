"""What judging costs: known above this package, where the crowd is; whoever asks is handed a `Source`."""

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
        Rewards and fees, of all that is asked.
    reward_cents, questions : int
        For an assignment, and how many questions it has; of the work that costs most, if there are several.
    hourly_cents : int
        What an hour of that pays a worker.
    votes : float
        On a question of that, by what questions have needed, those asked again included.
    paid : float
        How many questions of that are paid for: the others are asked along with one of these.
    is_estimate : bool
        Whether the time that an hour's pay goes by is not measured yet.
    """

    cents: int
    reward_cents: int
    questions: int
    hourly_cents: int
    votes: float
    paid: float
    is_estimate: bool = False


class Source(Protocol):
    """Whoever knows what work costs."""

    def expected(self, submission: Submission, questions: Mapping[str, float]) -> Expected | None:
        """Say what so many questions more, by kind, would cost; None where nobody is paid."""

    def paid(self, submissions: Collection[int]) -> Mapping[int, int]:
        """Return the cents paid for judging each submission; those for which nothing is known are missing."""
