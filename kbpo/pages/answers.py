"""What workers sent, for an operator: lists of it, and each answer beside its document."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet

from annotations import payloads
from annotations.models import Document, Label, Question, Response, Sentence
from crowd import quality
from crowd.interfaces import relation
from crowd.models import Assignment
from kbpo.core.errors import InvalidInput
from kbpo.core.spans import Span
from kbpo.pages.batches import waits_for_a_person

_State = Assignment.State
#: What may be listed, and how it is called.
SHOWN: Mapping[str, str] = {
    "flagged": "waiting for a person",
    "waiting": "waiting",
    "approved": "approved",
    "rejected": "rejected",
    "all": "all",
}
_FILTERS: Mapping[str, Q] = {
    "flagged": waits_for_a_person(),
    "waiting": Q(state=_State.SUBMITTED),
    "approved": Q(state=_State.APPROVED),
    "rejected": Q(state=_State.REJECTED),
    "all": ~Q(state=_State.BEGUN),
}


@dataclass(frozen=True, slots=True)
class Vote:
    """What another worker said to a question: in words, and whether it is the same."""

    response: Response
    words: str
    is_same: bool


@dataclass(frozen=True, slots=True)
class Said:
    """What an assignment's worker said to a question, and what others did.

    Attributes
    ----------
    question : Question
    step : relation.Step
        Its choices: those ticked, and how many others ticked each.
    answer : dict or None
        None where there is none that can be read.
    response : Response or None
        None where it was not counted.
    others : tuple of Vote
    is_gold : bool
    is_right : bool or None
        Of a gold question.
    """

    question: Question
    step: relation.Step
    answer: Mapping[str, Any] | None
    response: Response | None
    others: tuple[Vote, ...]
    is_gold: bool
    is_right: bool | None


@dataclass(frozen=True, slots=True)
class Part:
    """What was asked about one document."""

    document: Document
    page: relation.Page
    said: tuple[Said, ...]


def listed(*, show: str, batch_id: int | None = None, user_id: int | None = None) -> QuerySet[Assignment]:
    """Select assignments, the newest first; those that wait for a person, the oldest.

    Raises
    ------
    InvalidInput
        If `show` is none of `SHOWN`.
    """
    if show not in SHOWN:
        raise InvalidInput(f"{show!r} is none of {', '.join(SHOWN)}.", where="show")
    found = Assignment.objects.filter(_FILTERS[show])
    if batch_id is not None:
        found = found.filter(hit__batch=batch_id)
    if user_id is not None:
        found = found.filter(worker__user=user_id)
    order = ("submitted_at", "pk") if show == "flagged" else ("-submitted_at", "-pk")
    return found.select_related("hit__batch__corpus", "worker__user").order_by(*order)


def parts(assignment: Assignment) -> list[Part]:
    """Read an assignment's answers beside the documents that they are about, in the order of the HIT.

    Parameters
    ----------
    assignment : Assignment
    """
    questions = list(assignment.hit.questions.order_by("hit_questions__position").distinct())
    if assignment.gold is not None:
        questions.append(assignment.gold)
    asked = {
        question.pk: payloads.read_question(question.kind, question.payload) for question in questions
    }
    own, others = _responses(assignment, questions)
    stored = _stored(assignment)
    said: dict[int, Mapping[str, Any] | None] = {
        pk: own[pk].answer if pk in own else stored.get(pk) for pk in asked
    }
    by_document: dict[int, list[Question]] = defaultdict(list)
    for question in questions:
        by_document[question.document_id].append(question)
    documents = Document.objects.in_bulk(by_document)
    sentences = _sentences(by_document, asked)
    right = _gold_is_right(assignment, said)
    found = []
    for document_id, here in by_document.items():
        page = relation.build_page(
            documents[document_id].text,
            sentences[document_id],
            {question.pk: asked[question.pk] for question in here},
            {relation.field_name(question.pk): _ticked(asked[question.pk], said[question.pk]) for question in here},
            {question.pk: _count(asked[question.pk], others[question.pk]) for question in here},
        )
        steps = {step.name: step for step in page.steps}
        found.append(
            Part(
                documents[document_id],
                page,
                tuple(
                    Said(
                        question,
                        steps[relation.field_name(question.pk)],
                        said[question.pk],
                        own.get(question.pk),
                        _votes(asked[question.pk], said[question.pk], others[question.pk], steps[relation.field_name(question.pk)]),
                        question.pk == assignment.gold_id,
                        right if question.pk == assignment.gold_id else None,
                    )
                    for question in here
                ),
            )
        )
    return found


def _responses(
    assignment: Assignment, questions: Sequence[Question]
) -> tuple[dict[int, Response], dict[int, list[Response]]]:
    """Read the worker's own responses, and those of others, by question."""
    own = {response.question_id: response for response in assignment.responses.all()}
    user = assignment.worker.user_id if assignment.worker else None
    others: dict[int, list[Response]] = defaultdict(list)
    rows = Response.objects.filter(question__in=questions).select_related("worker").order_by("answered_at", "pk")
    for response in rows:
        if response.worker_id != user:
            others[response.question_id].append(response)
    return own, others


