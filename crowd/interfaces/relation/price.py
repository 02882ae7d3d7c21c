"""What HITs of relation questions pay: the same for all, or by sentence as much for each question. Pure.

HITs of disputed questions, which go out before they are full, pay for their share of a HIT.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil
from typing import Final

from crowd.grouping import Group, OpenQuestion
from crowd.interfaces.price import Unit
from crowd.pay import Pace

#: At most, in a HIT: at providers where many small pieces are slow; 1 elsewhere.
QUESTIONS_PER_HIT: Mapping[str, int] = {"prolific": 10}
QUESTIONS_OF_SENTENCE = 10  # at most, in a HIT


class RelationPrice:
    """The price of a HIT with its questions, or by sentence of each of them.

    Parameters
    ----------
    kind : str
        Of the main question.
    """

    by_length: Final = False
    by_sentence: Final = True

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def most_questions(self, wanted: int | None, *, provider: str, by_sentence: bool) -> int:
        """Return what is wanted, or else 10 by sentence and where small pieces are slow, and 1 elsewhere."""
        if wanted:
            return wanted
        return QUESTIONS_OF_SENTENCE if by_sentence else QUESTIONS_PER_HIT.get(provider, 1)

    def seconds(
        self, questions: Sequence[OpenQuestion], groups: Sequence[Group], pace: Pace, *, by_sentence: bool
    ) -> float:
        """Return the seconds of a HIT, or by sentence of a question with its companions, on average."""
        kinds = {one.pk: one.kind for one in questions}
        times = [pace.of_questions(kinds[pk] for pk in one.questions) for one in groups]
        units = sum(_units(one, by_sentence) for one in groups)
        return sum(times) / float(units) if times else pace.seconds[self._kind]

    def rewards(
        self, groups: Sequence[Group], tokens: Sequence[int], *, reward_cents: int, by_sentence: bool
    ) -> list[int]:
        """Return the same for all, less for a part of a HIT; by sentence as much for each question."""
        return [ceil(_units(one, by_sentence) * reward_cents) for one in groups]

    def units(self, groups: Sequence[Group], tokens: Sequence[int], *, by_sentence: bool) -> list[float]:
        """Return 1 for each HIT, less for a part of one; by sentence how many questions it has."""
        return [float(_units(one, by_sentence)) for one in groups]

    def unit(self, most_questions: int, *, by_sentence: bool) -> Unit:
        """Say what the reward is for."""
        if by_sentence:
            return Unit("a question", "each question about a sentence")
        if most_questions == 1:
            return Unit("an assignment", "one question with its companions")
        return Unit("an assignment", f"{most_questions} questions with their companions")


def _units(one: Group, by_sentence: bool) -> Fraction:
    """Return how many of what the reward is for a HIT has."""
    return Fraction(one.units) if by_sentence else one.share
