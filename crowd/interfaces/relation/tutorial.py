"""The tutorial of the relation interface: an ontology's examples, then those of tutorial.toml beside it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
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
from kbpo_formats.ontologies.ontology import Example, Ontology
from kbpo_formats.spans import Span

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
    ontology : Ontology
        In whose words it is asked.
    """

    text: str
    asked: Asked
    right_answer: dict[str, Any]
    explanation: str
    ontology: Ontology

    def page(self, posted: Posted) -> Page:
        """Return the question as the interface shows it."""
        whole = Span(0, len(self.text))
        return build_page(self.text, [whole], {_ID: self.asked}, posted, {}, ontology=self.ontology)

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


@lru_cache(maxsize=32)
def tutorial(ontology: Ontology) -> Tutorial:
    """Return the tutorial under an ontology."""
    return read_tutorial(_FILE.read_text(encoding="utf-8"), ontology)


def read_tutorial(toml: str, ontology: Ontology) -> Tutorial:
    """Read a tutorial.

    Raises
    ------
    InvalidInput
        Naming the question that is not of the form that tutorial.toml describes.
    """
    return practising.read_tutorial(
        toml,
        kind=NAME,
        read=partial(_read, ontology=ontology),
        ontology=ontology,
        examples=[_of_pair(one, ontology) for one in ontology.examples if not one.is_practice],
        practice=[_of_pair(one, ontology) for one in ontology.examples if one.is_practice],
    )


def _of_pair(example: Example, ontology: Ontology) -> RelationPractice:
    text, marks = unmark(example.text)
    one, other = (Mention(span, kind) for span, kind in marks)
    asked = RelationQuestion.about(one, other, ontology)
    right = asked.answer([Offer(*relation) for relation in example.holds])
    return RelationPractice(text, asked, right, example.explanation, ontology)


def _read(one: Mapping[str, Any], where: str, ontology: Ontology) -> RelationPractice:
    text, marks = unmark(one["text"].strip())
    try:
        asked = _full_name(marks)
        right = asked.read_answer({"right": one["right"]})
    except InvalidInput as error:
        raise InvalidInput(str(error), where=where) from None
    return RelationPractice(text, asked, right, one["explanation"], ontology)


def _full_name(marks: list[tuple[Span, str]]) -> CanonicalQuestion:
    spans = {kind: span for span, kind in marks}
    if set(spans) == {"itself"}:
        return CanonicalQuestion(spans["itself"], spans["itself"])
    if set(spans) != {"mention", "full name"}:
        raise InvalidInput("a mention and a full name must be marked, or one that is both: itself")
    return CanonicalQuestion(spans["mention"], spans["full name"])
