"""How judgements of answers are shown at the desk: what each passage shows, with the evidence in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotations.kinds.correctness import CorrectnessQuestion
from annotations.kinds.registry import read_asked
from annotations.models import Document, Question, Response
from crowd.interfaces.correctness.page import VERDICTS
from crowd.interfaces.sent import Sent, read_sent
from crowd.models import Assignment
from crowd.pages.correctness.form import count_votes
from crowd.pages.page import DeskPage
from kbpo.core.errors import InvalidInput
from kbpo.core.marking import Mark, Segment, cut
from kbpo.core.showable import visible
from kbpo_formats.spans import Span

_WORDS = {1: "shows it to be right", -1: "shows it to be wrong", 0: "does not help"}
_MARKS = {1: "evidence shows-right", -1: "evidence shows-wrong"}


@dataclass(frozen=True, slots=True)
class Shown:
    """A passage: its number, its text with the evidence, the verdict, and how many others gave each."""

    number: int
    segments: Sequence[Segment]
    verdict: str
    others: Sequence[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Part:
    """An answer and what was said of it; `is_plausible` is None where nothing can be read."""

    document: Document
    question: str
    answer: str
    response: Response | None
    is_plausible: bool | None
    passages: Sequence[Shown]
    others: Sequence[Response]
    plausible_others: int


def read(assignment: Assignment, questions: Sequence[Question]) -> list[Part]:
    """Read answers beside what they are about, in the order of the HIT."""
    sent = read_sent(assignment, questions)
    documents = Document.objects.select_related("corpus").in_bulk([one.document_id for one in questions])
    asked = read_asked(questions)
    return [_part(documents[one.document_id], one, asked[one.pk], sent) for one in questions]


def _part(document: Document, question: Question, asked: Any, sent: Sent) -> Part:
    assert isinstance(asked, CorrectnessQuestion)
    answer, own, others = sent.answer(question), sent.own.get(question.pk), sent.others[question.pk]
    if answer is not None and own is None:
        try:
            answer = asked.read_answer({**answer})
        except InvalidInput:
            answer = None  # what could not be counted may hold anything
    votes = count_votes([one.answer for one in others if one.is_valid and not one.is_expert])
    listed: Sequence[Mapping[str, Any]] = [] if answer is None else answer["passages"]
    return Part(
        document,
        visible(document.text[asked.question.start : asked.question.end]),
        visible(asked.answer),
        own,
        None if answer is None else answer["plausible"],
        [
            _shown(number, document.text, span, one, votes.get(str(number), {}))
            for number, (span, one) in enumerate(zip(asked.passages, listed, strict=False), 1)
        ],
        others,
        votes["plausible"]["yes"] if "plausible" in votes else 0,
    )


def _shown(number: int, text: str, within: Span, one: Mapping[str, Any], votes: Mapping[str, int]) -> Shown:
    marks = []
    if one["span"] is not None:
        marks.append(Mark(Span(*one["span"]), _MARKS[one["verdict"]], "evidence"))
    others = [(_WORDS[value], votes[name]) for name, value in VERDICTS.items() if votes.get(name)]
    segments = [
        Segment(visible(segment.text), segment.marks, segment.opens) for segment in cut(text, marks, within)
    ]
    return Shown(number, segments, _WORDS[one["verdict"]], others)


PAGE = DeskPage(read=read, template="desk/parts/judged_answer.html")
