"""What a price is, whatever the interface whose HITs have it. Pure."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

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
        """Whether work takes as long, and pays as much, as its document is long."""

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

        `tokens` are those of each HIT's documents, where it goes by their length.
        """

    def units(self, groups: Sequence[Group], tokens: Sequence[int], *, by_sentence: bool) -> list[float]:
        """Return how many of what the reward is for each HIT has; the arguments are those of `rewards`."""

    def unit(self, most_questions: int, *, by_sentence: bool) -> Unit:
        """Say what the reward is for, of HITs with so many questions at most."""
