"""What a document's page shows: its text with the mentions marked, and the relations between them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict, cast

from django.core.paginator import Page, Paginator
from django.http import Http404

from annotations import marked
from annotations.models import Document
from annotations.ontologies import plain_ontology_of
from evaluation.kbp.explorer import document_claims, entity_search
from evaluation.kbp.explorer.document_claims import Annotation, Claims, System, Use
from evaluation.kbp.explorer.document_filters import Candidates, Choice, Filters, read_filters
from evaluation.kbp.explorer.document_votes import Votes, read_votes
from evaluation.kbp.explorer.folding import folded
from evaluation.kbp.explorer.statements import Piece, Relation
from evaluation.kbp.explorer.verdicts import Ruling
from evaluation.models import EntityName
from evaluation.submissions.visibility import Viewer
from kbpo.core.marking import Mark, Segment, cut, merge
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.spans import Span

PAGE = 50  # relations, and claims, of a page
NAMED = 6  # systems of a relation that are named in a list


@dataclass(frozen=True, slots=True)
class Listed:
    """A relation as it is listed, be it true or claimed.

    Attributes
    ----------
    relation : Relation
    label : str
        Its name for people.
    is_true : bool
        Whether people marked it; otherwise it is a claim.
    statement : tuple of Piece
    systems : tuple of System
        The first of those that found or claim it.
    more : int
        How many others did.
    ruling : Ruling or None
        What is published, with its votes; of what the crowd marked, the votes for it.
    finds : tuple of Relation
        The true relations that a claim finds.
    uses : tuple of Use
        How each system claims it, where it is the only one that is wanted.
    """

    relation: Relation
    label: str
    is_true: bool
    statement: tuple[Piece, ...]
    systems: tuple[System, ...]
    more: int
    ruling: Ruling | None
    finds: tuple[Relation, ...] = ()
    uses: tuple[Use, ...] = ()

    @property
    def anchor(self) -> str:
        """Its name on the page."""
        return f"{'true' if self.is_true else 'claim'}-{self.relation}"


@dataclass(frozen=True, slots=True)
class ListedEntity:
    """An entity as it is listed beside the text.

    Attributes
    ----------
    name, type, type_name : str
    page, page_name : str
        The address of its page, and what that is called; empty for none.
    mentions : tuple of Span
        Where it is marked, in the order of the text; of a name that systems claim, the first place.
    count : int
        How many mentions there are.
    indexed : EntityName or None
        Where the index has it.
    """

    name: str
    type: str
    type_name: str
    page: str
    page_name: str
    mentions: tuple[Span, ...]
    count: int
    indexed: EntityName | None

    @property
    def elsewhere(self) -> int:
        """In how many other documents it is named."""
        return self.indexed.entity.documents - 1 if self.indexed else 0


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document with what people and systems say of it, as far as a viewer may see it.

    Attributes
    ----------
    segments : list of Segment
        The text, marked: what people marked, and what systems name that they did not.
    types : list of tuple of str
        (class, word) of the mentions' types, for the key.
    annotation : Annotation or None
    true : int
        How many relations people found; `missed` of them no system did.
    missed : int
    systems : int
        How many systems the viewer may see.
    makers : int
        How many of these make the claims that are listed.
    relations : Page of Listed
        What people found.
    claims : Page of Listed
        What systems claim.
    entities : list of ListedEntity
    filters : Filters or None
        What the relations can be narrowed down to; None where one alone is shown.
    votes : Votes or None
        How far those agree who marked it.
    """

    segments: list[Segment]
    types: list[tuple[str, str]]
    annotation: Annotation | None
    true: int
    missed: int
    systems: int
    makers: int
    relations: "Page[Listed]"
    claims: "Page[Listed]"
    entities: list[ListedEntity]
    filters: Filters | None
    votes: Votes | None


