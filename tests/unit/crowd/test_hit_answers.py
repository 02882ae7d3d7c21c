from typing import Any

import pytest

from annotations.kinds.canonical import CanonicalQuestion
from annotations.models import Question, kind_names
from crowd.hit_answers import parse, read_answers
from kbpo.core.errors import InvalidInput
from kbpo_formats.spans import Span


def question(pk: int) -> Question:
    payload = CanonicalQuestion(Span(0, 3), Span(10, 20)).payload()
    return Question(pk=pk, kind=kind_names.CANONICAL, payload=payload)


def nested(depth: int) -> Any:
    """What Python still reads, and is too deep to be printed: `repr` of it ends in a RecursionError."""
    found: Any = None
    for _ in range(depth):
        found = [found]
    return found


def sent(*answers: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"version": 1, "answers": list(answers), **fields}


def test_answers_are_brought_into_their_normal_form() -> None:
    data = sent({"question": 7, "answer": {"right": True}, "seconds": 3}, comment=" unclear ")
    found = read_answers(data, [question(7)])
    assert found.answers == {7: {"version": 1, "right": True}}
    assert found.seconds == {7: 3.0}
    assert found.comment == "unclear"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "JSON object of version 1"),
        ({"version": 2, "answers": []}, "JSON object of version 1"),
        ({"version": 1}, "no list of answers"),
        (sent({"question": 8, "answer": {"right": True}}), "not asked here"),
        (sent({"question": True, "answer": {"right": True}}), "not asked here"),
        (sent("7"), "not asked here"),  # type: ignore[arg-type]
        (sent(*[{"question": 7, "answer": {"right": True}}] * 2), "answered twice"),
        (sent({"question": 7, "answer": {"right": 1}}), "right is 1"),
        (sent({"question": 7, "answer": {"right": True}, "seconds": float("nan")}), "seconds must be"),
        (sent({"question": 7, "answer": {"right": True}, "seconds": float("inf")}), "seconds must be"),
        (sent({"question": 7, "answer": {"right": True}, "seconds": 10**400}), "seconds must be"),
        (sent({"question": 7, "answer": {"right": nested(900)}}), "nested more than 20 deep"),
        (sent({"question": 7, "answer": nested(900)}), "nested more than 20 deep"),
        (sent({"question": 7, "answer": {"right": True}}, comment="x" * 2001), "at most 2,000 characters"),
        (sent(), "1 of the 1 questions is open"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(data: object, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        read_answers(data, [question(7)])


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"version": 1'])
def test_what_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="not JSON"):
        parse(text)
