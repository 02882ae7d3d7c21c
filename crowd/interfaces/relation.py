"""The relation interface: a question and its companions as a page, and the page's form as answers.

Pure: it turns payloads, text and posted strings into what a template shows and what a service records.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import Formatter
from typing import Any

from annotations.payloads import CanonicalQuestion, Offer, RelationQuestion
from kbpo.core.errors import InvalidInput
from kbpo.core.marking import Mark, Segment, cut
from kbpo.core.ontology import RELATIONS, TYPE_NAMES
from kbpo.core.spans import Span

NONE = "none"
RIGHT = "right"
WRONG = "wrong"

# b is back; y and n answer the questions of right and wrong; 0 is none
_KEYS = "123456789acdefghijklmopqrstuvwxz"
_IN_VIEW = "in-view"

Asked = RelationQuestion | CanonicalQuestion


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a sentence on the page; with a letter it is a marked mention's text."""

    text: str
    letter: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """Something to tick: its value in the form, the key that ticks it, and its words."""

    value: str
    key: str
    parts: tuple[Part, ...]
    checked: bool
    votes: int | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One question of the page.

    Attributes
    ----------
    name : str
        Of the form's field.
    many : bool
        Whether several choices may be ticked.
    heading : tuple of Part
    hint : str
    choices : tuple of Choice
    """

    name: str
    many: bool
    heading: tuple[Part, ...]
    hint: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """A relation question with the canonical questions about its mentions, or a canonical one alone."""

    segments: tuple[Segment, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class _Letters:
    """The letters by which the page speaks of spans: A, B, … in the order in which they come up."""

    text: str
    by_span: Mapping[Span, str]

    def part(self, span: Span) -> Part:
        return Part(" ".join(self.text[span.start : span.end].split()), self.by_span[span])


def field_name(question_id: int) -> str:
    """Return the form field that answers a question."""
    return f"q{question_id}"


def spans_of(asked: Iterable[Asked]) -> list[Span]:
    """List the spans that a page marks: the first question's first, each once."""
    return list(dict.fromkeys(span for question in asked for span in question.spans))


def build_page(
    text: str,
    sentences: Iterable[Span],
    questions: Mapping[int, Asked],
    posted: Mapping[str, Sequence[str]],
    votes: Mapping[int, Mapping[str, int]],
) -> Page:
    """Make the page of some questions about one document.

    Parameters
    ----------
    text : str
        The document's text.
    sentences : iterable of Span
        Those to be emphasised.
    questions : mapping of int to question
        By id, in the order in which they are asked.
    posted : mapping of str to sequence of str
        What has been ticked, by form field, where a refused form comes back.
    votes : mapping of int to mapping of str to int
        For an expert: how many ticked each value of a question. Empty for everybody else.
    """
    spans = spans_of(questions.values())
    letters = _Letters(text, dict(zip(spans, _letters(len(spans)), strict=True)))
    marks = [Mark(sentence, _IN_VIEW, "") for sentence in sentences]
    marks += [
        Mark(span, f"mention-{letter.lower()}", f"{letter} {_description(span, questions.values())}")
        for span, letter in letters.by_span.items()
    ]
    steps = []
    for question_id, question in questions.items():
        name = field_name(question_id)
        chosen = posted.get(name, ())
        counts = votes.get(question_id)
        if isinstance(question, RelationQuestion):
            steps.append(_relation_step(name, question, letters, chosen, counts))
        else:
            steps.append(_canonical_step(name, question, letters, chosen, counts))
    return Page(tuple(cut(text, marks)), tuple(steps))