def read_document(document: Document, viewer: Viewer, choice: Choice | None = None) -> ReadDocument:
    """Read a document as a viewer may see it, with a number of queries that does not depend on its size.

    Parameters
    ----------
    document : Document
        With its corpus.
    viewer : Viewer
    choice : Choice, optional
        By default everything, from its first page on.

    Raises
    ------
    Http404
        If the viewer can see no such system.
    """
    choice = choice or Choice()
    ontology = plain_ontology_of(document.corpus)
    annotation = document_claims.read_annotation(document, viewer)
    claims = document_claims.read_claims(document, viewer)
    true = annotation.relations if annotation else []
    finders = document_claims.match(document.text, claims.instances, true, ontology)
    missed = [relation for relation in true if not finders[relation]]
    candidates = _candidates(claims, true, finders, choice)
    wanted = [relation for relation in candidates.true if choice.admits(relation)]
    claimed = [relation for relation in candidates.claimed if choice.admits(relation)]
    if not choice.missed and choice.relation is not None and choice.relation in finders:
        claimed = finders[choice.relation]  # with every claim that finds it
    first, second = (
        Paginator(wanted, PAGE).get_page(choice.page),
        Paginator(claimed, PAGE).get_page(choice.claims),
    )
    listing = _Listing(
        document,
        ontology,
        annotation,
        claims,
        finders,
        list(first),
        list(second),
        in_full=choice.relation is not None,
    )
    relations, their_claims = listing.relations(), listing.claimed()
    indexed = entity_search.of_document(entity_search.current(document.corpus), document)
    own = marked.entities(document.text, annotation.record.mentions, ontology) if annotation else []
    leads = _leads([*true, *claims.instances], [*relations, *their_claims])
    marks = _marks(own, {**_name_spans(indexed), **claims.mentions}, leads, document.text, ontology)
    kinds = {kind for mark in marks for kind in mark.kind.split()}
    shown = [(ontology.type_class(one.name), one.word) for one in ontology.mention_types]
    return ReadDocument(
        segments=cut(document.text, merge(marks)),
        types=[(kind, word) for kind, word in shown if kind in kinds],
        annotation=annotation,
        true=len(true),
        missed=len(missed),
        systems=len(claims.systems),
        makers=listing.count_makers(),
        relations=_page(relations, first),
        claims=_page(their_claims, second),
        entities=_marked_entities(own, indexed) if annotation else _named_entities(indexed, ontology),
        filters=None
        if choice.relation
        else read_filters(claims, true, candidates, finders, choice, ontology),
        votes=read_votes(document, annotation, viewer, ontology),
    )


def _candidates(
    claims: Claims, true: Sequence[Relation], finders: Mapping[Relation, Sequence[Relation]], choice: Choice
) -> Candidates:
    """Return the relations that are wanted by who found or claims them, of whatever predicate and mention."""
    claimed: Collection[Relation] = claims.instances
    if choice.system is not None:
        if choice.system not in claims.systems:
            raise Http404("no such system")
        claimed = document_claims.claimed_by(claims, choice.system)
    of_it = set(claimed)
    found = [relation for relation in true if (not of_it.isdisjoint(finders[relation])) != choice.missed]
    if choice.system is None and not choice.missed:
        found = list(true)
    return Candidates(found, [] if choice.missed else list(claimed))


def _page(listed: Sequence[Listed], like: "Page[Relation]") -> "Page[Listed]":
    return Page(listed, like.number, cast("Paginator[Listed]", like.paginator))


