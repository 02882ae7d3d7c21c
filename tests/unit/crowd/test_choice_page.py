"""The choice interface: its page, its form, its tutorial, its simulated people."""

from random import Random

import pytest

from annotations.kinds.choice import ChoiceQuestion
from annotations.texts.classes import ClassRecord
from annotations.texts.records import AnnotationRecord
from crowd.interfaces.choice import simulated
from crowd.interfaces.choice.page import build_page, read_answer, ticked_value
from crowd.interfaces.choice.tutorial import tutorial
from kbpo.core.errors import InvalidInput

ASKED = ChoiceQuestion(
    "letters", 1, True, (ClassRecord("good", "All is well."), ClassRecord("bad", "It is not."))
)


def test_the_page_shows_each_class_with_its_guideline_and_a_key() -> None:
    (step,) = build_page("A text.", 7, ASKED, {"q7": ["2"]}).steps
    shown = [(one.key, one.parts[0].text, one.checked) for one in step.choices]
    assert shown == [
        ("1", "good: All is well.", False),
        ("2", "bad: It is not.", True),
        ("0", "I cannot tell", False),
    ]


def test_a_form_is_read_as_it_was_ticked() -> None:
    for value in ("0", "1", "2"):
        assert ticked_value(ASKED, read_answer(ASKED, [value])) == value


@pytest.mark.parametrize("values", [[], ["3"], ["1", "2"], ["good"]])
def test_a_form_that_says_nothing_or_too_much_is_refused(values: list[str]) -> None:
    with pytest.raises(InvalidInput):
        read_answer(ASKED, values)


def test_the_tutorial_teaches_by_ten_questions_each_with_its_right_answer() -> None:
    lesson = tutorial()
    assert len(lesson.practice) == 10
    for one in lesson.practice:
        assert one.is_right(one.right_answer)
        assert sum(choice.is_right for choice in one.review(one.right_answer).choices) == 1


def test_simulated_people_err_as_often_as_they_are_said_to() -> None:
    gold = AnnotationRecord("D1", (), (), "good")
    said = [simulated.given(ASKED, gold, 0.2, Random(seed))["class"] for seed in range(500)]
    assert 0.15 < said.count("bad") / 500 < 0.25
    assert simulated.right(ASKED, AnnotationRecord("D1", (), ()))["class"] is None
    with pytest.raises(InvalidInput, match="'ugly'"):
        simulated.right(ASKED, AnnotationRecord("D1", (), (), "ugly"))
