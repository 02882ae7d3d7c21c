"""What a worker must read to mark a document, and what the answer looks like."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotations.models import Question
from crowd.interfaces.given import GivenAnswer
from crowd.lengths import count_tokens


def words_shown(questions: Sequence[Question]) -> int:
    """Count the words of the documents."""
    return sum(count_tokens({question.document_id for question in questions}).values())


def given(kind: str, payload: Mapping[str, Any], answer: Mapping[str, Any]) -> GivenAnswer:
    """Return what a stored answer looks like: marks are spans with types, canonical mentions and links."""
    entities = {one["id"]: one for one in answer["entities"]}
    marks = set()
    for mention in answer["mentions"]:
        entity = entities.get(mention["entity"], {})
        canonical, link = entity.get("canonical", {}), entity.get("link", {})
        marks.add(
            (
                mention["start"],
                mention["end"],
                mention["type"],
                (canonical.get("start"), canonical.get("end")),
                tuple(sorted((link or {}).items())),
            )
        )
    return GivenAnswer(is_none=not marks, marks=frozenset(marks))