class _Listing:
    """Prepares the relations and the claims that a page shows, with a fixed number of queries."""

    def __init__(
        self,
        document: Document,
        ontology: Ontology,
        annotation: Annotation | None,
        claims: Claims,
        finders: Mapping[Relation, Sequence[Relation]],
        true: Sequence[Relation],
        claimed: Sequence[Relation],
        *,
        in_full: bool,
    ) -> None:
        self.text, self.ontology = document.text, ontology
        self.true, self.claims = true, claimed
        self.finders = {relation: finders[relation] for relation in true}
        self.finds: dict[Relation, list[Relation]] = {relation: [] for relation in claimed}
        for relation, found_by in finders.items():
            for claim in found_by:
                if claim in self.finds:
                    self.finds[claim].append(relation)
        needed = dict.fromkeys([*claimed, *(claim for own in self.finders.values() for claim in own)])
        self.claimants = document_claims.claimants(claims, needed)
        self.order = {system: number for number, system in enumerate(claims.systems.values())}
        self.rulings = document_claims.rulings(document, [*true, *claimed], ontology)
        self.votes = document_claims.crowd_votes(annotation) if annotation else {}
        self.uses = document_claims.uses(document, claims, claimed) if in_full else {}
        self.named = len(claims.systems) if in_full else NAMED

    def relations(self) -> list[Listed]:
        """Return what people found."""
        listed = []
        for relation, found_by in self.finders.items():
            who = {system for claim in found_by for system in self.claimants[claim]}
            listed.append(
                Listed(
                    relation,
                    self.ontology.relations_by_name[relation.predicate].label,
                    is_true=True,
                    statement=relation.statement(self.text, self.ontology),
                    **self._systems(sorted(who, key=self.order.__getitem__)),
                    ruling=self.votes.get(relation) or self.rulings.get(relation),
                )
            )
        return listed

    def claimed(self) -> list[Listed]:
        """Return what systems claim."""
        return [
            Listed(
                relation,
                self.ontology.relations_by_name[relation.predicate].label,
                is_true=False,
                statement=relation.statement(self.text, self.ontology),
                **self._systems(self.claimants[relation]),
                ruling=self.rulings.get(relation),
                finds=tuple(self.finds[relation]),
                uses=tuple(self.uses.get(relation, ())),
            )
            for relation in self.claims
        ]

    def count_makers(self) -> int:
        """Return how many systems make the listed claims: who is silent on a document has none of them."""
        return len({system for relation in self.claims for system in self.claimants[relation]})

    def _systems(self, who: Sequence[System]) -> "_Systems":
        return {"systems": tuple(who[: self.named]), "more": len(who[self.named :])}


class _Systems(TypedDict):
    systems: tuple[System, ...]
    more: int


def _leads(relations: Iterable[Relation], listed: Iterable[Listed]) -> Mapping[Span, str]:
    """Say where the labels of mentions lead: to a relation on this page, or to a page with theirs."""
    leads = {
        span: f"?mention={span}#relations"
        for relation in relations
        for span in (relation.subject, relation.object)
    }
    for one in reversed(list(listed)):
        leads[one.relation.subject] = leads[one.relation.object] = f"#{one.anchor}"
    return leads


def _name_spans(indexed: Mapping[tuple[str, str], EntityName]) -> dict[Span, set[str]]:
    """Return where each name first stands, with its type: it need not be a mention of a claim."""
    found: dict[Span, set[str]] = {}
    for (kind, _), one in indexed.items():
        found.setdefault(Span(one.start, one.end), set()).add(kind)
    return found


def _marks(
    own: Sequence[marked.Entity],
    named: Mapping[Span, Collection[str]],
    leads: Mapping[Span, str],
    text: str,
    ontology: Ontology,
) -> list[Mark]:
    """Mark what people marked, and what systems name where nobody marked that very span."""
    marks = marked.marks(text, own, leads)
    by_people = {mark.span for mark in marks}
    for span, kinds in named.items():
        if span in by_people:
            continue
        for name in sorted(kinds):
            kind = ontology.type_class(name)
            mark = Mark(span, kind, ontology.types_by_name[name].word, leads.get(span, ""))
            marks.append(replace(mark, kind=f"{kind} claimed", label="claimed") if own else mark)
    return marks


def _marked_entities(
    own: Iterable[marked.Entity], indexed: Mapping[tuple[str, str], EntityName]
) -> list[ListedEntity]:
    return [
        ListedEntity(
            entity.name,
            entity.type,
            entity.type_name,
            entity.page,
            entity.link_name,
            entity.mentions,
            len(entity.mentions),
            indexed.get((entity.type, folded(entity.name))),
        )
        for entity in own
    ]


def _named_entities(indexed: Mapping[tuple[str, str], EntityName], ontology: Ontology) -> list[ListedEntity]:
    return [
        ListedEntity(
            one.entity.name,
            kind,
            ontology.types_by_name[kind].word,
            one.entity.page,
            marked.page_name(one.entity.page),
            (Span(one.start, one.end),),
            one.mentions,
            one,
        )
        for (kind, _), one in indexed.items()
    ]
