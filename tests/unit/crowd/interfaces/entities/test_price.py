"""What HITs of whole documents pay."""

import pytest

from crowd.grouping import Group
from crowd.interfaces.entities.price import DocumentPrice
from crowd.pay import Pace
from kbpo.core.errors import InvalidInput

PRICE = DocumentPrice("entities")


@pytest.mark.parametrize("wanted", [None, 1])
def test_a_document_has_a_hit_to_itself(wanted: int | None) -> None:
    assert PRICE.most_questions(wanted, provider="prolific", by_sentence=False) == 1


def test_several_documents_in_a_hit_are_refused() -> None:
    with pytest.raises(InvalidInput, match="questions per HIT: a HIT has one document to be marked, not 2"):
        PRICE.most_questions(2, provider="marketplace", by_sentence=False)


def test_it_pays_by_length_and_a_tutorial_what_is_given() -> None:
    groups = [Group((1,), 3), Group((2,), 3), Group((), 50)]
    assert PRICE.rewards(groups, [200, 1000, 0], reward_cents=325, by_sentence=False) == [65, 325, 325]


def test_a_reward_is_for_a_thousand_words() -> None:
    pace = Pace(seconds={"entities": 0.5})
    assert PRICE.seconds([], [], pace, by_sentence=False) == 500
    assert PRICE.unit(1, by_sentence=False) == ("1,000 words", "1,000 words of a document")
