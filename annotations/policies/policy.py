"""What every policy must say: when the votes on a question are enough. Pure."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from annotations.aggregation.majority import Verdict

# Two of three votes make .9, also where they make .8999999999999999.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Votes:
    """The votes on a question, as far as a policy looks at them.

    Attributes
    ----------
    number : int
        Those that count.
    asked : int
        How many were asked for so far; 1 or more.
    agree : bool
        Whether all of them say the same of everything that the question asks.
    verdicts : collection of Verdict or None
        What they amount to on each claim; None where they settle nothing. A question without claims has none.
    """

    number: int
    asked: int
    agree: bool
    verdicts: Collection[Verdict] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a corpus wants of every question.

    Attributes
    ----------
    most_votes : int
        With so many an expert decides what they do not settle.
    least_posterior : float
        How probable each verdict must be, from .5 (a majority will do), by `Verdict.posterior`.
    """

    most_votes: int
    least_posterior: float


@dataclass(frozen=True, slots=True)
class Settle:
    """The votes settle the question."""


@dataclass(frozen=True, slots=True)
class Ask:
    """So many votes more are needed."""

    votes: int


@dataclass(frozen=True, slots=True)
class Wait:
    """Votes that were asked for are still to come."""


@dataclass(frozen=True, slots=True)
class Expert:
    """An expert has to decide."""


Decision = Settle | Ask | Wait | Expert


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """When a question has votes enough.

    Attributes
    ----------
    name : str
        As `Corpus.policy` has it.
    title : str
        What it is, for people, in a form.
    words : str
        Who judges a question, for people, in whole sentences.
    first_votes : int
        How many a question is asked for at first.
    usual_votes : int
        With how many nearly every question is settled: one that is open with so many has stalled.
    measured_votes : int or None
        How many of a question's votes, the first ones, come whatever the votes before them say: only these
        tell how far people agree, and how good and fast they are, for the others are about disputed questions
        alone. None: all of them are measured by.
    gathers : bool
        Whether a vote beyond the first ones may wait until a HIT is full of such questions.
    decide : callable
        What becomes of a question by its votes, and nothing else.
    expected_votes : callable
        How many votes a question takes on average, if an answer is wrong with the given probability.
    """

    name: str
    title: str
    words: str
    first_votes: int
    usual_votes: int
    measured_votes: int | None
    gathers: bool
    decide: Callable[[Votes, Limits], Decision]
    expected_votes: Callable[[float], float]

    @property
    def has_rounds(self) -> bool:
        """Whether an ordinary question may have to wait for votes twice."""
        return self.gathers


def settle_or_ask(votes: Votes, limits: Limits) -> Decision:
    """Return `Settle` for a sure majority; else `Ask` for one vote more, up to the most; then `Expert`."""
    if votes.verdicts is not None and _are_sure(votes.verdicts, limits.least_posterior):
        return Settle()
    return Ask(1) if votes.number < limits.most_votes else Expert()


def _are_sure(verdicts: Collection[Verdict], least_posterior: float) -> bool:
    return all(verdict.posterior > least_posterior - _ROUNDING for verdict in verdicts)
