"""What HITs of texts to be classed pay: the same for all. Pure."""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Final

from crowd.grouping import Group, OpenQuestion
from crowd.interfaces.price import Unit
from crowd.pay import Pace

#: At most, in a HIT: at providers where many small pieces are slow; 1 elsewhere.
QUESTIONS_PER_HIT: Mapping[str, int] = {"prolific": 10}


class ChoicePrice:
    """The price of a HIT with its texts.

    Parameters
    ----------
    kind : str
        Of question.
    """

    by_length: Final = False
    by_sentence: Final = False

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def most_questions(self, wanted: int | None, *, provider: str, by_sentence: bool) -> int:
        """Return what is wanted, or else 10 where small pieces are slow, and 1 elsewhere."""
        return wanted or QUESTIONS_PER_HIT.get(provider, 1)

    def seconds(
        self, questions: Sequence[OpenQuestion], groups: Sequence[Group], pace: Pace, *, by_sentence: bool
    ) -> float:
        """Return the seconds of a HIT, on average."""
        units = sum(float(one.share) for one in groups)
        times = [pace.of_questions([self._kind] * len(one.questions)) for one in groups]
        return sum(times) / units if times else pace.seconds[self._kind]

    def rewards(
        self, groups: Sequence[Group], tokens: Sequence[int], *, reward_cents: int, by_sentence: bool
    ) -> list[int]:
        """Return the same for all, less for a part of a HIT."""
        return [ceil(one.share * reward_cents) for one in groups]

    def units(self, groups: Sequence[Group], tokens: Sequence[int], *, by_sentence: bool) -> list[float]:
        """Return 1 for each HIT, less for a part of one."""
        return [float(one.share) for one in groups]

    def unit(self, most_questions: int, *, by_sentence: bool) -> Unit:
        """Say what the reward is for."""
        return Unit("an assignment", "one text" if most_questions == 1 else f"{most_questions} texts")
