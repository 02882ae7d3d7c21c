"""The quality interface: its page, its form, what answers look like, its simulated people."""

from random import Random

import pytest

from annotations.kinds.quality import QualityQuestion
from annotations.texts.records import AnnotationRecord
from crowd.interfaces.quality import simulated
from crowd.interfaces.quality.changes import count_changed
from crowd.interfaces.quality.page import build_page, filled, read_answer
from crowd.interfaces.quality.shown import given
from crowd.interfaces.steps import StepOpen

TEXT = "the mayor opened the bridge the mayor opened the bridge"
ASKED = QualityQuestion(TEXT)
BETTER = "The mayor opened the bridge."
GOLD = AnnotationRecord("D1", (), ())


def form(edit: str | None = None, **ratings: str) -> dict[str, list[str]]:
    values = {"fluency": "1", "redundancy": "-1", "overall": "0", **ratings}
    sent = {f"q7-{name}": [value] for name, value in values.items()}
    return sent if edit is None else {**sent, "q7-edit": [edit]}


BEST = {"redundancy": "1", "overall": "1"}


def test_the_page_asks_three_ratings_and_an_edit_that_starts_with_the_text() -> None:
    page = build_page(7, ASKED, {})
    assert [step.name for step in page.steps] == ["q7-fluency", "q7-redundancy", "q7-overall", "q7-edit"]
    assert all(len(step.choices) == 3 for step in page.steps[:3])
    edit = page.steps[3]
    assert edit.edit is not None
    assert edit.edit.text == TEXT
    assert edit.unless == "q7-fluency 1\nq7-redundancy 1\nq7-overall 1"


def test_what_was_filled_in_comes_back() -> None:
    page = build_page(7, ASKED, form(BETTER))
    assert [one.checked for one in page.steps[1].choices] == [False, False, True]
    assert page.steps[3].edit is not None
    assert page.steps[3].edit.text == BETTER


def test_a_form_is_read_as_it_was_filled_in() -> None:
    answer = read_answer(7, ASKED, form(BETTER))
    assert (answer["fluency"], answer["redundancy"], answer["overall"]) == (1, -1, 0)
    assert answer["edit"] == BETTER
    assert read_answer(7, ASKED, filled(7, answer)) == answer


def test_where_all_is_best_the_text_stays() -> None:
    assert read_answer(7, ASKED, form(TEXT, **BEST))["edit"] is None


@pytest.mark.parametrize(
    ("sent", "step", "words"),
    [
        ({}, "q7-fluency", "one of the three"),
        (form(BETTER, redundancy="2"), "q7-redundancy", "one of the three"),
        (form(TEXT), "q7-edit", "Nothing is changed"),
        (form(), "q7-edit", "Nothing is changed"),
        (form("  "), "q7-edit", "The text is empty"),
        (form(TEXT * 100), "q7-edit", "310 are the most"),
        (form(BETTER, **BEST), "q7-edit", "put it back, or rate"),
    ],
)
def test_what_is_missing_is_said_with_its_step(sent: dict[str, list[str]], step: str, words: str) -> None:
    with pytest.raises(StepOpen, match=words) as found:
        read_answer(7, ASKED, sent)
    assert found.value.step == step


def test_characters_that_nobody_sees_are_shown_and_come_back() -> None:
    odd = QualityQuestion("Paid \u202e00.1$ <b>now</b>\u200b.")
    page = build_page(7, odd, {})
    assert page.steps[3].edit is not None
    assert page.steps[3].edit.original == "Paid ⟨U+202E⟩00.1$ <b>now</b>⟨U+200B⟩."
    answer = read_answer(7, odd, form("Paid ⟨U+202E⟩00.1$ now."))
    assert answer["edit"] == "Paid \u202e00.1$ now."
    with pytest.raises(StepOpen, match="Nothing is changed"):
        read_answer(7, odd, form(page.steps[3].edit.original))


def test_the_word_that_a_system_did_not_know_is_explained_where_it_stands() -> None:
    assert "▃ stands for" in build_page(7, QualityQuestion("The ▃ rose."), {}).steps[3].hint
    assert "▃" not in build_page(7, ASKED, {}).steps[3].hint


def test_an_empty_text_is_rated_and_not_edited() -> None:
    empty = QualityQuestion("")
    assert len(build_page(7, empty, {}).steps) == 3
    assert read_answer(7, empty, form())["edit"] is None


@pytest.mark.parametrize(
    ("text", "edit", "changed"),
    [("", "", 0), ("abc", "abc", 0), ("abc", "", 3), ("kitten", "sitting", 3), ("ab" * 500, "ba" * 500, 2)],
)
def test_changed_characters_are_counted(text: str, edit: str, changed: int) -> None:
    assert count_changed(text, edit) == changed


def test_an_answer_looks_like_its_first_option_where_all_is_best() -> None:
    best = given("quality", ASKED.payload(), read_answer(7, ASKED, form(TEXT, **BEST)))
    assert (best.is_first, best.changed) == (True, None)
    edited = given("quality", ASKED.payload(), read_answer(7, ASKED, form(f"{TEXT}.")))
    assert (edited.is_first, edited.changed) == (False, 1)


def test_simulated_people_say_what_gold_does() -> None:
    judged = {"fluency": 0, "redundancy": 1, "overall": 0, "edit": BETTER}
    gold = AnnotationRecord("D1", (), (), judgements={TEXT: judged})
    assert simulated.right(ASKED, gold)["edit"] == BETTER
    assert simulated.given(ASKED, gold, 0, Random(1)) == simulated.right(ASKED, gold)


def test_without_gold_simulated_people_go_by_the_text() -> None:
    assert simulated.right(ASKED, GOLD)["redundancy"] == -1
    assert simulated.right(QualityQuestion("It rained."), GOLD) == ASKED.judgement(
        {"fluency": 1, "redundancy": 1, "overall": 1}, None
    )


def test_simulated_people_err_as_often_as_they_are_said_to() -> None:
    right = simulated.right(ASKED, GOLD)
    said = [simulated.given(ASKED, GOLD, 0.2, Random(seed))["overall"] for seed in range(500)]
    assert 0.15 < sum(one != right["overall"] for one in said) / 500 < 0.25
