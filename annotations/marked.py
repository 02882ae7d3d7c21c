"""A text with the mentions that are marked in it, entity by entity, for people to read: pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from annotations.texts.records import MentionRecord
from kbpo.core.marking import Mark
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.spans import Span

_WIKIPEDIA = re.compile(r"https://[a-z-]+\.wikipedia\.org/wiki/")


@dataclass(frozen=True, slots=True)
class Entity:
    """Mentions of a document that are of one type and have one canonical mention.

    Attributes
    ----------
    name : str
        The canonical mention, on one line.
    type : str
        Its name.
    type_name : str
        For people.
    type_class : str
        Of its colour.
    has_page : bool
        Whether entities of the type have pages.
    link : str
        Of the canonical mention, or else of the first mention that has one: an address, a date, or empty.
    mentions : tuple of Span
        In the order of the text.
    words : tuple of str
        What the mentions say, each once.
    """

    name: str
    type: str
    type_name: str
    type_class: str
    has_page: bool
    link: str
    mentions: tuple[Span, ...]
    words: tuple[str, ...]

    @property
    def page(self) -> str:
        """The address of its page; empty for none, and for what is no address that a browser may follow."""
        return self.link if self.has_page and is_address(self.link) else ""

    @property
    def link_name(self) -> str:
        """Its link for people: the page's title, or the date."""
        return page_name(self.link)


def entities(text: str, mentions: Iterable[MentionRecord], ontology: Ontology) -> list[Entity]:
    """Gather mentions into entities, in the order of their first mentions.

    Parameters
    ----------
    text : str
        The document's.
    mentions : iterable of MentionRecord
        In any order.
    ontology : Ontology
        Of their types.

    Examples
    --------
    >>> from kbpo_formats.ontologies.builtin import read_builtin
    >>> ada = Span(0, 3)
    >>> mentions = [MentionRecord(Span(11, 14), "PER", ada), MentionRecord(ada, "PER", ada)]
    >>> tac = read_builtin("tac-kbp@1")
    >>> [one.words for one in entities("Ada wrote. She sang.", mentions, tac)]
    [('Ada', 'She')]
    """
    members: dict[tuple[str, Span], list[MentionRecord]] = {}
    for mention in sorted(mentions):
        members.setdefault((mention.type, mention.canonical), []).append(mention)
    found = []
    for (kind, canonical), own in members.items():
        links = sorted((mention.span != canonical, mention.span, mention.link) for mention in own)
        link = next((link for _, _, link in links if link), "")
        words = dict.fromkeys(words_of(text, mention.span) for mention in own)
        of_type = ontology.find_type(kind)
        found.append(
            Entity(
                name=words_of(text, canonical),
                type=kind,
                type_name=of_type.word,
                type_class=ontology.type_class(kind),
                has_page=of_type.link == "page",
                link=link,
                mentions=tuple(mention.span for mention in own),
                words=tuple(words),
            )
        )
    return found


def marks(text: str, listed: Sequence[Entity], hrefs: Mapping[Span, str] | None = None) -> list[Mark]:
    """Mark the mentions of entities: each by its type, and by its entity where it says something else.

    Parameters
    ----------
    text : str
    listed : sequence of Entity
    hrefs : mapping of Span to str, optional
        Where the labels of mentions lead.
    """
    hrefs = hrefs or {}
    found = []
    for entity in listed:
        for span in entity.mentions:
            is_named = words_of(text, span).casefold() == entity.name.casefold()
            label = entity.type_name if is_named else f"{entity.type_name} {entity.name}"
            found.append(Mark(span, entity.type_class, label, hrefs.get(span, "")))
    return found


def words_of(text: str, span: Span) -> str:
    """Return what stands there, on one line."""
    return " ".join(text[span.start : span.end].split())


def is_address(link: str) -> bool:
    """Say whether a link is the address of a page on the web."""
    return link.startswith(("https://", "http://"))


def page_name(link: str) -> str:
    """Return a link for people: the title of a page of Wikipedia, the end of another address, or itself.

    Examples
    --------
    >>> page_name("https://en.wikipedia.org/wiki/Port_Hallow")
    'Port Hallow'
    >>> page_name("https://es.wikipedia.org/wiki/Sevilla_(ciudad)")
    'Sevilla (ciudad)'
    """
    if not is_address(link):
        return link
    if found := _WIKIPEDIA.match(link):
        return unquote(link[found.end() :]).replace("_", " ")
    return unquote(link.rstrip("/").rsplit("/", 1)[-1])
