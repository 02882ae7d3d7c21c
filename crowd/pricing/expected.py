"""How long a piece of work is expected to take: the one source, for what it pays, its limit, and every page.

A batch keeps what its reward was expected to take when it was opened; its HITs take as much of that as they
have of what the reward is for, so that what an operator agreed to is what a worker is told. What is shown
without a batch goes by the corpus' pace now.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from math import ceil

from annotations.models import Question
from crowd.grouping import Group
from crowd.interfaces.interface import Interface
from crowd.interfaces.offers import LONGEST_DURATION, TUTORIAL_TAKES, WorkOffer
from crowd.interfaces.registry import find_interface
from crowd.models import Hit
from crowd.pay import Pace
from kbpo.core import durations

#: The time allowed for a piece of work, by the time that it is expected to take.
ALLOWED = 2.5


@dataclass(frozen=True, slots=True)
class ExpectedTime:
    """How long something is expected to take.

    Attributes
    ----------
    seconds : float
    is_measured : bool
        Whether that is the median of enough answers; else an estimate, by what is known of such work.
    """

    seconds: float
    is_measured: bool

    @property
    def words(self) -> str:
        """Return it roughly, in words: the same on every page."""
        said = durations.in_words(timedelta(seconds=self.seconds))
        return said if self.is_measured else f"{said} (an estimate)"


def of_hit(hit: Hit) -> ExpectedTime | None:
    """Return what a HIT takes, by what its batch's reward is expected to; None where that is not known."""
    batch = hit.batch
    if batch.estimated_seconds is None:
        return None
    [seconds] = seconds_of(
        find_interface(batch.kind),
        [_group(hit)],
        unit_seconds=batch.estimated_seconds,
        by_sentence=batch.by_sentence,
    )
    return ExpectedTime(seconds, batch.is_time_measured)


def of_question(question: Question, interface: Interface, pace: Pace) -> ExpectedTime:
    """Return what a question takes that somebody is asked without a HIT, at a pace."""
    seconds = pace.seconds[question.kind]
    if interface.price.by_length:
        tokens = interface.lengths([question.pk]).get(question.pk, 0)
        seconds = pace.of_document(question.kind, tokens=tokens)
    return ExpectedTime(seconds, question.kind in pace.measured)


def of_tutorial() -> ExpectedTime:
    """Return what a tutorial takes."""
    return ExpectedTime(TUTORIAL_TAKES.total_seconds(), is_measured=False)


def seconds_of(
    interface: Interface, groups: Sequence[Group], *, unit_seconds: float, by_sentence: bool
) -> list[float]:
    """Return the seconds that each HIT takes, where that which a reward is for takes so many."""
    tokens = tokens_of(interface, groups)
    return [units * unit_seconds for units in interface.price.units(groups, tokens, by_sentence=by_sentence)]


def allowed(offer: WorkOffer, *, most_questions: int, longest: float) -> timedelta:
    """Return how long a worker has for a piece of work.

    Parameters
    ----------
    offer : WorkOffer
    most_questions : int
        In a HIT.
    longest : float
        The seconds that the longest HIT is expected to take.
    """
    wanted = max(most_questions * offer.duration, timedelta(seconds=ceil(ALLOWED * longest)))
    return min(wanted, LONGEST_DURATION)


def tokens_of(interface: Interface, groups: Iterable[Group]) -> list[int]:
    """Count for each HIT the words by which its price goes; an empty list where it does not go by them."""
    if not interface.price.by_length:
        return []
    groups = list(groups)
    lengths = interface.lengths([pk for one in groups for pk in one.questions])
    return [sum(lengths.get(pk, 0) for pk in one.questions) for one in groups]


def _group(hit: Hit) -> Group:
    """Return a HIT as it was planned: what it pays says how much it has of what the reward is for."""
    asked = tuple(question.pk for question in hit.asked)
    whole = hit.batch.reward_cents
    if hit.reward_cents < whole:  # a part of one, of disputed questions
        return Group(asked, hit.places, hit.reward_cents, is_disputed=True, most_units=whole)
    return Group(asked, hit.places, hit.reward_cents // whole)
