"""How answers to relation questions are shown at the desk: beside the document, as the page has them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from annotations import ontologies
from annotations.kinds.canonical import CanonicalQuestion
from annotations.kinds.registry import read_claim_question
from annotations.kinds.relation import Offer
from annotations.models import Document, Label, Question, Response, Sentence
from crowd.interfaces.relation.form import Asked, ticked_values
from crowd.interfaces.relation.page import build_page
from crowd.interfaces.sent import read_sent
from crowd.interfaces.steps import Page, Step, field_name
from crowd.models import Assignment
from crowd.pages.page import DeskPage
from kbpo.core.errors import InvalidInput
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.spans import Span


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
    step : Step
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
    step: Step
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
    page: Page
    said: tuple[Said, ...]


def read(assignment: Assignment, questions: Sequence[Question]) -> list[Part]:
    """Read answers beside the documents that they are about, in the order of the HIT."""
    sent = read_sent(assignment, questions)
    ontology = ontologies.ontology_under(assignment.hit.batch.corpus, assignment.guidelines)
    reading = [
        _Reading(
            question,
            read_claim_question(question.kind, question.payload, ontology),
            sent.answer(question),
            sent.own.get(question.pk),
            sent.others[question.pk],
            list(Label.objects.filter(question=question)) if question == assignment.gold else [],
        )
        for question in questions
    ]
    by_document: dict[int, list[_Reading]] = defaultdict(list)
    for one in reading:
        by_document[one.question.document_id].append(one)
    documents = Document.objects.select_related("corpus").in_bulk(by_document)
    sentences = _sentences(by_document)
    return [
        _part(documents[document_id], sentences[document_id], here, ontology)
        for document_id, here in by_document.items()
    ]


@dataclass(frozen=True, slots=True)
class _Reading:
    """A question, what was said to it, and what is known of it: labels where it is a gold question."""

    question: Question
    asked: Asked
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
            return ticked_values(self.asked, self.asked.read_answer({**self.answer}))
        except InvalidInput:
            return []  # what could not be counted may hold anything

    @property
    def counts(self) -> Mapping[str, int]:
        """Count the votes of others by value."""
        counts: dict[str, int] = defaultdict(int)
        for response in self.others:
            if response.is_valid and not response.is_expert:
                for value in ticked_values(self.asked, response.answer):
                    counts[value] += 1
        return counts

    def said(self, step: Step) -> Said:
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


def _part(
    document: Document, sentences: Sequence[Span], here: Sequence[_Reading], ontology: Ontology
) -> Part:
    page = build_page(
        document.text,
        sentences,
        {one.question.pk: one.asked for one in here},
        {field_name(one.question.pk): one.ticked for one in here},
        {one.question.pk: one.counts for one in here},
        ontology=ontology,
    )
    steps = {step.name: step for step in page.steps}
    return Part(document, page, tuple(one.said(steps[field_name(one.question.pk)]) for one in here))


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


def _vote(response: Response, asked: Asked, step: Step, ticked: Sequence[str]) -> Vote:
    values = ticked_values(asked, response.answer)
    return Vote(response, _words(step, values), set(values) == set(ticked))


def _right_values(asked: Asked, labels: Sequence[Label]) -> list[str]:
    """Return what would have been ticked by somebody who is right."""
    if isinstance(asked, CanonicalQuestion):
        return ticked_values(asked, asked.answer(any(label.value == 1 for label in labels)))
    true = [Offer.of_claim(label.claim) for label in labels if label.value == 1]
    return ticked_values(asked, asked.answer(true))


def _words(step: Step, values: Sequence[str]) -> str:
    words = {
        choice.value: " ".join("".join(part.text for part in choice.parts).split()) for choice in step.choices
    }
    return "; ".join(words.get(value, value) for value in values)


PAGE = DeskPage(read=read, template="desk/parts/answered.html")
