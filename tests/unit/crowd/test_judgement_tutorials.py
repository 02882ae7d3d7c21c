"""The tutorials of judging what systems wrote: what passes, and what does not."""

import pytest

from crowd.interfaces.correctness.tutorial import EvidencePractice, PlausiblePractice
from crowd.interfaces.correctness.tutorial import tutorial as of_answers
from crowd.interfaces.quality.tutorial import EditPractice, RatingPractice
from crowd.interfaces.quality.tutorial import tutorial as of_texts
from crowd.tutorials.lesson import Tutorial
from kbpo_formats.spans import Span


def edits() -> list[EditPractice]:
    return [one for one in of_texts().practice if isinstance(one, EditPractice)]


def evidence() -> list[EvidencePractice]:
    return [one for one in of_answers().practice if isinstance(one, EvidencePractice)]


@pytest.mark.parametrize("lesson", [of_texts(), of_answers()], ids=["texts", "answers"])
def test_every_question_is_passed_by_its_right_answer_alone_and_all_are_needed(lesson: Tutorial) -> None:
    assert all(one.is_right(one.right_answer) for one in (*lesson.practice, *lesson.examples))
    assert lesson.is_repeated
    assert lesson.pass_mark == len(lesson.practice)


def test_texts_are_taught_by_three_questions_a_rating_two_marks_and_three_edits() -> None:
    asked = [one.rating if isinstance(one, RatingPractice) else "edit" for one in of_texts().practice]
    assert {name: asked.count(name) for name in asked} == {
        "fluency": 3,
        "redundancy": 3,
        "overall": 2,
        "edit": 3,
    }


def test_answers_are_taught_by_five_questions_of_plausibility_and_three_of_evidence() -> None:
    lesson = of_answers()
    assert sum(isinstance(one, PlausiblePractice) for one in lesson.practice) == 5
    assert {one.right_answer["passages"][0]["verdict"] for one in evidence()} == {1, 0, -1}


def test_each_level_and_verdict_is_right_somewhere() -> None:
    levels = {one.level for one in of_texts().practice if isinstance(one, RatingPractice)}
    plausible = {one.plausible for one in of_answers().practice if isinstance(one, PlausiblePractice)}
    assert levels == {1, 0, -1}
    assert plausible == {True, False}


@pytest.mark.parametrize("practice", edits(), ids=lambda one: one.text[:20])
def test_an_edit_that_mends_nothing_or_writes_another_text_does_not_pass(practice: EditPractice) -> None:
    assert not practice.is_right({"edit": f"{practice.text} Indeed."})
    assert not practice.is_right({"edit": f"{practice.better} {'And more of it. ' * 9}"})
    assert not practice.is_right({"edit": "Good."})
    assert practice.is_right({"edit": practice.better.upper()})


def test_a_highlight_passes_with_three_tenths_of_what_both_have() -> None:
    practice = next(one for one in evidence() if one.right_answer["passages"][0]["verdict"] == 1)
    start, end = practice.right_answer["passages"][0]["span"]
    length = end - start

    def given(span: Span, verdict: int = 1) -> dict[str, object]:
        return practice.asked.judgement(True, [(verdict, span)])

    assert practice.is_right(given(Span(start, start + round(0.35 * length))))
    assert not practice.is_right(given(Span(start, start + round(0.25 * length))))
    assert not practice.is_right(given(Span(start, end), verdict=-1))
    assert not practice.is_right(practice.asked.judgement(True, [(0, None)]))


@pytest.mark.parametrize("lesson", [of_texts(), of_answers()], ids=["texts", "answers"])
def test_every_question_is_shown_with_what_is_right(lesson: Tutorial) -> None:
    for one in (*lesson.practice, *lesson.examples):
        assert one.page({}).steps
        assert one.review(one.right_answer)
        assert one.explanation


def test_a_wrong_answer_does_not_stay() -> None:
    lesson = of_texts()
    first = lesson.practice[0]
    assert isinstance(first, RatingPractice)
    assert lesson.keeps(0, {first.rating: first.level})
    assert not lesson.keeps(0, {first.rating: 0 if first.level else 1})
