"""What HITs of relation questions pay."""

import pytest

from crowd.grouping import Group, OpenQuestion
from crowd.interfaces.relation.price import RelationPrice
from crowd.pay import Pace

PRICE = RelationPrice("relation")
PACE = Pace(seconds={"relation": 20.0, "canonical": 5.0})
ASKED = [
    OpenQuestion(1, 1, "relation", 3),
    OpenQuestion(2, 1, "canonical", 3, is_companion=True),
    OpenQuestion(3, 1, "relation", 3),
    OpenQuestion(4, 1, "relation", 3),
]
GROUPS = [Group((1, 2, 3), 3, 2), Group((4,), 3)]


@pytest.mark.parametrize(
    ("wanted", "provider", "by_sentence", "most"),
    [
        (None, "marketplace", False, 1),
        (None, "prolific", False, 10),
        (None, "marketplace", True, 10),
        (4, "prolific", True, 4),
    ],
)
def test_a_hit_has_as_many_questions_as_are_wanted_or_usual(
    wanted: int | None, provider: str, by_sentence: bool, most: int
) -> None:
    assert PRICE.most_questions(wanted, provider=provider, by_sentence=by_sentence) == most


def test_a_reward_is_for_a_hit_or_by_sentence_for_a_question_with_its_companions() -> None:
    assert PRICE.seconds(ASKED, GROUPS, PACE, by_sentence=False) == (45 + 20) / 2
    assert PRICE.seconds(ASKED, GROUPS, PACE, by_sentence=True) == (45 + 20) / 3
    assert PRICE.rewards(GROUPS, [], reward_cents=15, by_sentence=False) == [15, 15]
    assert PRICE.rewards(GROUPS, [], reward_cents=5, by_sentence=True) == [10, 5]


def test_a_hit_of_disputed_questions_pays_for_its_share_of_a_full_one() -> None:
    groups = [Group((1, 2), 1, 1, True, 4), Group((3, 4), 2, 2, False, 4)]
    assert PRICE.rewards(groups, [], reward_cents=90, by_sentence=False) == [23, 90]
    assert PRICE.rewards(groups, [], reward_cents=9, by_sentence=True) == [9, 18]
    assert PRICE.seconds(ASKED, groups, PACE, by_sentence=False) == (25 + 40) / 1.25


def test_where_nothing_is_asked_a_relation_question_is_what_takes_time() -> None:
    assert PRICE.seconds([], [], PACE, by_sentence=False) == 20


@pytest.mark.parametrize(
    ("most", "by_sentence", "words"),
    [
        (1, False, ("an assignment", "one question with its companions")),
        (4, False, ("an assignment", "4 questions with their companions")),
        (10, True, ("a question", "each question about a sentence")),
    ],
)
def test_what_a_reward_is_for_is_said_in_words(most: int, by_sentence: bool, words: tuple[str, str]) -> None:
    assert PRICE.unit(most, by_sentence=by_sentence) == words
