"""Looks up the relations of an entity in the index: reads only, with queries that do not grow with it."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import F, Q, QuerySet

from annotations.models import Document
from evaluation.kbp.explorer.statements import Piece, Relation, state
from evaluation.models import Entity, EntityRelation, RelationSource
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.spans import Span

Standing = EntityRelation.Standing
FIRST = 3  # sources of a relation that a list names
_SUBJECT, _OBJECT = Span(0, 1), Span(1, 2)  # stand for the two ends in a statement


@dataclass(frozen=True, slots=True)
class Said:
    """A piece of a relation in plain words.

    Attributes
    ----------
    text : str
    entity : Entity or None
        Whose name it is; None for the words between, and for a string or a date.
    is_end : bool
        Whether it is the subject or the object.
    """

    text: str
    entity: Entity | None = None
    is_end: bool = False


@dataclass(frozen=True, slots=True)
class ShownSource:
    """A place where a relation is claimed or was found.

    Attributes
    ----------
    source : RelationSource
        With its document, without its text.
    relation : Relation
        As the document's page names it.
    """

    source: RelationSource
    relation: Relation

    @property
    def document(self) -> Document:
        """The document, without its text."""
        return self.source.document

    @property
    def anchor(self) -> str:
        """The name of the mark of that mention which comes first."""
        return f"m{min(self.relation.subject, self.relation.object)}"


@dataclass(frozen=True, slots=True)
class ShownRelation:
    """A relation as an entity's page lists it.

    Attributes
    ----------
    relation : EntityRelation
    label : str
        The predicate's name for people.
    said : list of Said
        In plain words, told of the entity.
    sources : list of ShownSource
        The first ones, of a document each.
    """

    relation: EntityRelation
    label: str
    said: list[Said]
    sources: list[ShownSource]

    @property
    def value(self) -> bool | None:
        """Whether it is confirmed; None where nothing is published."""
        return {Standing.CONFIRMED: True, Standing.REFUTED: False}.get(Standing(self.relation.standing))

    @property
    def more(self) -> int:
        """How many other sources it has."""
        return self.relation.sources - len(self.sources)


def of_entity(entity: Entity) -> QuerySet[EntityRelation]:
    """Select an entity's relations: confirmed ones first and refuted last, then by number of systems."""
    found = EntityRelation.objects.filter(Q(subject=entity) | Q(object=entity))
    ends = found.select_related("subject", "object").defer("subject__names", "object__names")
    return ends.order_by("standing", F("systems").desc(), F("sources").desc(), "predicate", "key")


def sources_of(relation: EntityRelation) -> QuerySet[RelationSource]:
    """Select the sources of a relation: confirmed ones first and refuted last, then by document."""
    return _with_documents(relation.places.order_by("number"))


def show(relations: Iterable[EntityRelation], entity: Entity, ontology: Ontology) -> list[ShownRelation]:
    """Prepare relations for the page of an entity, with one query for the first sources of all."""
    listed = list(relations)
    sources: dict[int, list[ShownSource]] = defaultdict(list)
    first = RelationSource.objects.filter(relation__in=listed, number__lte=FIRST)
    predicates = {relation.pk: relation.predicate for relation in listed}
    for source in _with_documents(first.order_by("relation", "number")):
        own = sources[source.relation_id]
        if all(one.source.document_id != source.document_id for one in own):
            own.append(show_source(source, predicates[source.relation_id]))
    return [
        ShownRelation(
            relation,
            ontology.relations_by_name[relation.predicate].label,
            _said(relation, entity, ontology),
            sources[relation.pk],
        )
        for relation in listed
    ]


def show_source(source: RelationSource, predicate: str) -> ShownSource:
    """Prepare a source of a relation."""
    subject, object_ = (
        Span(source.subject_start, source.subject_end),
        Span(source.object_start, source.object_end),
    )
    return ShownSource(source, Relation(predicate, subject, object_))


def _with_documents(sources: QuerySet[RelationSource]) -> QuerySet[RelationSource]:
    own = ("doc_id", "title", "corpus")
    return sources.select_related("document").only(
        *(field.attname for field in RelationSource._meta.concrete_fields),
        *(f"document__{one}" for one in own),
    )


def _said(relation: EntityRelation, entity: Entity, ontology: Ontology) -> list[Said]:
    own = ontology.relations_by_name[relation.predicate]
    subject = Said(relation.subject.name, relation.subject, is_end=True)
    other = relation.object
    object_ = Said(other.name if other else relation.object_text, other, is_end=True)
    words = own.statement
    if relation.subject_id != entity.pk:
        if own.is_symmetric:  # the same from either end
            subject, object_ = object_, subject
        else:
            words = own.reverse
    ends = {_SUBJECT: subject, _OBJECT: object_}
    pieces = state(words, Piece(subject.text, _SUBJECT), Piece(object_.text, _OBJECT))
    return [ends[piece.span] if piece.span else Said(piece.text) for piece in pieces]
