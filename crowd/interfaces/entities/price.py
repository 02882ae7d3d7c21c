"""What HITs of whole documents pay: by the length of the document. Pure."""

from collections.abc import Sequence
from typing import Final

from crowd import pay
from crowd.grouping import Group, OpenQuestion
from crowd.interfaces.price import Unit
from crowd.pay import Pace
from kbpo.core.errors import InvalidInput


class DocumentPrice:
    """The price of a thousand tokens.

    Parameters
    ----------
    kind : str
        Of the question about a document.
    """

    by_length: Final = True
    by_sentence: Final = False

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def most_questions(self, wanted: int | None, *, provider: str, by_sentence: bool) -> int:
        """Return 1: a document is asked about alone; `InvalidInput` if a HIT is to have several."""
        if wanted not in (None, 1):
            raise InvalidInput(
                f"a HIT has one document to be marked, not {wanted}", where="questions per HIT"
            )
        return 1

    def seconds(
        self, questions: Sequence[OpenQuestion], groups: Sequence[Group], pace: Pace, *, by_sentence: bool
    ) -> float:
        """Return the seconds of a thousand tokens."""
        return pace.of_document(self._kind, tokens=pay.THOUSAND)

    def rewards(
        self, groups: Sequence[Group], tokens: Sequence[int], *, reward_cents: int, by_sentence: bool
    ) -> list[int]:
        """Return what each document's length makes of the reward; a tutorial pays what is given."""
        return [
            pay.document_reward(tokens=number, cents=reward_cents) if one.questions else reward_cents
            for one, number in zip(groups, tokens, strict=True)
        ]

    def units(self, groups: Sequence[Group], tokens: Sequence[int], *, by_sentence: bool) -> list[float]:
        """Return how many thousand tokens each document has; a tutorial is what it is."""
        return [
            number / pay.THOUSAND if one.questions else 1.0
            for one, number in zip(groups, tokens, strict=True)
        ]

    def unit(self, most_questions: int, *, by_sentence: bool) -> Unit:
        """Say what the reward is for."""
        return Unit("1,000 words", "1,000 words of a document")
