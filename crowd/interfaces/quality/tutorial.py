"""The tutorial of the quality interface, read from tutorial.toml beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from annotations.kinds.quality import LEVELS, RATINGS, QualityQuestion
from annotations.texts.ter import ter
from crowd.interfaces import practising
from crowd.interfaces.practising import Review, review
from crowd.interfaces.quality import NAME
from crowd.interfaces.quality.page import build_page, filled, read_edit, read_rating
from crowd.interfaces.steps import Page, field_name
from crowd.tutorials.lesson import Posted, Practice, Tutorial
from kbpo.core.errors import InvalidInput

_FILE = Path(__file__).with_name("tutorial.toml")
_ID = 0  # of a question that is in no database


@dataclass(frozen=True, slots=True)
class RatingPractice:
    """A practice question for a rating: a text, which rating, and its right level."""

    text: str
    rating: str
    level: int
    explanation: str

    @property
    def right_answer(self) -> dict[str, Any]:
        """Return the right answer."""
        return {self.rating: self.level}

    def page(self, posted: Posted) -> Page:
        """Return the question as the interface shows it."""
        return build_page(_ID, QualityQuestion(self.text), posted, only=(self.rating,))

    def read(self, posted: Posted) -> dict[str, Any]:
        """Return the form's answer; `InvalidInput` if there is none."""
        return {self.rating: read_rating(f"{field_name(_ID)}-{self.rating}", posted)}

    def is_right(self, answer: Mapping[str, Any]) -> bool:
        """Say whether an answer is right."""
        return answer == self.right_answer

    def review(self, answer: Mapping[str, Any]) -> Review:
        """Return the answer beside the right one."""
        return review(self.page(filled(_ID, answer)), self.page(filled(_ID, self.right_answer)))


@dataclass(frozen=True, slots=True)
class EditReview:
    """An edit beside one that is right."""

    page: Page
    text: str
    edit: str
    better: str


@dataclass(frozen=True, slots=True)
class EditPractice:
    """A practice question for an edit: a text, and what a right edit must and must not have.

    Attributes
    ----------
    text : str
    better : str
        A right edit.
    has, lacks : tuple of str
        In lower case.
    most : float
        Edits a word.
    explanation : str
    """

    text: str
    better: str
    has: tuple[str, ...]
    lacks: tuple[str, ...]
    most: float
    explanation: str

    @property
    def right_answer(self) -> dict[str, Any]:
        """Return a right answer."""
        return {"edit": self.better}

    def page(self, posted: Posted) -> Page:
        """Return the question as the interface shows it."""
        return build_page(_ID, QualityQuestion(self.text), posted, only=("edit",))

    def read(self, posted: Posted) -> dict[str, Any]:
        """Return the form's answer; `InvalidInput` if there is none."""
        return {"edit": read_edit(_ID, QualityQuestion(self.text), posted)}

    def is_right(self, answer: Mapping[str, Any]) -> bool:
        """Say whether an edit has what is right, nothing that is wrong, and is no other text."""
        edit = " ".join(answer["edit"].lower().split())
        held = all(words in edit for words in self.has) and not any(words in edit for words in self.lacks)
        return held and ter(self.text, answer["edit"]) <= self.most

    def review(self, answer: Mapping[str, Any]) -> EditReview:
        """Return the answer beside a right one."""
        return EditReview(self.page({}), self.text, answer["edit"], self.better)


@cache
def tutorial() -> Tutorial:
    """Return the tutorial."""
    return practising.read_tutorial(
        _FILE.read_text(encoding="utf-8"), kind=NAME, read=_read, is_repeated=True
    )


def _read(one: Mapping[str, Any], where: str) -> Practice:
    text, asks = one["text"].strip(), one["asks"]
    if asks == "edit":
        practice = EditPractice(
            text,
            one["better"],
            _lowered(one["has"]),
            _lowered(one["lacks"]),
            one["most"],
            one["explanation"],
        )
        if not practice.is_right(practice.right_answer):
            raise InvalidInput("what is called better would not pass", where=where)
        return practice
    if asks not in RATINGS or one["level"] not in LEVELS:
        raise InvalidInput(f"asks is {asks!r}; it must be a rating with its level, or edit", where=where)
    return RatingPractice(text, asks, one["level"], one["explanation"])


def _lowered(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(one.lower() for one in words)
