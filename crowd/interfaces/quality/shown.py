"""What a worker must read to judge a text, and what the answer looks like."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotations.kinds.quality import RATINGS, is_best
from annotations.models import Question
from crowd.interfaces.given import GivenAnswer
from crowd.interfaces.quality.changes import count_changed

WORDS_ASKED = 30  # of a question: four headings with their choices


def words_shown(questions: Sequence[Question]) -> int:
    """Count the words of the texts, and of what is asked."""
    return sum(_length(question.payload) for question in questions)


def lengths(questions: Iterable[int]) -> dict[int, int]:
    """Count the same of questions by their ids."""
    rows = Question.objects.filter(pk__in=list(questions)).values_list("pk", "payload")
    return {pk: _length(payload) for pk, payload in rows}


def given(kind: str, payload: Mapping[str, Any], answer: Mapping[str, Any]) -> GivenAnswer:
    """Return what a stored answer looks like: the first option is the best rating of everything."""
    edit = answer["edit"]
    changed = None if edit is None else count_changed(payload["text"], edit)
    return GivenAnswer(is_first=is_best({name: answer[name] for name in RATINGS}), changed=changed)


def _length(payload: Mapping[str, Any]) -> int:
    return len(str(payload["text"]).split()) + WORDS_ASKED
