"""The tutorial of the correctness interface, read from tutorial.toml beside it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from annotations.kinds.correctness import NEITHER, CorrectnessQuestion
from annotations.texts.passages import Passage
from crowd.interfaces import practising
from crowd.interfaces.correctness import NAME
from crowd.interfaces.correctness.page import VERDICTS, build_page, filled, read_passages, read_plausible
from crowd.interfaces.practising import Review, review
from crowd.interfaces.steps import Page
from crowd.tutorials.lesson import Posted, Practice, Tutorial
from kbpo.core.errors import InvalidInput
from kbpo.core.marking import Mark, Segment, cut
from kbpo_formats.spans import Span

LEAST_OVERLAP = 0.3  # of a highlight with the right one: characters that both have, of those that either has

_FILE = Path(__file__).with_name("tutorial.toml")
_ID = 0  # of a question that is in no database


@dataclass(frozen=True, slots=True)
class PlausiblePractice:
    """A practice question for whether an answer could be one."""

    question: str
    answer: str
    plausible: bool
    explanation: str

    @property
    def text(self) -> str:
        """Return what is read for it."""
        return f"{self.question} {self.answer}"

    @property
    def right_answer(self) -> dict[str, Any]:
        """Return the right answer."""
        return {"plausible": self.plausible}

    def page(self, posted: Posted) -> Page:
        """Return the question as the interface shows it."""
        return build_page(_ID, _asked(self.question, self.answer), posted)

    def read(self, posted: Posted) -> dict[str, Any]:
        """Return the form's answer; `InvalidInput` if there is none."""
        return {"plausible": read_plausible(_ID, posted)}

    def is_right(self, answer: Mapping[str, Any]) -> bool:
        """Say whether an answer is right."""
        return answer == self.right_answer

    def review(self, answer: Mapping[str, Any]) -> Review:
        """Return the answer beside the right one."""
        return review(self.page(self._filled(answer)), self.page(self._filled(self.right_answer)))

    def _filled(self, answer: Mapping[str, Any]) -> Posted:
        return filled(_ID, _asked(self.question, self.answer), {**answer, "passages": []})


@dataclass(frozen=True, slots=True)
class EvidenceReview:
    """A verdict with its evidence beside the right one, each as the passage with what was highlighted."""

    page: Page
    given: Review
    highlighted: tuple[Segment, ...]
    right: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class EvidencePractice:
    """A practice question for what a passage shows."""

    question: str
    answer: str
    passage: str
    right_answer: dict[str, Any]
    explanation: str

    @property
    def text(self) -> str:
        """Return what is read for it."""
        return f"{self.question} {self.answer} {self.passage}"

    @property
    def asked(self) -> CorrectnessQuestion:
        """Return what it asks."""
        return _asked(self.question, self.answer, self.passage)

    def page(self, posted: Posted) -> Page:
        """Return the question as the interface shows it."""
        return build_page(_ID, self.asked, posted, asks_plausible=False)

    def read(self, posted: Posted) -> dict[str, Any]:
        """Return the form's answer; `InvalidInput` if there is none."""
        return read_passages(_ID, self.asked, posted)

    def is_right(self, answer: Mapping[str, Any]) -> bool:
        """Say whether the verdict is right, and what was highlighted has enough of what should be."""
        (given,), (right,) = answer["passages"], self.right_answer["passages"]
        if given["verdict"] != right["verdict"]:
            return False
        return right["span"] is None or overlap(Span(*given["span"]), Span(*right["span"])) >= LEAST_OVERLAP

    def review(self, answer: Mapping[str, Any]) -> EvidenceReview:
        """Return the answer beside the right one."""
        pages = [self.page(filled(_ID, self.asked, one)) for one in (answer, self.right_answer)]
        return EvidenceReview(
            pages[0], review(*pages), self._highlighted(answer), self._highlighted(self.right_answer)
        )

    def _highlighted(self, answer: Mapping[str, Any]) -> tuple[Segment, ...]:
        asked = self.asked
        assert asked.passage is not None  # made with it
        spans = [one["span"] for one in answer["passages"] if one["span"] is not None]
        marks = [Mark(Span(*span), "evidence", "") for span in spans]
        return tuple(cut(asked.passage.text, marks, asked.passages[0]))


def overlap(one: Span, other: Span) -> float:
    """Return the Jaccard index of two spans: characters that both have, of those that either has.

    Examples
    --------
    >>> overlap(Span(0, 6), Span(3, 9)), overlap(Span(0, 3), Span(3, 6))
    (0.3333333333333333, 0.0)
    """
    common = max(0, min(one.end, other.end) - max(one.start, other.start))
    return common / (one.end - one.start + other.end - other.start - common)


@cache
def tutorial() -> Tutorial:
    """Return the tutorial."""
    return practising.read_tutorial(
        _FILE.read_text(encoding="utf-8"), kind=NAME, read=_read, is_repeated=True
    )


def _asked(question: str, answer: str, passage: str = "") -> CorrectnessQuestion:
    text = f"{question}\n\n{passage}"
    start = len(question) + 2
    passages = (Span(start, len(text)),) if passage else ()
    return CorrectnessQuestion(answer, Span(0, len(question)), passages, Passage(text, ()))


def _read(one: Mapping[str, Any], where: str) -> Practice:
    question, answer, explanation = one["question"], one["answer"], one["explanation"]
    passage = one.get("passage", "").strip()
    if not passage:
        return PlausiblePractice(question, answer, one["plausible"], explanation)
    asked = _asked(question, answer, passage)
    verdict, span = VERDICTS[one["verdict"]], None
    if verdict != NEITHER:
        start = passage.find(one["evidence"])
        if start == -1:
            raise InvalidInput("the evidence does not stand in the passage", where=where)
        first = asked.passages[0].start + start
        span = Span(first, first + len(one["evidence"]))
    right = asked.read_answer(asked.judgement(True, [(verdict, span)]))
    return EvidencePractice(question, answer, passage, right, explanation)
