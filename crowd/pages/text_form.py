"""What the pages of an interface differ in that asks about one text at a time by a form of steps."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotations.models import Document
from crowd.hit_answers import LONGEST_COMMENT
from crowd.interfaces.steps import Page
from crowd.pages.fields import Posted

StoredAnswer = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextForm:
    """How questions are shown, and answers read.

    Attributes
    ----------
    keys : str
        The template that lists the keys.
    build : callable
        Of a document, what the page calls a question, what that asks, and what has been filled in, makes its
        page; and for an expert of what others have answered.
    read : callable
        Of what the page calls a question, what that asks and a form, returns the answer; `StepOpen` where it
        has none.
    shows_source : bool
        Whether the document is what is asked about: then its title and its date are shown.
    longest_field : int
        Characters of a field that is saved as one goes.
    """

    keys: str
    build: Callable[[Document, int, Any, Posted, Sequence[StoredAnswer] | None], Page]
    read: Callable[[int, Any, Posted], dict[str, Any]]
    shows_source: bool = True
    longest_field: int = LONGEST_COMMENT
