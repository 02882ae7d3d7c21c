"""A text with questions to tick answers to, as the pages of several interfaces show it. Pure."""

from dataclasses import dataclass

from crowd.interfaces.links import LinkField
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


@dataclass(frozen=True, slots=True)
class Guideline:
    """What something is called in lists, and when it is right."""

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
        Empty where `link` is what it asks for.
    link : LinkField or None
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
    """

    segments: tuple[Segment, ...]
    steps: tuple[Step, ...]
    is_whole: bool = True


def field_name(question_id: int) -> str:
    """Return the form field that answers a question."""
    return f"q{question_id}"
