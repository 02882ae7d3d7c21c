"""A line of a file of inputs, and what a data set of generated text is made with."""

from typing import Any

import pytest

from annotations.texts.inputs import InputRecord, PromptRecord, read_input, read_planning
from kbpo.core.errors import InvalidInput

ASKED = {"input_id": "I1", "question": "When?", "passages": ["At one.", {"text": "At two.", "selected": 1}]}


def test_a_text_is_the_question_and_the_passages_with_blank_lines_between() -> None:
    found = read_input({**ASKED, "references": ["One"]}, where="", prompt="answer")
    assert found.text == "When?\n\nAt one.\n\nAt two."
    assert found.question is not None
    pieces = [found.text[span.start : span.end] for span in (found.question, *found.passages)]
    assert pieces == ["When?", "At one.", "At two."]
    assert found.references == ("One",)


def test_an_input_for_quality_may_have_no_text() -> None:
    assert read_input({"input_id": "I1", "question": None}, where="", prompt="quality").text == ""


def test_digests_tell_other_references_apart() -> None:
    one, other = (InputRecord.of("I1", "", [], [text]).digest for text in ("A.", "B."))
    assert one != other


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"input_id": ""}, "input_id is missing"),
        ({"question": " "}, "the question is empty or missing"),
        ({"question": 3}, "question is 3; it must be a string"),
        ({"passages": []}, "it has 0 passages; 1 to 10 are needed"),
        ({"passages": ["A."] * 11}, "it has 11 passages"),
        ({"passages": "A."}, "it must be a list of texts, or of objects with text"),
        ({"passages": [{"words": "A."}]}, "number 1 of passages is None"),
        ({"passages": ["A.", " "]}, "number 2 of passages is empty"),
        ({"references": [3]}, "number 1 of references is 3; it must be a text"),
        ({"references": ["A\0"]}, "NUL"),
        ({"references": ["\ud800"]}, "half of a surrogate pair"),
    ],
)
def test_what_is_wrong_with_an_input_is_said(changed: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        read_input({**ASKED, **changed}, where="", prompt="answer")


@pytest.mark.parametrize(
    "given", ["overall", "overall=1", "overall=0,0", "overall=-1,1", "overall=1,1,2", "a=b,c"]
)
def test_planning_values_that_are_none_are_refused(given: str) -> None:
    with pytest.raises(InvalidInput, match="two variances, not both 0"):
        read_planning([given])


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (("sense",), "quality or answer"),
        (("quality", "a metric"), "no column of metrics can have that name"),
        (("quality", "House"), "is not none or house or perfect"),
        (("quality", "BLEU-4"), "is called bleu-4"),
        (("quality", "", {"any": {}}), "judged are overall"),
    ],
)
def test_a_prompt_that_is_none_is_refused(values: tuple[Any, ...], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        PromptRecord(*values)
