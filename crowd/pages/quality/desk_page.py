"""How judgements of texts are shown at the desk: the ratings beside the text, and what the edit changed."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from annotations.kinds.quality import RATINGS, QualityQuestion
from annotations.kinds.registry import read_asked
from annotations.models import Document, Question, Response
from crowd.interfaces.quality.changes import count_changed
from crowd.interfaces.quality.page import ASKED
from crowd.interfaces.sent import Sent, read_sent
from crowd.models import Assignment
from crowd.pages.page import DeskPage
from kbpo.core.errors import InvalidInput
from kbpo.core.showable import visible


@dataclass(frozen=True, slots=True)
class Edited:
    """An edit, how many characters it changed, and its rate of edits."""

    text: str
    characters: int
    hter: float


@dataclass(frozen=True, slots=True)
class Judged:
    """What somebody said of a text: what was asked with the level chosen, in words, and the edit, if any."""

    response: Response | None
    ratings: Sequence[tuple[str, str]]
    edited: Edited | None


@dataclass(frozen=True, slots=True)
class Part:
    """A text, what was said of it, and what others said; `judged` is None where nothing can be read."""

    document: Document
    text: str  # as it is
    shown: str
    response: Response | None
    judged: Judged | None
    others: Sequence[Judged]


def read(assignment: Assignment, questions: Sequence[Question]) -> list[Part]:
    """Read answers beside the texts that they are about, in the order of the HIT."""
    sent = read_sent(assignment, questions)
    documents = Document.objects.select_related("corpus").in_bulk([one.document_id for one in questions])
    asked = read_asked(questions)
    return [_part(documents[one.document_id], one, asked[one.pk], sent) for one in questions]


def _part(document: Document, question: Question, asked: Any, sent: Sent) -> Part:
    assert isinstance(asked, QualityQuestion)
    answer, own = sent.answer(question), sent.own.get(question.pk)
    judged = None
    if answer is not None:
        with suppress(InvalidInput):  # what could not be counted may hold anything
            judged = _judged(asked, own, answer if own is not None else asked.read_answer({**answer}))
    others = [_judged(asked, one, one.answer) for one in sent.others[question.pk]]
    return Part(document, asked.text, visible(asked.text), own, judged, others)


def _judged(asked: QualityQuestion, response: Response | None, answer: Mapping[str, Any]) -> Judged:
    ratings = [(ASKED[name].asks, ASKED[name].levels[str(answer[name])]) for name in RATINGS]
    edit = answer["edit"]
    edited = None
    if edit is not None:
        edited = Edited(edit, count_changed(asked.text, edit), answer["hter"])
    return Judged(response, ratings, edited)


PAGE = DeskPage(read=read, template="desk/parts/judged_text.html")
