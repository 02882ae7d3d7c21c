"""What a worker marked in a whole document, for an operator to look at: as it was sent, whatever its form."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotations.kinds.links import link_text
from annotations.marked import Entity, entities, marks
from annotations.models import Document, Response
from annotations.texts.languages import DEFAULT
from annotations.texts.records import MentionRecord
from kbpo.core.marking import Segment, cut, merge
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.spans import Span

NO_PAGE = "no page"


@dataclass(frozen=True, slots=True)
class Reading:
    """A marked document.

    Attributes
    ----------
    segments : tuple of Segment
    entities : tuple of Entity
        In the order of their first mentions.
    spans : frozenset of (Span, str)
        Every mention with its type.
    """

    segments: tuple[Segment, ...]
    entities: tuple[Entity, ...]
    spans: frozenset[tuple[Span, str]]


@dataclass(frozen=True, slots=True)
class Other:
    """What another worker marked: how many mentions, and how many of them are the same."""

    response: Response
    mentions: int
    same: int


@dataclass(frozen=True, slots=True)
class MarkedPart:
    """A document that was to be marked, with what was."""

    document: Document
    reading: Reading | None
    response: Response | None
    others: tuple[Other, ...]


def part(
    document: Document,
    answer: Mapping[str, Any] | None,
    response: Response | None,
    others: Sequence[Response],
    ontology: Ontology,
) -> MarkedPart:
    """Put a worker's answer beside those of others."""
    language = document.corpus.language
    own = read(document.text, answer, ontology, language) if answer is not None else None
    spans = own.spans if own else frozenset()
    compared = [(one, read(document.text, one.answer, ontology, language).spans) for one in others]
    return MarkedPart(
        document,
        own,
        response,
        tuple(Other(one, len(theirs), len(theirs & spans)) for one, theirs in compared),
    )


def read(text: str, answer: Mapping[str, Any], ontology: Ontology, language: str = DEFAULT) -> Reading:
    """Read an answer that may not have been counted: what makes no sense in it is left out.

    Parameters
    ----------
    text : str
        The document's.
    answer : mapping
        ``{"mentions": [{"start", "end", "type", "entity"}], "entities": [{"id", "canonical", "link"}]}``
    ontology : Ontology
        The corpus', which has the types.
    language : str
        The corpus', in whose Wikipedia pages are.
    """
    found: list[tuple[Span, str, object]] = []
    for item in _list(answer.get("mentions")):
        span = _span(item, text)
        kind = item.get("type")
        if span is not None and isinstance(kind, str) and kind in ontology.mention_types_by_name:
            found.append((span, kind, _key(item.get("entity"))))
    found.sort(key=lambda one: one[0])
    listed = {_key(item.get("id")): item for item in _list(answer.get("entities"))}
    first: dict[object, Span] = {}
    for span, _, entity in found:
        first.setdefault(entity, span)
    mentions = []
    for span, kind, entity in found:
        item = listed.get(entity, {})
        canonical = _span(item.get("canonical"), text) or first[entity]
        mentions.append(MentionRecord(span, kind, canonical, _link(item.get("link"), language)))
    own = entities(text, mentions, ontology)
    return Reading(
        tuple(cut(text, merge(marks(text, own)))),
        tuple(own),
        frozenset((span, kind) for span, kind, _ in found),
    )


def _list(items: object) -> list[Mapping[str, Any]]:
    return [item for item in items if isinstance(item, Mapping)] if isinstance(items, list) else []


def _span(item: object, text: str) -> Span | None:
    match item:
        case {"start": int(start), "end": int(end)} if 0 <= start < end <= len(text):
            return Span(start, end)
    return None


def _key(value: object) -> object:
    return value if isinstance(value, int | str) else None


def _link(link: object, language: str) -> str:
    match link:
        case {"page": str(title)}:
            return link_text({"page": title}, language)
        case {"date": str(date)}:
            return date
        case {"none": True}:
            return NO_PAGE
    return ""
