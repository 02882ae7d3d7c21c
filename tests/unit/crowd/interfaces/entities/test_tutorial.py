import pytest

from crowd.interfaces.entities.tutorial import FIELD, EntitiesPractice, read_tutorial
from crowd.interfaces.registry import find_tutorial
from kbpo.core.errors import InvalidInput
from tests.ontologies import TAC

LESSON = find_tutorial("entities", TAC)
HEAD = 'title = "T"\npass_mark = 1\ntries = 1\nexample = []\n'


def practice(text: str, answer: str) -> str:
    return f'{HEAD}[[practice]]\ntext = "{text}"\n{answer}\nexplanation = "Because."\n'


def test_ten_questions_of_which_eight_pass_in_three_tries() -> None:
    assert (len(LESSON.practice), LESSON.pass_mark, LESSON.tries) == (10, 8, 3)


def test_every_question_is_explained() -> None:
    for one in (*LESSON.examples, *LESSON.practice):
        assert len(one.explanation.split()) >= 8


def test_every_decision_is_practised() -> None:
    right = [one.right_answer["choice"] for one in LESSON.practice]
    assert {"ORG", "GPE", "TITLE", "nothing"} <= set(right)
    assert {"1", "2", "new"} <= set(right)


def test_the_right_choice_is_right_and_every_other_is_wrong() -> None:
    for one in LESSON.practice:
        assert isinstance(one, EntitiesPractice)
        answers = [one.read({FIELD: [option.value]}) for option in one.options]
        assert [answer for answer in answers if one.is_right(answer)] == [one.right_answer]


def test_choices_have_the_keys_of_the_interface() -> None:
    keys = [option.key for option in LESSON.practice[0].options]  # type: ignore[attr-defined]
    assert keys == ["p", "o", "g", "d", "t", "x"]


def test_the_words_asked_about_are_marked_and_so_are_those_that_they_may_mean() -> None:
    page = LESSON.examples[2].page({})
    marked = {segment.text: segment.marks[0].label for segment in page.segments if segment.marks}
    assert marked == {"Lena Orth": "B", "Greta Orth": "C", "Lena": "A"}


def test_a_review_says_what_was_chosen_and_what_is_right() -> None:
    one = LESSON.practice[2]
    review = one.review(one.read({FIELD: ["GPE"]}))
    shown = [(choice.is_ticked, choice.is_right) for choice in review.choices]
    assert shown == [(False, False), (False, True), (True, False), *[(False, False)] * 3]


@pytest.mark.parametrize("values", [[], ["DOG"], ["ORG", "GPE"]])
def test_what_is_none_of_the_choices_is_no_answer(values: list[str]) -> None:
    with pytest.raises(InvalidInput, match="Choose one"):
        LESSON.practice[0].read({FIELD: values})


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        (practice("Ada met B.", 'type = "PER"'), "practice 1: the words asked about must be marked once"),
        (practice("[A|?] met [B|?].", 'type = "PER"'), "must be marked once"),
        (practice("[A|?] met B.", 'type = "DOG"'), "'DOG' is right, and none of the choices: PER"),
        (practice("[A|?] met [C|B].", "means = 2"), "'2' is right"),
        (practice("[A|?] met B.", 'question = "Who?"\nchoices = ["A"]\nright = "A"'), "must have {}"),
    ],
)
def test_a_mistake_in_the_file_is_named(toml: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        read_tutorial(toml, TAC)
