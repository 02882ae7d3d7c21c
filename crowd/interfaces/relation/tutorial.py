"""The tutorial of the relation interface, read from tutorial.toml beside it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from annotations.kinds.canonical import CanonicalQuestion
from annotations.kinds.relation import Mention, Offer, RelationQuestion
from crowd.interfaces import practising
from crowd.interfaces.practising import Review, review, unmark
from crowd.interfaces.relation import NAME, form
from crowd.interfaces.relation.form import Asked
from crowd.interfaces.relation.page import build_page
from crowd.interfaces.steps import Page, field_name
from crowd.tutorials.lesson import Posted, Tutorial
from kbpo.core.errors import InvalidInput
from kbpo.core.ontology import MENTION_TYPES
from kbpo.core.spans import Span

_FILE = Path(__file__).with_name("tutorial.toml")
_ID = 0  # of a question that is in no database


@dataclass(frozen=True, slots=True)
class RelationPractice:
    """A practice question about two mentions, or about a full name.

    Attributes
    ----------
    text : str
    asked : RelationQuestion or CanonicalQuestion
    right_answer : dict
        In the normal form of its kind (`annotations.kinds`).
    explanation : str
    """

    text: str
    asked: Asked
    right_answer: dict[str, Any]
    explanation: str

    def page(self, posted: Posted) -> Page:
        """Return the question as the interface shows it."""
        return build_page(self.text, [Span(0, len(self.text))], {_ID: self.asked}, posted, {})

    def read(self, posted: Posted) -> dict[str, Any]:
        """Return the form's answer; `InvalidInput` if there is none."""
        values = posted.get(field_name(_ID), ())
        return self.asked.read_answer(form.read_answer(self.asked, values))

    def is_right(self, answer: Mapping[str, Any]) -> bool:
        """Say whether an answer is right: all that holds, and nothing else."""
        return answer == self.right_answer

    def review(self, answer: Mapping[str, Any]) -> Review:
        """Return the answer beside the right one."""
        return review(self.page(self._filled(answer)), self.page(self._filled(self.right_answer)))

    def _filled(self, answer: Mapping[str, Any]) -> Posted:
        return {field_name(_ID): form.ticked_values(self.asked, answer)}


@cache
def tutorial() -> Tutorial:
    """Return the tutorial."""
    return read_tutorial(_FILE.read_text(encoding="utf-8"))


def read_tutorial(toml: str) -> Tutorial:
    """Read a tutorial.

    Raises
    ------
    InvalidInput
        Naming the question that is not of the form that tutorial.toml describes.
    """
    return practising.read_tutorial(toml, kind=NAME, read=_read)


def _read(one: Mapping[str, Any], where: str) -> RelationPractice:
    text, marks = unmark(one["text"].strip())
    try:
        if "holds" in one:
            pair = _pair(marks)
            asked: Asked = pair
            right = _relations(pair, one["holds"])
        else:
            asked = _full_name(marks)
            right = asked.read_answer({"right": one["right"]})
    except InvalidInput as error:
        raise InvalidInput(str(error), where=where) from None
    return RelationPractice(text, asked, right, one["explanation"])


def _pair(marks: list[tuple[Span, str]]) -> RelationQuestion:
    if len(marks) != 2 or any(kind not in MENTION_TYPES for _, kind in marks):
        raise InvalidInput(f"two mentions must be marked, each with one of {', '.join(MENTION_TYPES)}")
    first, second = (Mention(span, kind) for span, kind in marks)
    return RelationQuestion.about(first, second)


def _relations(asked: RelationQuestion, holds: list[str]) -> dict[str, Any]:
    ticked = []
    for line in holds:
        predicate, _, number = line.partition(" ")
        if number not in ("1", "2"):
            raise InvalidInput(f"{line!r} must be a relation and 1 or 2, the number of its subject")
        ticked.append(Offer(predicate, int(number) - 1)._asdict())
    return asked.read_answer({"relations": ticked, "none": not ticked})


def _full_name(marks: list[tuple[Span, str]]) -> CanonicalQuestion:
    spans = {kind: span for span, kind in marks}
    if set(spans) == {"itself"}:
        return CanonicalQuestion(spans["itself"], spans["itself"])
    if set(spans) != {"mention", "full name"}:
        raise InvalidInput("a mention and a full name must be marked, or one that is both: itself")
    return CanonicalQuestion(spans["mention"], spans["full name"])
