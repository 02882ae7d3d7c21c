"""The tutorial of the entity interface, read from tutorial.toml beside it, and from an ontology's examples.

Each practice question is one of the decisions that marking a document takes, asked by itself: what type words
have, how far a mention goes, whom or what it means. They are answered with the interface's own keys.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from crowd.interfaces import practising
from crowd.interfaces.entities import NAME
from crowd.interfaces.practising import Review, review, unmark
from crowd.interfaces.steps import Choice, Page, Part, Step, field_name
from crowd.tutorials.lesson import Posted, Tutorial
from kbpo.core.errors import InvalidInput
from kbpo.core.marking import Mark, cut
from kbpo_formats.ontologies.ontology import Example, Ontology
from kbpo_formats.spans import Span

FIELD = field_name(0)  # of the form
ASKED = "?"
NOTHING = "nothing"
NEW = "new"
_FILE = Path(__file__).with_name("tutorial.toml")
_LETTERS = "ABCDEFGH"


@dataclass(frozen=True, slots=True)
class Option:
    """Something to choose: its value in the form, the key that ticks it, and its words."""

    value: str
    key: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class EntitiesPractice:
    """A practice question with one right choice.

    Attributes
    ----------
    text : str
    marks : tuple of Mark
        The words that are asked about are A.
    heading : tuple of Part
    hint : str
    options : tuple of Option
    right : str
        The value of the right one.
    explanation : str
    """

    text: str
    marks: tuple[Mark, ...]
    heading: tuple[Part, ...]
    hint: str
    options: tuple[Option, ...]
    right: str
    explanation: str

    @property
    def right_answer(self) -> dict[str, Any]:
        """Return the right answer."""
        return {"choice": self.right}

    def page(self, posted: Posted) -> Page:
        """Return the question as the tutorial shows it."""
        chosen = posted.get(FIELD, ())
        choices = tuple(
            Choice(option.value, option.key, option.parts, option.value in chosen) for option in self.options
        )
        step = Step(FIELD, False, self.heading, self.hint, "Choose one of them.", choices)
        return Page(tuple(cut(self.text, self.marks)), (step,))

    def read(self, posted: Posted) -> dict[str, Any]:
        """Return the form's answer; `InvalidInput` if there is none."""
        values = list(posted.get(FIELD, ()))
        if len(values) != 1 or values[0] not in {option.value for option in self.options}:
            raise InvalidInput("Choose one of them.")
        return {"choice": values[0]}

    def is_right(self, answer: Mapping[str, Any]) -> bool:
        """Say whether an answer is right."""
        return answer == self.right_answer

    def review(self, answer: Mapping[str, Any]) -> Review:
        """Return the answer beside the right one."""
        return review(self.page({FIELD: [answer["choice"]]}), self.page({FIELD: [self.right]}))


@lru_cache(maxsize=32)
def tutorial(ontology: Ontology) -> Tutorial:
    """Return the tutorial under an ontology."""
    return read_tutorial(_FILE.read_text(encoding="utf-8"), ontology)


def read_tutorial(toml: str, ontology: Ontology) -> Tutorial:
    """Read a tutorial.

    Where the file has no questions about the types of an ontology, its own examples ask of which they are.

    Raises
    ------
    InvalidInput
        Naming the question that is not of the form that tutorial.toml describes.
    """
    links = {one.link for one in ontology.mention_types}
    known = {None, NOTHING, *ontology.mention_types_by_name}

    def is_of_this(one: Mapping[str, Any]) -> bool:
        return one.get("ontology") == ontology.name and one.get("type") in known

    def asks(one: Mapping[str, Any]) -> bool:
        return ("ontology" not in one or is_of_this(one)) and one.get("link", "page") in links

    data = tomllib.loads(toml)
    has_own = any(map(is_of_this, (*data["example"], *data["practice"])))
    own = () if has_own else ontology.examples
    return practising.read_tutorial(
        toml,
        kind=NAME,
        read=partial(_read, ontology=ontology),
        ontology=ontology,
        asks=asks,
        examples=list(_of_types((one for one in own if not one.is_practice), ontology)),
        practice=list(_of_types((one for one in own if one.is_practice), ontology)),
    )


def _of_types(examples: Iterable[Example], ontology: Ontology) -> Iterator[EntitiesPractice]:
    """Ask of what type the mentions of examples are, each text for a type once."""
    for example in examples:
        text, marks = unmark(example.text)
        first: dict[str, Span] = {}
        for span, kind in marks:
            first.setdefault(kind, span)
        for kind, span in first.items():
            named = ontology.find_type(kind)
            words = " ".join(text[span.start : span.end].split())
            part = Part(words, _LETTERS[0])
            yield EntitiesPractice(
                text,
                _marks([(span, ASKED)], [part]),
                *_of_type(part),
                _types(ontology),
                kind,
                f"“{words}” is of the type {named.word}. {named.guideline}",
            )


def _read(one: Mapping[str, Any], where: str, ontology: Ontology) -> EntitiesPractice:
    text, marked = unmark(one["text"].strip())
    spans = sorted(marked, key=lambda found: found[1] != ASKED)
    if [name for _, name in spans].count(ASKED) != 1 or len(spans) > len(_LETTERS):
        raise InvalidInput(f"the words asked about must be marked once, as [words|{ASKED}]", where=where)
    parts = [
        Part(" ".join(text[span.start : span.end].split()), letter)
        for (span, _), letter in zip(spans, _LETTERS, strict=False)
    ]
    if "type" in one:
        heading, hint = _of_type(parts[0])
        options, right = _types(ontology), one["type"]
    elif "means" in one:
        heading = (Part("Whom or what does "), parts[0], Part(" mean?"))
        hint, options, right = "By what this text says.", _entities(parts[1:]), str(one["means"])
    else:
        before, found, after = one["question"].partition("{}")
        if not found:
            raise InvalidInput("the question must have {} where the words asked about stand", where=where)
        heading = (Part(before), parts[0], Part(after))
        hint, options, right = "Choose one.", _said(one["choices"]), one["right"]
    if right not in {option.value for option in options}:
        known = ", ".join(option.value for option in options)
        raise InvalidInput(f"{right!r} is right, and none of the choices: {known}", where=where)
    return EntitiesPractice(
        text, _marks(spans, parts), heading, hint, options, right, one["explanation"].strip()
    )


def _marks(spans: Sequence[tuple[Span, str]], parts: Sequence[Part]) -> tuple[Mark, ...]:
    return tuple(
        Mark(span, f"mention-{part.letter.lower()}", part.letter)
        for (span, _), part in zip(spans, parts, strict=True)
    )


def _of_type(words: Part) -> tuple[tuple[Part, ...], str]:
    return (Part("What is "), words, Part(" in this text?")), "By what it stands for here."


def _types(ontology: Ontology) -> tuple[Option, ...]:
    kinds = [Option(one.name, one.key, (Part(one.word.capitalize()),)) for one in ontology.mention_types]
    return (*kinds, Option(NOTHING, "x", (Part("Nothing: it is not marked"),)))


def _entities(parts: Sequence[Part]) -> tuple[Option, ...]:
    found = [Option(str(number), str(number), (part,)) for number, part in enumerate(parts, 1)]
    return (*found, Option(NEW, "0", (Part("Somebody or something new"),)))


def _said(choices: Sequence[str]) -> tuple[Option, ...]:
    return tuple(Option(words, str(number), (Part(words),)) for number, words in enumerate(choices, 1))
