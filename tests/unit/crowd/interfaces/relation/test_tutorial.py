import pytest

from crowd.interfaces.registry import find_tutorial
from crowd.interfaces.relation.form import ticked_values
from crowd.interfaces.relation.tutorial import RelationPractice, read_tutorial
from kbpo.core.errors import InvalidInput
from tests.ontologies import TAC

LESSON = find_tutorial("relation", TAC)
HEAD = 'title = "T"\npass_mark = 1\ntries = 1\nexample = []\n'


def practice(text: str, answer: str) -> str:
    return f'{HEAD}[[practice]]\ntext = "{text}"\n{answer}\nexplanation = "Because."\n'


def test_ten_questions_of_which_eight_pass_in_three_tries() -> None:
    assert (len(LESSON.practice), LESSON.pass_mark, LESSON.tries) == (10, 8, 3)


def test_every_question_is_explained() -> None:
    for one in (*LESSON.examples, *LESSON.practice):
        assert len(one.explanation.split()) >= 8


def test_the_traps_are_all_there() -> None:
    answers = [one.right_answer for one in LESSON.practice]
    relations = [answer["relations"] for answer in answers if "relations" in answer]
    assert any(found and found[0]["subject"] == 1 for found in relations)  # direction
    assert any(len(found) == 2 for found in relations)  # more than one
    assert sum(not found for found in relations) >= 3  # planned, unrelated, known from elsewhere
    assert {answer["right"] for answer in answers if "right" in answer} == {True, False}


def test_the_right_answer_is_right_and_another_is_not() -> None:
    for one in LESSON.practice:
        assert isinstance(one, RelationPractice)
        right = one.read({"q0": [c.value for c in one.page(posted_right(one)).steps[0].choices if c.checked]})
        assert one.is_right(right)
        wrong = [c.value for c in one.page(posted_right(one)).steps[0].choices if not c.checked]
        assert not one.is_right(one.read({"q0": wrong[:1]}))


def posted_right(one: RelationPractice) -> dict[str, list[str]]:
    return {"q0": ticked_values(one.asked, one.right_answer)}


def test_a_review_says_what_was_ticked_and_what_should_have_been() -> None:
    one = LESSON.practice[0]
    review = one.review(one.read({"q0": ["per:employee_or_member_of|0"]}))
    shown = [(choice.is_ticked, choice.is_right) for choice in review.choices]
    assert shown == [(True, False), (False, False), (False, True), (False, False), (False, False)]


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        (practice("[A|mention] met B.", "right = true"), "a mention and a full name"),
        (practice("[A|itself] met B.", "right = 1"), "right is 1"),
    ],
)
def test_a_mistake_in_the_file_is_named(toml: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        read_tutorial(toml, TAC)


def test_there_is_no_tutorial_of_another_kind() -> None:
    with pytest.raises(InvalidInput, match="there is no tutorial for 'pottery'"):
        find_tutorial("pottery", TAC)
