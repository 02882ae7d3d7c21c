"""What a worker must read to choose a class, and what the answer looks like."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotations.models import Question
from crowd.interfaces.given import GivenAnswer
from crowd.lengths import count_tokens

WORDS_ASKED = 8  # of a question; the classes are known by heart after a few


def words_shown(questions: Sequence[Question]) -> int:
    """Count the words of the texts, and of what is asked."""
    counted = count_tokens({question.document_id for question in questions})
    return sum(counted.values()) + WORDS_ASKED * len(questions)


def given(kind: str, payload: Mapping[str, Any], answer: Mapping[str, Any]) -> GivenAnswer:
    """Return what a stored answer looks like: "none" is that one cannot tell."""
    return GivenAnswer(is_none=answer["class"] is None, is_first=answer["class"] == payload["classes"][0][0])
