"""What practice questions of all tutorials share: marked words, and answers beside the right ones."""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crowd.interfaces.steps import Page, Part
from crowd.tutorials.lesson import Practice, Tutorial
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.spans import Span

_MARKED = re.compile(r"\[([^|\]]+)\|([^\]]+)\]")


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A choice: whether it was ticked, and whether it should have been."""

    parts: tuple[Part, ...]
    is_ticked: bool
    is_right: bool


@dataclass(frozen=True, slots=True)
class Review:
    """A practice question that was answered."""

    page: Page
    choices: tuple[Reviewed, ...]


def review(given: Page, right: Page) -> Review:
    """Put an answer beside the right one: both are pages of the same question, filled in."""
    rows = zip(given.steps[0].choices, right.steps[0].choices, strict=True)
    return Review(given, tuple(Reviewed(one.parts, one.checked, best.checked) for one, best in rows))


def read_tutorial(
    toml: str,
    *,
    kind: str,
    read: Callable[[Mapping[str, Any], str], Practice],
    ontology: Ontology | None = None,
    asks: Callable[[Mapping[str, Any]], bool] = lambda one: True,
    examples: Sequence[Practice] = (),
    practice: Sequence[Practice] = (),
    is_repeated: bool = False,
) -> Tutorial:
    """Read a tutorial from its file's text.

    Parameters
    ----------
    toml : str
    kind : str
        Of work.
    read : callable
        Reads a question; its second argument is where it stands, for errors.
    ontology : Ontology, optional
        Under which it is taught.
    asks : callable
        Says which questions of the file are asked; all of them if left out.
    examples, practice : sequence of Practice
        What comes before those of the file.
    is_repeated : bool
        Whether a question comes again until it is answered rightly.
    """
    data = tomllib.loads(toml)

    def questions(table: str) -> list[Practice]:
        return [read(one, f"{table} {n}") for n, one in enumerate(data[table], 1) if asks(one)]

    practised = (*practice, *questions("practice"))
    return Tutorial(
        kind=kind,
        title=data["title"],
        pass_mark=-(-data["pass_mark"] * len(practised) // 10),
        tries=data["tries"],
        examples=(*examples, *questions("example")),
        practice=practised,
        ontology=ontology,
        is_repeated=is_repeated,
    )


def unmark(marked: str) -> tuple[str, list[tuple[Span, str]]]:
    """Return a text without its marks, and what was marked as what.

    Examples
    --------
    >>> unmark("[Ada|PER] came.")
    ('Ada came.', [(Span(start=0, end=3), 'PER')])
    """
    text, marks, end = "", [], 0
    for found in _MARKED.finditer(marked):
        text += marked[end : found.start()]
        marks.append((Span(len(text), len(text) + len(found[1])), found[2]))
        text += found[1]
        end = found.end()
    return text + marked[end:], marks