def read_answer(question: Asked, values: Sequence[str]) -> object:
    """Turn a form field's values into an answer, which the service that records it validates.

    Raises
    ------
    InvalidInput
        If nothing was ticked.
    """
    if isinstance(question, RelationQuestion):
        if not values:
            raise InvalidInput("Tick what holds between the two mentions, or “none of these”.")
        offers = [_read_offer(value) for value in values if value != NONE]
        return {"relations": offers, "none": NONE in values}
    if not values:
        raise InvalidInput("Say for each full name whether it is right or wrong.")
    return {"right": {RIGHT: True, WRONG: False}.get(values[0]) if len(values) == 1 else list(values)}


def offer_value(offer: Offer) -> str:
    """Return the form's value for an offer."""
    return f"{offer.predicate}|{offer.subject}"


def ticked_values(question: Asked, answer: Mapping[str, Any]) -> list[str]:
    """List the form values that a stored answer ticks."""
    if isinstance(question, RelationQuestion):
        return [offer_value(offer) for offer in question.ticked(answer)] or [NONE]
    return [RIGHT if answer["right"] else WRONG]


def _read_offer(value: str) -> dict[str, object]:
    predicate, _, subject = value.rpartition("|")
    return {"predicate": predicate, "subject": int(subject) if subject in {"0", "1"} else subject}


def _letters(number: int) -> list[str]:
    return [chr(ord("A") + index) if index < 26 else f"A{index}" for index in range(number)]


def _description(span: Span, questions: Iterable[Asked]) -> str:
    for question in questions:
        if isinstance(question, RelationQuestion):
            for mention in question.mentions:
                if mention.span == span:
                    return TYPE_NAMES[mention.type]
        elif question.mention == span:
            return "mention"
    return "full name?"


def _relation_step(
    name: str,
    question: RelationQuestion,
    letters: _Letters,
    chosen: Sequence[str],
    counts: Mapping[str, int] | None,
) -> Step:
    choices = [
        Choice(
            offer_value(offer),
            key,
            _statement(offer, question, letters),
            offer_value(offer) in chosen,
            None if counts is None else counts.get(offer_value(offer), 0),
        )
        for offer, key in zip(question.offered, _KEYS, strict=False)
    ]
    none = Choice(
        NONE,
        "0",
        (Part("None of these"),),
        NONE in chosen,
        None if counts is None else counts.get(NONE, 0),
    )
    first, second = (letters.part(mention.span) for mention in question.mentions)
    heading = (Part("What does the document say of "), first, Part(" and "), second, Part("?"))
    hint = "Tick everything that the document says or clearly implies, whether or not you know it to be true."
    return Step(name, many=True, heading=heading, hint=hint, choices=(*choices, none))


def _canonical_step(
    name: str,
    question: CanonicalQuestion,
    letters: _Letters,
    chosen: Sequence[str],
    counts: Mapping[str, int] | None,
) -> Step:
    mention, canonical = letters.part(question.mention), letters.part(question.canonical)
    heading: tuple[Part, ...]
    if question.mention == question.canonical:
        heading = (Part("Is "), mention, Part(" itself the right full name?"))
        hint = "Right if it is a name, and does not stand for a fuller name in the document."
    else:
        heading = (Part("Is "), canonical, Part(" the right full name of "), mention, Part("?"))
        hint = "Right if both mean the same person, organization or place in this document."
    choices = tuple(
        Choice(
            value,
            key,
            (Part(words),),
            value in chosen,
            None if counts is None else counts.get(value, 0),
        )
        for value, key, words in ((RIGHT, "y", "Yes, it is right"), (WRONG, "n", "No, it is wrong"))
    )
    return Step(name, many=False, heading=heading, hint=hint, choices=choices)


def _statement(offer: Offer, question: RelationQuestion, letters: _Letters) -> tuple[Part, ...]:
    spans = {
        "subject": question.mentions[offer.subject].span,
        "object": question.mentions[1 - offer.subject].span,
    }
    parts = []
    for words, field, _, _ in Formatter().parse(RELATIONS[offer.predicate].statement):
        if words:
            parts.append(Part(words))
        if field:
            parts.append(letters.part(spans[field]))
    return tuple(parts)
