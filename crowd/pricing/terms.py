"""What a batch asks, through whom, and what it pays: settled before it is opened."""

from dataclasses import dataclass
from datetime import timedelta

from annotations.models import Corpus
from crowd.budget import dollars
from crowd.interfaces.interface import Interface
from crowd.interfaces.offers import AUTO_APPROVAL, LIFETIME
from crowd.interfaces.registry import ASKED_KINDS, INTERFACES, find_interface
from kbpo.core.errors import InvalidInput

LEAST_REWARD, MOST_REWARD = 1, 100_00  # cents
MOST_QUESTIONS = 100  # in a HIT
HELD_ANSWERS = 10  # of a newcomer, as many as it takes to see a pattern
MOST_HELD = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchTerms:
    """The terms of a batch of HITs, or of a tutorial.

    Attributes
    ----------
    corpus : Corpus
    kind : str
        Of work: the name of an interface.
    provider : {"marketplace", "mturk", "prolific"}
    reward_cents : int or None
        For what `crowd.interfaces.price.Price.unit` says; None: what the time that it takes is worth.
    questions_per_hit : int or None
        At most, companions not counted; None: as is usual with the interface and the provider.
    submission_id : int or None
        Whose budget, if there is one, must have room too.
    lifetime : timedelta
    auto_approval : timedelta
        Within which work is decided and paid, as workers are told.
    asks_links : bool
        Whether mentions are linked to Wikipedia.
    by_sentence : bool
        Whether a HIT asks about one sentence alone, which a worker then reads once.
    held_answers : int
        Of a worker at this kind of work, that a person looks at before a rule pays anything.
    holds_all : bool
        Whether a person looks at all work before it is paid.

    Raises
    ------
    InvalidInput
        If there is no such interface, or it does not ask like that, or a number or a time is out of range.
    """

    corpus: Corpus
    kind: str
    provider: str
    reward_cents: int | None = None
    questions_per_hit: int | None = None
    submission_id: int | None = None
    lifetime: timedelta = LIFETIME
    auto_approval: timedelta = AUTO_APPROVAL
    asks_links: bool = False
    by_sentence: bool = False
    held_answers: int = HELD_ANSWERS
    holds_all: bool = False

    def __post_init__(self) -> None:
        check_by_sentence(self.interface, self.by_sentence)
        if self.reward_cents is not None and not LEAST_REWARD <= self.reward_cents <= MOST_REWARD:
            raise InvalidInput(
                f"is {dollars(self.reward_cents)}; it must be from {dollars(LEAST_REWARD)} to"
                f" {dollars(MOST_REWARD)}",
                where="reward",
            )
        if not 1 <= self.most_questions <= MOST_QUESTIONS:
            raise InvalidInput(
                f"is {self.questions_per_hit}; it must be from 1 to {MOST_QUESTIONS}",
                where="questions per HIT",
            )
        if not timedelta(minutes=1) <= self.lifetime <= timedelta(days=365):
            raise InvalidInput("must be from a minute to a year", where="lifetime")
        if not timedelta(minutes=1) <= self.auto_approval <= timedelta(days=30):
            raise InvalidInput("must be from a minute to 30 days", where="automatic approval")
        if not 0 <= self.held_answers <= MOST_HELD:
            raise InvalidInput(
                f"is {self.held_answers}; it must be from 0 to {MOST_HELD:,}", where="answers that are held"
            )

    @property
    def interface(self) -> Interface:
        """Return how people are asked."""
        return find_interface(self.kind)

    @property
    def most_questions(self) -> int:
        """Return how many questions a HIT has at most, companions not counted."""
        return self.interface.price.most_questions(
            self.questions_per_hit, provider=self.provider, by_sentence=self.by_sentence
        )

    @property
    def reward(self) -> int:
        """Return the reward, in cents, once it is settled."""
        assert self.reward_cents is not None, "the reward is settled before anything is paid by it"
        return self.reward_cents


def check_by_sentence(interface: Interface, by_sentence: bool) -> None:
    """Refuse, as `InvalidInput`, an interface that does not ask by sentence, if it is to."""
    if by_sentence and not interface.price.by_sentence:
        able = [ASKED_KINDS[one.main].plural for one in INTERFACES.values() if one.price.by_sentence]
        raise InvalidInput(
            f"only questions about {' and '.join(able)} are asked by sentence", where="by sentence"
        )
