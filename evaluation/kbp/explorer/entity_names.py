"""Names, and how they are gathered into entities.

- Only a name comes in: a canonical mention that touches a word that names, as `evaluation.kbp.name_keys` has
  it. "She" and "the company" are none, whoever gives them.
- Who has a page is one entity, under whatever names and addresses of that page.
- A name without a page belongs to the page that people gave it elsewhere, if they gave it just one.
- Otherwise the same name of the same type is one entity, whatever its accents and its case.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple, TypeVar

from annotations.marked import is_address, words_of
from annotations.models import AnnotatedMention, AnnotatedRelation, Document
from evaluation.kbp.explorer.distinct_claims import DistinctClaim
from evaluation.kbp.explorer.folding import folded
from evaluation.kbp.explorer.page_addresses import page_key
from evaluation.kbp.explorer.statements import Relation
from evaluation.kbp.name_keys import Names
from kbpo_formats.blotting import is_blotted
from kbpo_formats.spans import Span

LONGEST = 200  # characters of a name; a longer canonical mention is cut off
AT_ONCE = 500  # documents whose texts are in memory

T = TypeVar("T")
Place = tuple[int, str, Span]
"""Where a name is given: a document's row id, a type and a canonical mention."""


@dataclass(frozen=True, slots=True)
class Naming:
    """A name in a document.

    Attributes
    ----------
    document_id : int
    type : str
    name : str
        Folded.
    page : str
        The key of its page; empty for none.
    by_people : bool
    spans : set of Span
        The mentions that it is the name of.
    written : Counter of str
        As it stands there, by its canonical mentions.
    addresses : Counter of str
        Those of its page, as people gave them.
    places : set of Span
        The canonical mentions.
    """

    document_id: int
    type: str
    name: str
    page: str
    by_people: bool
    spans: set[Span] = field(default_factory=set)
    written: Counter[str] = field(default_factory=Counter)
    addresses: Counter[str] = field(default_factory=Counter)
    places: set[Span] = field(default_factory=set)

    def __add__(self, other: "Naming") -> "Naming":
        """Return both as one, for a document that gives the name twice: with a page, and without."""
        return replace(
            self,
            spans=self.spans | other.spans,
            written=self.written + other.written,
            addresses=self.addresses + other.addresses,
            places=self.places | other.places,
        )


class Named(NamedTuple):
    """A mention with its type, its canonical mention and the address of its page, which may be empty."""

    type: str
    span: Span
    canonical: Span
    address: str


@dataclass(frozen=True, slots=True)
class Marked:
    """What people marked in a document.

    Attributes
    ----------
    mentions : list of Named
        Of any type.
    relations : list of Relation
    """

    mentions: list[Named] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)


def gather(namings: Iterable[Naming]) -> list[list[Naming]]:
    """Gather names into entities, as the head of this module says."""
    listed = list(namings)
    pages: dict[tuple[str, str], set[str]] = defaultdict(set)
    for naming in listed:
        if naming.page:
            pages[naming.type, naming.name].add(naming.page)
    entities: dict[tuple[str, str, str], list[Naming]] = defaultdict(list)
    for naming in listed:
        known = pages.get((naming.type, naming.name), set())
        page = naming.page or (next(iter(known)) if len(known) == 1 else "")
        entities[naming.type, page, "" if page else naming.name].append(naming)
    return list(entities.values())


def places(gathered: Sequence[Sequence[Naming]]) -> dict[Place, int]:
    """Return the number of the entity of which the name is given at each place."""
    return {
        (naming.document_id, naming.type, place): number
        for number, own in enumerate(gathered)
        for naming in own
        for place in naming.places
    }


