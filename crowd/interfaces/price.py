"""What a price is, whatever the interface whose HITs have it. Pure."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from crowd import pay
from crowd.grouping import Group, OpenQuestion
from crowd.pay import Pace


class Unit(NamedTuple):
    """What a reward is for, in few words and in more."""

    short: str
    words: str


class Price(Protocol):
    """What the reward for a HIT of an interface is for, and what HITs pay by it. Pure."""

    @property
    def by_length(self) -> bool:
        """Whether work takes as long, and pays as much, as what it is about is long."""

    @property
    def by_sentence(self) -> bool:
        """Whether a HIT may ask about one sentence alone, and pay by the question."""

    def most_questions(self, wanted: int | None, *, provider: str, by_sentence: bool) -> int:
        """Return how many questions a HIT has at most, companions not counted.

        `InvalidInput` if it cannot have as many as are wanted; None: as is usual with the provider.
        """

    def seconds(
        self, questions: Sequence[OpenQuestion], groups: Sequence[Group], pace: Pace, *, by_sentence: bool
    ) -> float:
        """Return how long that takes which the reward is for, on average over HITs."""

    def rewards(
        self, groups: Sequence[Group], tokens: Sequence[int], *, reward_cents: int, by_sentence: bool
    ) -> list[int]:
        """Return what an assignment of each HIT pays, in cents.

        `tokens` are the words of each HIT by which it goes, where it goes by length.
        """

    def units(self, groups: Sequence[Group], tokens: Sequence[int], *, by_sentence: bool) -> list[float]:
        """Return how many of what the reward is for each HIT has; the arguments are those of `rewards`."""

    def unit(self, most_questions: int, *, by_sentence: bool) -> Unit:
        """Say what the reward is for, of HITs with so many questions at most."""


class LengthPrice:
    """The price of a thousand words, of which a HIT pays what it has.

    Parameters
    ----------
    kind : str
        Of question: its seconds are for a word.
    unit : Unit
    questions_per_hit : mapping of str to int
        At most, by provider: where many small pieces are slow; 1 elsewhere.
    """

    by_length: Final = True
    by_sentence: Final = False

    def __init__(self, kind: str, unit: Unit, questions_per_hit: Mapping[str, int]) -> None:
        self._kind, self._unit, self._questions_per_hit = kind, unit, questions_per_hit

    def most_questions(self, wanted: int | None, *, provider: str, by_sentence: bool) -> int:
        """Return what is wanted, or else what is usual with the provider."""
        return wanted or self._questions_per_hit.get(provider, 1)

    def seconds(
        self, questions: Sequence[OpenQuestion], groups: Sequence[Group], pace: Pace, *, by_sentence: bool
    ) -> float:
        """Return the seconds of a thousand words."""
        return pace.of_document(self._kind, tokens=pay.THOUSAND)

    def rewards(
        self, groups: Sequence[Group], tokens: Sequence[int], *, reward_cents: int, by_sentence: bool
    ) -> list[int]:
        """Return what each HIT's length makes of the reward; a tutorial pays what is given."""
        return [
            pay.document_reward(tokens=number, cents=reward_cents) if one.questions else reward_cents
            for one, number in zip(groups, tokens, strict=True)
        ]

    def units(self, groups: Sequence[Group], tokens: Sequence[int], *, by_sentence: bool) -> list[float]:
        """Return how many thousand words each HIT has; a tutorial is what it is."""
        return [
            number / pay.THOUSAND if one.questions else 1.0
            for one, number in zip(groups, tokens, strict=True)
        ]

    def unit(self, most_questions: int, *, by_sentence: bool) -> Unit:
        """Say what the reward is for."""
        return self._unit
