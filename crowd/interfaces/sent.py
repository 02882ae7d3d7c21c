"""What an assignment's worker said to its questions, and what others did."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from annotations.models import Question, Response
from crowd.models import Assignment


@dataclass(frozen=True, slots=True)
class Sent:
    """What was said to some questions.

    Attributes
    ----------
    own : mapping of int to Response
        The worker's, by question; none where an answer was not counted.
    others : mapping of int to list of Response
        Those of others, by question.
    stored : mapping of int to mapping
        What the page had put together, for answers that could not be counted.
    """

    own: Mapping[int, Response]
    others: Mapping[int, Sequence[Response]]
    stored: Mapping[int, Mapping[str, Any]]

    def answer(self, question: Question) -> Mapping[str, Any] | None:
        """Return the worker's answer to a question; None where there is none that can be read."""
        own = self.own.get(question.pk)
        return own.answer if own is not None else self.stored.get(question.pk)


def read_sent(assignment: Assignment, questions: Sequence[Question]) -> Sent:
    """Read what was said to some of an assignment's questions."""
    own = {response.question_id: response for response in assignment.responses.all()}
    user = assignment.worker.user_id if assignment.worker else None
    others: dict[int, list[Response]] = {question.pk: [] for question in questions}
    # Of a gold question, votes alone: it may have been shown to hundreds.
    shown = Q(question__in=questions) & (~Q(question=assignment.gold_id) | Q(is_valid=True))
    rows = Response.objects.filter(shown).select_related("worker").order_by("answered_at", "pk")
    for response in rows:
        if response.worker_id != user:
            others[response.question_id].append(response)
    return Sent(own, others, _stored(assignment))


def _stored(assignment: Assignment) -> dict[int, Mapping[str, Any]]:
    answer = assignment.answer
    listed = answer.get("answers") if isinstance(answer, dict) else None
    found: dict[int, Mapping[str, Any]] = {}
    for item in listed if isinstance(listed, list) else []:
        match item:
            case {"question": int(pk), "answer": dict(said)}:
                found[pk] = said
    return found
