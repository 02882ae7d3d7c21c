"""A text with questions to tick answers to, as the pages of several interfaces show it. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from crowd.interfaces.links import LinkField
from kbpo.core.errors import InvalidInput
from kbpo.core.marking import Segment


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


def choices(
    words: Mapping[str, str], keys: Iterable[str], chosen: Sequence[str], votes: Mapping[str, int] | None
) -> tuple[Choice, ...]:
    """Return what is to be ticked, by value and in words, with its keys; and for an expert how many did."""
    return tuple(
        Choice(value, key, (Part(said),), value in chosen, None if votes is None else votes.get(value, 0))
        for key, (value, said) in zip(keys, words.items(), strict=True)
    )


@dataclass(frozen=True, slots=True)
class Guideline:
    """What something is called in lists, and when it is right."""

    name: str
    words: str


@dataclass(frozen=True, slots=True)
class EditField:
    """A text to be improved: the form's field, the text as it was, what was made of it, the longest."""

    name: str
    original: str
    text: str
    longest: int


@dataclass(frozen=True, slots=True)
class Word:
    """A word that can be highlighted, and what stands between it and the one before."""

    gap: str
    text: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """Words of a passage to be highlighted, and confirmed.

    Attributes
    ----------
    name : str
        Of the step: the names of its fields begin with it.
    words : tuple of Word
    after : str
        What stands after the last of them.
    marked : str
        The numbers of the first and the last that are highlighted, as ``3-7``; empty: none are.
    quote : str
        What was copied from the passage, where no words could be highlighted.
    is_sure : bool
        Whether it was confirmed.
    statements : mapping of str to str
        By the values that need evidence: what is confirmed, with ``{words}`` in the place of the words.
    """

    name: str
    words: tuple[Word, ...]
    after: str
    marked: str
    quote: str
    is_sure: bool
    statements: Mapping[str, str]

    @property
    def text(self) -> str:
        """Return the passage."""
        return "".join(word.gap + word.text for word in self.words) + self.after

    @property
    def cuts(self) -> str:
        """Return how long each word is, with ``+`` before it where no character is between it and the last.

        Where there are several, their number and a colon. Words as elements would be most of the page.
        """
        gaps = {0: "+", 1: ""}
        return " ".join(
            f"{gaps.get(len(word.gap), f'{len(word.gap)}:')}{len(word.text)}" for word in self.words
        )


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that is given beside a text, and what it is called."""

    name: str
    words: str


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
    missing : str
        What to say to somebody who goes on without an answer.
    choices : tuple of Choice
        Empty where `link` or `edit` is what it asks for.
    link : LinkField or None
    edit : EditField or None
    evidence : Evidence or None
        What some of the choices need.
    unless : str
        Of an earlier step, its name, a blank and a value: it is not asked where that was chosen. Of several,
        one a line, where all were.
    guidelines : tuple of Guideline
        When what may be chosen is right.
    """

    name: str
    many: bool
    heading: tuple[Part, ...]
    hint: str
    missing: str
    choices: tuple[Choice, ...]
    link: LinkField | None = None
    edit: EditField | None = None
    evidence: Evidence | None = None
    unless: str = ""
    guidelines: tuple[Guideline, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """A text with the questions that are asked about it.

    Attributes
    ----------
    segments : tuple of Segment
    steps : tuple of Step
    is_whole : bool
        Whether the segments are the whole text.
    facts : tuple of Fact
        What is shown in the place of a text.
    """

    segments: tuple[Segment, ...]
    steps: tuple[Step, ...]
    is_whole: bool = True
    facts: tuple[Fact, ...] = ()


def field_name(question_id: int) -> str:
    """Return the form field that answers a question."""
    return f"q{question_id}"


class StepOpen(InvalidInput):
    """Something in a step is missing or wrong.

    Attributes
    ----------
    step : str
        Its name.
    """

    def __init__(self, message: str, *, step: str) -> None:
        super().__init__(message)
        self.step = step
