"""The correctness interface: its page, its form, what answers look like, its simulated people."""

from random import Random
from typing import Any

import pytest

from annotations.kinds.correctness import CorrectnessQuestion
from annotations.texts.passages import Passage
from annotations.texts.records import AnnotationRecord
from crowd.interfaces.correctness import simulated
from crowd.interfaces.correctness.page import build_page, filled, read_answer, word_spans
from crowd.interfaces.correctness.shown import given
from crowd.interfaces.steps import StepOpen
from kbpo_formats.spans import Span

TEXT = "Who built the mill?\n\nAda Quill built it in 1802.\n\nThe mill is of stone.\n\nBen Roe built it."
PASSAGES = tuple(Span(TEXT.index(words), TEXT.index(words) + len(words)) for words in TEXT.split("\n\n")[1:])
ASKED = CorrectnessQuestion("Ada Quill", Span(0, 19), PASSAGES, Passage(TEXT, ()))
GOLD = AnnotationRecord("D1", (), ())
EVIDENCE = [21, 36]  # Ada Quill built


def form(**fields: str) -> dict[str, list[str]]:
    values = {
        "plausible": "yes",
        "p1": "right",
        "p1-words": "0-2",
        "p1-sure": "yes",
        "p2": "neither",
        "p3": "wrong",
        "p3-words": "0-1",
        "p3-sure": "yes",
        **fields,
    }
    return {f"q7-{name}": [value] for name, value in values.items() if value}


def test_the_page_asks_of_the_answer_first_and_then_of_each_passage() -> None:
    page = build_page(7, ASKED, {})
    assert [(fact.name, fact.words) for fact in page.facts] == [
        ("Question", "Who built the mill?"),
        ("Answer", "Ada Quill"),
    ]
    assert [step.name for step in page.steps] == ["q7-plausible", "q7-p1", "q7-p2", "q7-p3"]
    assert all(step.unless == "q7-plausible no" for step in page.steps[1:])


def test_each_word_of_a_passage_can_be_highlighted() -> None:
    evidence = build_page(7, ASKED, {}).steps[2].evidence
    assert evidence is not None
    assert [word.text for word in evidence.words] == ["The", "mill", "is", "of", "stone."]
    assert (evidence.text, evidence.cuts) == ("The mill is of stone.", "+3 4 2 2 6")


def test_words_are_the_documents_tokens_where_these_are_all_of_the_passage() -> None:
    tokens = (Span(50, 53), Span(54, 58), Span(59, 61), Span(62, 64), Span(65, 70), Span(70, 71))
    asked = CorrectnessQuestion("x", Span(0, 19), PASSAGES, Passage(TEXT, (tokens,)))
    assert [TEXT[one.start : one.end] for one in word_spans(asked, PASSAGES[1])][-2:] == ["stone", "."]
    assert TEXT[slice(*word_spans(asked, PASSAGES[2])[-1])] == "it."


def test_a_form_is_read_as_it_was_filled_in() -> None:
    answer = read_answer(7, ASKED, form())
    assert answer["passages"][0] == {"verdict": 1, "span": EVIDENCE}
    assert [one["verdict"] for one in answer["passages"]] == [1, 0, -1]
    assert read_answer(7, ASKED, filled(7, ASKED, answer)) == answer


def test_an_implausible_answer_needs_nothing_else() -> None:
    answer = read_answer(7, ASKED, form(plausible="no", p2=""))
    assert answer == {"version": 1, "plausible": False, "passages": []}


def test_evidence_may_be_copied_where_nothing_can_be_highlighted() -> None:
    copied = form(**{"p1-words": "", "p1-quote": " ada  quill\nbuilt "})
    assert read_answer(7, ASKED, copied)["passages"][0]["span"] == EVIDENCE


@pytest.mark.parametrize(
    ("changed", "step", "words"),
    [
        ({"plausible": ""}, "q7-plausible", "could be an answer"),
        ({"plausible": "maybe"}, "q7-plausible", "could be an answer"),
        ({"p2": ""}, "q7-p2", "what the passage shows"),
        ({"p2": "both"}, "q7-p2", "what the passage shows"),
        ({"p1-words": ""}, "q7-p1", "Highlight the words"),
        ({"p1-words": "2-0"}, "q7-p1", "that the page shows"),
        ({"p1-words": "0-6"}, "q7-p1", "that the page shows"),
        ({"p1-words": "a-b"}, "q7-p1", "that the page shows"),
        ({"p1-words": "", "p1-quote": "Ben Roe"}, "q7-p1", "do not stand in the passage"),
        ({"p3-sure": ""}, "q7-p3", "confirm it"),
    ],
)
def test_what_is_missing_is_said_with_its_step(changed: dict[str, str], step: str, words: str) -> None:
    with pytest.raises(StepOpen, match=words) as found:
        read_answer(7, ASKED, form(**changed))
    assert found.value.step == step


def test_what_is_confirmed_names_question_and_answer() -> None:
    evidence = build_page(7, ASKED, {}).steps[1].evidence
    assert evidence is not None
    assert evidence.statements["right"] == (
        "“{words}”: this shows that “Ada Quill” is a right answer to “Who built the mill?”."
    )


def test_a_percent_sign_and_characters_that_nobody_sees_are_shown() -> None:
    asked = CorrectnessQuestion("100%s \u202e<i>", Span(0, 19), PASSAGES, Passage(TEXT, ()))
    evidence = build_page(7, asked, {}).steps[1].evidence
    assert evidence is not None
    assert "“100%s ⟨U+202E⟩<i>” is a wrong" in evidence.statements["wrong"]


def test_an_answer_looks_like_its_highlights() -> None:
    found = given("correctness", ASKED.payload(), read_answer(7, ASKED, form()))
    assert found.marks == {tuple(EVIDENCE), (73, 80)}
    assert found.is_none is False
    assert given("correctness", ASKED.payload(), ASKED.judgement(False)).is_none is True


def test_simulated_people_find_the_answer_in_the_passages() -> None:
    assert simulated.right(ASKED, GOLD)["passages"] == [
        {"verdict": 1, "span": [21, 30]},
        {"verdict": 0, "span": None},
        {"verdict": 0, "span": None},
    ]


def test_simulated_people_say_what_gold_does() -> None:
    judged = {"plausible": False, "passages": []}
    gold = AnnotationRecord("D1", (), (), judgements={"Ada Quill": judged})
    assert simulated.given(ASKED, gold, 0, Random(1)) == ASKED.judgement(False)


def test_who_errs_still_gives_an_answer_that_can_be_read() -> None:
    right: dict[str, Any] = simulated.right(ASKED, GOLD)
    said = [simulated.given(ASKED, GOLD, 0.2, Random(seed)) for seed in range(300)]
    assert all(ASKED.read_answer(one) == one for one in said)
    assert 0.12 < sum(one != right for one in said) / 300 < 0.28
