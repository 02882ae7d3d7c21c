"""What a worker must read to judge an answer, and what their judgement looks like."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotations.models import Question
from crowd.interfaces.given import GivenAnswer
from crowd.lengths import count_tokens

WORDS_ASKED = 30  # of a question: what is asked of the answer and of the passages, which is always the same


def words_shown(questions: Sequence[Question]) -> int:
    """Count the words of the question and the answer, and of what is asked.

    Of the passages none: who finds the answer implausible need not read them.
    """
    return sum(_without_passages(question.payload) for question in questions)


def lengths(questions: Iterable[int]) -> dict[int, int]:
    """Count, of questions by their ids, the words of all that they show: with the passages."""
    rows = list(Question.objects.filter(pk__in=list(questions)).values_list("pk", "document", "payload"))
    tokens = count_tokens({document for _, document, _ in rows})
    return {
        pk: tokens.get(document, 0) + len(str(payload["answer"]).split()) + WORDS_ASKED
        for pk, document, payload in rows
    }


def given(kind: str, payload: Mapping[str, Any], answer: Mapping[str, Any]) -> GivenAnswer:
    """Return what a stored answer looks like: "none" is that it is implausible; marks are highlights."""
    spans = (one["span"] for one in answer["passages"])
    return GivenAnswer(
        is_none=not answer["plausible"],
        is_first=bool(answer["passages"]) and all(one["verdict"] == 1 for one in answer["passages"]),
        marks=frozenset(tuple(span) for span in spans if span is not None),
    )


def _without_passages(payload: Mapping[str, Any]) -> int:
    start, end = payload["question"]
    asked = int(end - start) // 6  # six characters a word
    return len(str(payload["answer"]).split()) + asked + WORDS_ASKED