def read_marked(annotations: Mapping[int, int]) -> dict[int, Marked]:
    """Read what people marked.

    Parameters
    ----------
    annotations : mapping of int to int
        From the row id of each annotation to that of its document.

    Returns
    -------
    dict of int to Marked
        For each document, in their order.
    """
    marked = {document_id: Marked() for document_id in sorted(annotations.values())}
    mentions = AnnotatedMention.objects.filter(annotation__in=annotations).order_by("start", "end", "type")
    fields = ("annotation_id", "type", "start", "end", "canonical_start", "canonical_end", "link")
    for annotation_id, kind, start, end, canonical_start, canonical_end, link in mentions.values_list(
        *fields
    ):
        canonical = Span(canonical_start, canonical_end)
        marked[annotations[annotation_id]].mentions.append(Named(kind, Span(start, end), canonical, link))
    relations = AnnotatedRelation.objects.filter(annotation__in=annotations).order_by(
        "subject_start", "subject_end", "object_start", "object_end", "predicate"
    )
    spans = ("subject_start", "subject_end", "object_start", "object_end")
    for annotation_id, predicate, *four in relations.values_list("annotation_id", "predicate", *spans):
        one = Relation(predicate, Span(*four[:2]), Span(*four[2:]))
        marked[annotations[annotation_id]].relations.append(one)
    return marked


def marked_names(marked: Mapping[int, Marked], types: Sequence[str]) -> Iterator[Naming]:
    """Yield the names that people marked, of some types."""
    for document, own in with_texts(marked.items()):
        mentions = [one for one in own.mentions if one.type in types]
        links: dict[tuple[str, Span], str] = {}
        for kind, span, canonical, link in mentions:
            if is_address(link) and (span == canonical or (kind, canonical) not in links):
                links[kind, canonical] = link
        pages = (one._replace(address=links.get((one.type, one.canonical), "")) for one in mentions)
        yield from _namings(document, pages, by_people=True)


def claimed_names(
    claims: Iterable[tuple[int, Sequence[DistinctClaim]]], types: Sequence[str]
) -> Iterator[Naming]:
    """Yield the canonical mentions, of some types, that systems claim.

    Parameters
    ----------
    claims : iterable of (int, sequence of DistinctClaim)
        Those in each document, by its row id.
    types : sequence of str
    """
    for document, own in with_texts(claims):
        mentions = []
        for claim in own:
            row, name = claim.row, claim.object_name
            mentions.append(Named(row.subject_type, row.subject, claim.subject_name, ""))
            if name is not None:
                mentions.append(Named(row.object_type, row.object, name, ""))
        known = (one for one in dict.fromkeys(mentions) if one.type in types)
        yield from _namings(document, known, by_people=False)


def with_texts(said: Iterable[tuple[int, T]]) -> Iterator[tuple[Document, T]]:
    """Yield documents, with their texts, and what is said of each, some hundred at once."""
    left = iter(said)
    while some := list(islice(left, AT_ONCE)):
        documents = Document.objects.only("doc_id", "text").in_bulk([pk for pk, _ in some])
        for pk, one in some:
            yield documents[pk], one


def _namings(document: Document, mentions: Iterable[Named], *, by_people: bool) -> Iterator[Naming]:
    names = Names(document.doc_id, document.text)
    words: dict[Span, str | None] = {}
    found: dict[tuple[str, str, str], Naming] = {}
    for kind, span, canonical, address in mentions:
        if canonical not in words:
            words[canonical] = _name(document.text, names, canonical)
        if (written := words[canonical]) is None:
            continue
        name, page = folded(written), page_key(address) if address else ""
        naming = found.setdefault((kind, name, page), Naming(document.pk, kind, name, page, by_people))
        naming.spans.add(span)
        if canonical not in naming.places:
            naming.places.add(canonical)
            naming.written[written] += 1
            if address:
                naming.addresses[address] += 1
    yield from found.values()


def _name(text: str, names: Names, span: Span) -> str | None:
    """Return a name as it is written; None for what names nobody."""
    written = words_of(text, span)[:LONGEST].strip()
    # What is blotted is of a text that was removed; a key that begins with a tab is that of no name.
    if not folded(written) or is_blotted(written) or names.key(*span).startswith("\t"):
        return None
    return written
