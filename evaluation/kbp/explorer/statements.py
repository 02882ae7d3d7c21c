"""Claims in plain words, with the places of their mentions: pure."""

from dataclasses import dataclass
from typing import NamedTuple

from annotations.marked import words_of
from kbpo.core.errors import InvalidInput
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.spans import Span


class Relation(NamedTuple):
    """A relation between two places of a document, in its stored direction: claimed, or true.

    As text, and in addresses: ``per:spouse.0-9.22-33``.
    """

    predicate: str
    subject: Span
    object: Span

    def __str__(self) -> str:
        return f"{self.predicate}.{self.subject}.{self.object}"

    @property
    def names(self) -> str:
        """The names of its mentions' places, as a page's script finds them."""
        return f"m{self.subject} m{self.object}"

    def statement(self, text: str, ontology: Ontology) -> "tuple[Piece, ...]":
        """Say it in the ontology's plain words, in terms of the document's text."""
        said = ontology.relations_by_name[self.predicate].statement
        return state(said, mention(text, self.subject), mention(text, self.object))


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a claim in plain words.

    Attributes
    ----------
    text : str
    span : Span or None
        Of the mention that the piece is; None for the words between.
    """

    text: str
    span: Span | None = None

    @property
    def anchor(self) -> str:
        """The name under which a document's page marks the mention."""
        return f"m{self.span}" if self.span else ""


def mention(text: str, span: Span) -> Piece:
    """Return a mention as a piece of a claim."""
    return Piece(words_of(text, span), span)


def state(statement: str, subject: Piece, object: Piece) -> tuple[Piece, ...]:
    """Say a claim in a relation's plain words.

    Examples
    --------
    >>> "".join(piece.text for piece in state("{subject} was born in {object}", Piece("Ann"), Piece("Lyon")))
    'Ann was born in Lyon'
    """
    pieces: list[Piece] = []
    rest = statement
    while rest:
        places = [(rest.find(field), field) for field in ("{subject}", "{object}") if field in rest]
        if not places:
            pieces.append(Piece(rest))
            break
        place, field = min(places)
        if place:
            pieces.append(Piece(rest[:place]))
        pieces.append(subject if field == "{subject}" else object)
        rest = rest[place + len(field) :]
    return tuple(pieces)


def read_span(text: str) -> Span:
    """Read a place of a document from an address, such as ``22-33``.

    Raises
    ------
    InvalidInput
        If it is none.
    """
    start, dash, end = text.partition("-")
    if dash and all(one.isascii() and one.isdecimal() and len(one) < 10 for one in (start, end)):
        span = Span(int(start), int(end))
        if span.start < span.end:
            return span
    raise InvalidInput(f"{text[:40]!r} is no place of a text; one is like 22-33.")


def read_relation(text: str, ontology: Ontology) -> Relation:
    """Read a relation of an ontology from an address, such as ``per:spouse.0-9.22-33``.

    Raises
    ------
    InvalidInput
        If it is none.
    """
    predicate, *spans = text.split(".")
    if predicate not in ontology.relations_by_name or len(spans) != 2:
        one = ontology.relations[0].name
        raise InvalidInput(f"{text[:80]!r} is no relation of {ontology}; one is like {one}.0-9.22-33.")
    return Relation(predicate, *map(read_span, spans))
