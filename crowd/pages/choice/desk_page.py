"""How answers to questions for a class are shown at the desk: beside the text, as the page has them."""

from collections import Counter
from collections.abc import Sequence

from annotations.kinds.choice import ChoiceQuestion
from annotations.kinds.registry import read_asked
from annotations.models import Document, Label, Question
from crowd.interfaces.choice.page import build_page, ticked_value
from crowd.interfaces.sent import Sent, read_sent
from crowd.interfaces.steps import Step, field_name
from crowd.models import Assignment
from crowd.pages.page import DeskPage
from crowd.pages.relation.desk_page import Part, Said, Vote
from kbpo.core.errors import InvalidInput


def read(assignment: Assignment, questions: Sequence[Question]) -> list[Part]:
    """Read answers beside the texts that they are about, in the order of the HIT."""
    sent = read_sent(assignment, questions)
    documents = Document.objects.select_related("corpus").in_bulk([one.document_id for one in questions])
    found = []
    for question in questions:
        asked = read_asked([question])[question.pk]
        assert isinstance(asked, ChoiceQuestion)
        is_gold = question == assignment.gold
        found.append(_part(documents[question.document_id], question, asked, sent, is_gold))
    return found


def _part(document: Document, question: Question, asked: ChoiceQuestion, sent: Sent, is_gold: bool) -> Part:
    answer, others = sent.answer(question), sent.others[question.pk]
    try:
        ticked = "" if answer is None else ticked_value(asked, asked.read_answer({**answer}))
    except InvalidInput:
        ticked = ""  # what could not be counted may hold anything
    counts = Counter(ticked_value(asked, one.answer) for one in others if one.is_valid and not one.is_expert)
    page = build_page(document.text, question.pk, asked, {field_name(question.pk): [ticked]}, counts)
    (step,) = page.steps
    labels = Label.objects.filter(question=question) if is_gold else []
    true = next((label.claim for label in labels if label.value == 1), None)
    right = ticked_value(asked, asked.answer(true)) if labels else ""
    votes = tuple(
        Vote(one, _words(step, value), value == ticked)
        for one in others
        for value in [ticked_value(asked, one.answer)]
    )
    said = Said(
        question,
        step,
        answer,
        sent.own.get(question.pk),
        votes,
        is_gold,
        ticked == right if right and ticked else None,
        _words(step, right) if right else "",
    )
    return Part(document, page, (said,))


def _words(step: Step, value: str) -> str:
    return next((choice.parts[0].text for choice in step.choices if choice.value == value), value)


PAGE = DeskPage(read=read, template="desk/parts/answered.html")
