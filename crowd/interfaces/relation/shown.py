"""What a worker must read to answer relation questions, and what their answers look like."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from annotations.kinds.registry import read_claim_question
from annotations.kinds.relation import RelationQuestion
from annotations.models import Question
from crowd.interfaces.given import GivenAnswer
from crowd.lengths import count_around
from kbpo_formats.spans import Span

WORDS_ASKED = 8  # of a question; what it offers is known by heart after a few


def words_shown(questions: Sequence[Question]) -> int:
    """Count the words of the sentences with a marked mention, each once, and of what is asked."""
    spans: dict[int, set[Span]] = defaultdict(set)
    for question in questions:
        spans[question.document_id].update(read_claim_question(question.kind, question.payload).spans)
    return count_around(spans) + WORDS_ASKED * len(questions)


def given(kind: str, payload: Mapping[str, Any], answer: Mapping[str, Any]) -> GivenAnswer:
    """Return what a stored answer looks like: of a full name, "right" is the first option."""
    asked = read_claim_question(kind, payload)
    if isinstance(asked, RelationQuestion):
        ticked = asked.ticked(answer)
        return GivenAnswer(is_none=not ticked, is_first=ticked == asked.offered[:1])
    return GivenAnswer(is_first=bool(answer["right"]))