def _stored(assignment: Assignment) -> dict[int, Mapping[str, Any]]:
    """Read what the page had put together, for answers that could not be counted."""
    answer = assignment.answer
    listed = answer.get("answers") if isinstance(answer, dict) else None
    found = {}
    for item in listed if isinstance(listed, list) else []:
        match item:
            case {"question": int(pk), "answer": dict(said)}:
                found[pk] = said
    return found


def _sentences(
    by_document: Mapping[int, Sequence[Question]], asked: Mapping[int, relation.Asked]
) -> dict[int, list[Span]]:
    touching = Q()
    for document_id, questions in by_document.items():
        for span in {span for question in questions for span in asked[question.pk].spans}:
            touching |= Q(document=document_id, start__lt=span.end, end__gt=span.start)
    found: dict[int, list[Span]] = defaultdict(list)
    rows = Sentence.objects.filter(touching).order_by("document", "index")
    for document_id, start, end in rows.values_list("document", "start", "end"):
        found[document_id].append(Span(start, end))
    return found


def _ticked(asked: relation.Asked, said: Mapping[str, Any] | None) -> list[str]:
    if said is None:
        return []
    try:
        return relation.ticked_values(asked, asked.read_answer({**said}))
    except InvalidInput:
        return []  # what could not be counted may hold anything


def _count(asked: relation.Asked, others: Sequence[Response]) -> dict[str, int]:
    counts: dict[str, int] = defaultdict(int)
    for response in others:
        if response.is_valid and not response.is_expert:
            for value in relation.ticked_values(asked, response.answer):
                counts[value] += 1
    return counts


def _votes(
    asked: relation.Asked, said: Mapping[str, Any] | None, others: Sequence[Response], step: relation.Step
) -> tuple[Vote, ...]:
    words = {
        choice.value: " ".join("".join(part.text for part in choice.parts).split())
        for choice in step.choices
    }
    own = set(_ticked(asked, said))
    found = []
    for response in others:
        values = relation.ticked_values(asked, response.answer)
        found.append(
            Vote(response, "; ".join(words.get(value, value) for value in values), set(values) == own)
        )
    return tuple(found)


def _gold_is_right(assignment: Assignment, said: Mapping[int, Mapping[str, Any] | None]) -> bool | None:
    gold = assignment.gold
    if gold is None or (answer := said.get(gold.pk)) is None:
        return None
    asked = payloads.read_question(gold.kind, gold.payload)
    try:
        read = asked.read_answer({**answer})
    except InvalidInput:
        return None
    return quality.is_right(gold, read, list(Label.objects.filter(question=gold)))
