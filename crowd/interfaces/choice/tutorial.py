"""The tutorial of the choice interface, read from tutorial.toml beside it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from annotations.kinds.choice import ChoiceQuestion
from annotations.texts.classes import ClassRecord
from crowd.interfaces import practising
from crowd.interfaces.choice import NAME
from crowd.interfaces.choice.page import build_page, read_answer, ticked_value
from crowd.interfaces.practising import Review, review
from crowd.interfaces.steps import Page, field_name
from crowd.tutorials.lesson import Posted, Tutorial
from kbpo.core.errors import InvalidInput

_FILE = Path(__file__).with_name("tutorial.toml")
_ID = 0  # of a question that is in no database
CLASSES = ChoiceQuestion(
    "letters",
    1,
    True,
    (
        ClassRecord("complaint", "somebody is not content, and says with what"),
        ClassRecord("question", "somebody wants to know something"),
        ClassRecord("thanks", "somebody is content, and says so"),
        ClassRecord("notice", "somebody tells something, and wants nothing"),
    ),
)


@dataclass(frozen=True, slots=True)
class ChoicePractice:
    """A practice question: a text, and its class."""

    text: str
    right_answer: dict[str, Any]
    explanation: str

    def page(self, posted: Posted) -> Page:
        """Return the question as the interface shows it."""
        return build_page(self.text, _ID, CLASSES, posted)

    def read(self, posted: Posted) -> dict[str, Any]:
        """Return the form's answer; `InvalidInput` if there is none."""
        return read_answer(CLASSES, posted.get(field_name(_ID), ()))

    def is_right(self, answer: Mapping[str, Any]) -> bool:
        """Say whether an answer is right."""
        return answer == self.right_answer

    def review(self, answer: Mapping[str, Any]) -> Review:
        """Return the answer beside the right one."""
        return review(self.page(_filled(answer)), self.page(_filled(self.right_answer)))


def _filled(answer: Mapping[str, Any]) -> Posted:
    return {field_name(_ID): [ticked_value(CLASSES, answer)]}


@cache
def tutorial() -> Tutorial:
    """Return the tutorial."""
    return practising.read_tutorial(_FILE.read_text(encoding="utf-8"), kind=NAME, read=_read)


def _read(one: Mapping[str, Any], where: str) -> ChoicePractice:
    try:
        right = CLASSES.read_answer({"class": one.get("class")})
    except InvalidInput as error:
        raise InvalidInput(str(error), where=where) from None
    return ChoicePractice(one["text"].strip(), right, one["explanation"])
