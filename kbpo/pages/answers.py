"""What workers sent, for an operator: lists of it, and each answer beside its document."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet

from annotations import payloads
from annotations.models import Document, Label, Question, Response, Sentence
from annotations.payloads import CanonicalQuestion, Offer
from crowd.interfaces import relation
from crowd.models import Assignment
from kbpo.core.errors import InvalidInput
from kbpo.core.spans import Span
from kbpo.pages import marked
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
    settled : str
        Of a gold question: what is right, in words.
    """

    question: Question
    step: relation.Step
    answer: Mapping[str, Any] | None
    response: Response | None
    others: tuple[Vote, ...]
    is_gold: bool
    is_right: bool | None
    settled: str = ""


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
    # By key, which an index has: rows come about in the order in which work is begun or sent.
    return found.select_related("hit__batch__corpus", "worker__user").order_by(
        "pk" if show == "flagged" else "-pk"
    )


def marked_parts(assignment: Assignment) -> list[marked.MarkedPart]:
    """Read what an assignment's worker marked in whole documents, where its HIT asks for that."""
    questions = list(
        _asked(assignment).filter(kind=Question.Kind.ENTITIES).select_related("document__corpus")
    )
    if not questions:
        return []
    own, others = _responses(assignment, questions)
    stored = _stored(assignment)
    return [
        marked.part(
            question.document,
            own[question.pk].answer if question.pk in own else stored.get(question.pk),
            own.get(question.pk),
            others[question.pk],
        )
        for question in questions
    ]


def parts(assignment: Assignment) -> list[Part]:
    """Read an assignment's answers beside the documents that they are about, in the order of the HIT.

    Parameters
    ----------
    assignment : Assignment
    """
    questions = list(_asked(assignment).exclude(kind=Question.Kind.ENTITIES))
    if assignment.gold is not None:
        questions.append(assignment.gold)
    own, others = _responses(assignment, questions)
    stored = _stored(assignment)
    reading = {
        question.pk: _Reading(
            question,
            payloads.read_claim_question(question.kind, question.payload),
            own[question.pk].answer if question.pk in own else stored.get(question.pk),
            own.get(question.pk),
            others[question.pk],
            list(Label.objects.filter(question=question)) if question == assignment.gold else [],
        )
        for question in questions
    }
    by_document: dict[int, list[_Reading]] = defaultdict(list)
    for one in reading.values():
        by_document[one.question.document_id].append(one)
    documents = Document.objects.select_related("corpus").in_bulk(by_document)
    sentences = _sentences(by_document)
    return [
        _part(documents[document_id], sentences[document_id], here)
        for document_id, here in by_document.items()
    ]


def _asked(assignment: Assignment) -> QuerySet[Question]:
    return assignment.hit.questions.order_by("hit_questions__position").distinct()


@dataclass(frozen=True, slots=True)
class _Reading:
    """A question, what was said to it, and what is known of it: labels where it is a gold question."""

    question: Question
    asked: relation.Asked
    answer: Mapping[str, Any] | None
    response: Response | None
    others: Sequence[Response]
    labels: Sequence[Label]

    @property
    def ticked(self) -> list[str]:
        """Return the form's values of what was said; none where that cannot be read."""
        if self.answer is None:
            return []
        try:
            return relation.ticked_values(self.asked, self.asked.read_answer({**self.answer}))
        except InvalidInput:
            return []  # what could not be counted may hold anything

    @property
    def counts(self) -> Mapping[str, int]:
        """Count the votes of others by value."""
        counts: dict[str, int] = defaultdict(int)
        for response in self.others:
            if response.is_valid and not response.is_expert:
                for value in relation.ticked_values(self.asked, response.answer):
                    counts[value] += 1
        return counts

    def said(self, step: relation.Step) -> Said:
        """Put it together with its step on the page."""
        ticked = self.ticked
        right = _right_values(self.asked, self.labels)
        return Said(
            self.question,
            step,
            self.answer,
            self.response,
            tuple(_vote(response, self.asked, step, ticked) for response in self.others),
            bool(self.labels),
            set(ticked) == set(right) if self.labels and ticked else None,
            _words(step, right) if self.labels else "",
        )


def _part(document: Document, sentences: Sequence[Span], here: Sequence[_Reading]) -> Part:
    page = relation.build_page(
        document.text,
        sentences,
        {one.question.pk: one.asked for one in here},
        {relation.field_name(one.question.pk): one.ticked for one in here},
        {one.question.pk: one.counts for one in here},
    )
    steps = {step.name: step for step in page.steps}
    return Part(document, page, tuple(one.said(steps[relation.field_name(one.question.pk)]) for one in here))


def _responses(
    assignment: Assignment, questions: Sequence[Question]
) -> tuple[dict[int, Response], dict[int, list[Response]]]:
    """Read the worker's own responses, and those of others, by question."""
    own = {response.question_id: response for response in assignment.responses.all()}
    user = assignment.worker.user_id if assignment.worker else None
    others: dict[int, list[Response]] = defaultdict(list)
    # Of a gold question, votes alone: it may have been shown to hundreds.
    shown = Q(question__in=questions) & (~Q(question=assignment.gold_id) | Q(is_valid=True))
    rows = Response.objects.filter(shown).select_related("worker").order_by("answered_at", "pk")
    for response in rows:
        if response.worker_id != user:
            others[response.question_id].append(response)
    return own, others


def _stored(assignment: Assignment) -> dict[int, Mapping[str, Any]]:
    """Read what the page had put together, for answers that could not be counted."""
    answer = assignment.answer
    listed = answer.get("answers") if isinstance(answer, dict) else None
    found: dict[int, Mapping[str, Any]] = {}
    for item in listed if isinstance(listed, list) else []:
        match item:
            case {"question": int(pk), "answer": dict(said)}:
                found[pk] = said
    return found


def _sentences(by_document: Mapping[int, Sequence[_Reading]]) -> dict[int, list[Span]]:
    touching = Q()
    for document_id, here in by_document.items():
        for span in {span for one in here for span in one.asked.spans}:
            touching |= Q(document=document_id, start__lt=span.end, end__gt=span.start)
    found: dict[int, list[Span]] = defaultdict(list)
    rows = Sentence.objects.filter(touching).order_by("document", "index") if touching else []
    for row in rows:
        found[row.document_id].append(Span(row.start, row.end))
    return found


def _vote(response: Response, asked: relation.Asked, step: relation.Step, ticked: Sequence[str]) -> Vote:
    values = relation.ticked_values(asked, response.answer)
    return Vote(response, _words(step, values), set(values) == set(ticked))


def _right_values(asked: relation.Asked, labels: Sequence[Label]) -> list[str]:
    """Return what would have been ticked by somebody who is right."""
    if isinstance(asked, CanonicalQuestion):
        return relation.ticked_values(asked, asked.answer(any(label.value for label in labels)))
    true = [Offer(label.predicate, label.subject) for label in labels if label.value]
    return relation.ticked_values(asked, asked.answer(true))


def _words(step: relation.Step, values: Sequence[str]) -> str:
    words = {
        choice.value: " ".join("".join(part.text for part in choice.parts).split()) for choice in step.choices
    }
    return "; ".join(words.get(value, value) for value in values)
