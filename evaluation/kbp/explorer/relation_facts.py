"""Relations between entities: what systems claim and people found in documents, gathered over the corpus.

A relation comes in where its subject, and its object if that is an entity, have a name. In the documents that
are open to explore it is what people found there; the systems of such a relation are those that find it, by
the rule of recall. In all others it is what systems claim, with what is published of relation and names
together.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from annotations.marked import words_of
from annotations.models import Document, Question
from evaluation.kbp.explorer.distinct_claims import DistinctClaim, count_systems
from evaluation.kbp.explorer.document_claims import match
from evaluation.kbp.explorer.entity_names import AT_ONCE, LONGEST, Marked, Place, with_texts
from evaluation.kbp.explorer.folding import folded
from evaluation.kbp.explorer.statements import Relation
from evaluation.kbp.explorer.verdicts import published_verdicts_on
from evaluation.models import Entity, EntityRelation
from kbpo_formats.blotting import is_blotted
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.spans import Span

Standing = EntityRelation.Standing


@dataclass(slots=True)
class Source:
    """A place where a relation is claimed, or was found by people.

    Attributes
    ----------
    document_id : int
    relation : Relation
    values : list of bool or None
        What is published of each claim there.
    by_people : bool
    claims : dict of int to DistinctClaim
        By id: those that are this relation, or find it.
    systems : int
        How many make one of these.
    """

    document_id: int
    relation: Relation
    by_people: bool = False
    values: list[bool | None] = field(default_factory=list)
    claims: dict[int, DistinctClaim] = field(default_factory=dict)
    systems: int = 0

    @property
    def is_right(self) -> bool | None:
        """Whether it is confirmed; False where all that is claimed there is refuted."""
        return True if self.by_people else _of(self.values)


class Fact(NamedTuple):
    """What tells a relation of entities from others: entities by their numbers, an object's text folded."""

    subject: int
    predicate: str
    object: int | None
    text: str


@dataclass(slots=True)
class Gathered:
    """A relation of entities with its sources.

    Attributes
    ----------
    written : Counter of str
        How its object, if that is a string or a date, is written.
    sources : dict of (int, Relation) to Source
        By place.
    systems : int
        How many claim it somewhere.
    """

    written: Counter[str] = field(default_factory=Counter)
    sources: dict[tuple[int, Relation], Source] = field(default_factory=dict)
    systems: int = 0

    @property
    def standing(self) -> Standing:
        """Whether it is confirmed somewhere, or else refuted everywhere."""
        value = _of([source.is_right for source in self.sources.values()])
        return {True: Standing.CONFIRMED, None: Standing.UNPUBLISHED, False: Standing.REFUTED}[value]

    @property
    def in_order(self) -> list[Source]:
        """Its sources: confirmed ones first, refuted ones last, then one of each document before a second."""
        order = {True: 1, None: 2, False: 3}
        places = sorted(
            self.sources.values(),
            key=lambda one: (order[one.is_right], one.document_id, one.relation.subject, one.relation.object),
        )
        seen: Counter[tuple[bool | None, int]] = Counter()
        turns = {}
        for source in places:
            of = (source.is_right, source.document_id)
            seen[of] += 1
            turns[id(source)] = seen[of]
        return sorted(places, key=lambda one: (order[one.is_right], turns[id(one)]))


class Facts:
    """Gathers relations of entities.

    Parameters
    ----------
    entities : sequence of Entity
        With their keys.
    places : mapping of (int, str, Span) to int
        The number of the entity that is named at each place.
    ontology : Ontology
    """

    def __init__(self, entities: Sequence[Entity], places: Mapping[Place, int], ontology: Ontology) -> None:
        self.found: dict[Fact, Gathered] = defaultdict(Gathered)
        self._entities, self._places, self._ontology = entities, places, ontology

    def add_found(self, marked: Mapping[int, Marked], claims: Mapping[int, Sequence[DistinctClaim]]) -> None:
        """Add what people found in documents, with the claims there that find it."""
        for document, own in with_texts(marked.items()):
            said: dict[Relation, list[DistinctClaim]] = defaultdict(list)
            for claim in claims.get(document.pk, ()):
                said[claim.relation].append(claim)
            finders = match(document.text, said, own.relations, self._ontology)
            names = {(one.span, one.type): one.canonical for one in own.mentions}
            for relation in own.relations:
                source = self._find(document, relation, *self._marked_ends(document, relation, names))
                if source is not None:
                    source.by_people = True
                    source.claims |= {claim.id: claim for one in finders[relation] for claim in said[one]}

    def add_claimed(self, claims: Iterable[tuple[int, Sequence[DistinctClaim]]]) -> None:
        """Add what systems claim in documents, with what is published of it."""
        for document, own in with_texts(_with_values(claims)):
            for claim, value in own:
                row, name = claim.row, claim.object_name
                subject = self._places.get((document.pk, row.subject_type, claim.subject_name))
                object_ = self._places.get((document.pk, row.object_type, name)) if name else None
                source = self._find(document, claim.relation, subject, object_, name is None)
                if source is not None:
                    source.values.append(value)
                    source.claims[claim.id] = claim

    def count(self, submissions: Sequence[int]) -> None:
        """Count the systems of each relation and of each of its sources."""
        counted: list[tuple[Gathered | Source, dict[int, DistinctClaim]]] = []
        for gathered in self.found.values():
            own = [(source, source.claims) for source in gathered.sources.values()]
            counted += [(gathered, {pk: claim for _, claims in own for pk, claim in claims.items()}), *own]
        groups: dict[int, list[int]] = {}
        for number, (one, claims) in enumerate(counted):
            if len({claim.row.instance_id for claim in claims.values()}) > 1:
                groups[number] = list(claims)
            else:  # a system claims an instance once
                one.systems = sum(claim.systems for claim in claims.values())
        for number, systems in count_systems(groups, submissions).items():
            counted[number][0].systems = systems

    def _marked_ends(
        self, document: Document, relation: Relation, names: Mapping[tuple[Span, str], Span]
    ) -> tuple[int | None, int | None, bool]:
        """Return the subject's and the object's entity, and whether the object is a string or a date."""
        own = self._ontology.relations_by_name[relation.predicate]

        def find(span: Span, kind: str) -> int | None:
            name = names.get((span, kind))
            return None if name is None else self._places.get((document.pk, kind, name))

        objects = (find(relation.object, kind) for kind in own.object_types)
        is_text = any(
            (relation.object, kind) in names and not self._ontology.find_type(kind).is_entity
            for kind in own.object_types
        )
        object_ = next((one for one in objects if one is not None), None)
        return find(relation.subject, own.subject_type), object_, is_text and object_ is None

    def _find(
        self,
        document: Document,
        relation: Relation,
        subject: int | None,
        object_: int | None,
        is_text: bool,
    ) -> Source | None:
        """Return the source of a relation at a place; None where an end has no name."""
        words = words_of(document.text, relation.object)[:LONGEST].strip() if is_text else ""
        if is_blotted(document.text) or subject is None or (object_ is None and not folded(words)):
            return None
        if object_ is not None and self._ontology.relations_by_name[relation.predicate].is_symmetric:
            subject, object_ = sorted((subject, object_), key=lambda number: self._entities[number].key)
        gathered = self.found[Fact(subject, relation.predicate, object_, folded(words))]
        if words:
            gathered.written[words] += 1
        place = (document.pk, relation)
        return gathered.sources.setdefault(place, Source(document.pk, relation))


def _with_values(
    claims: Iterable[tuple[int, Sequence[DistinctClaim]]],
) -> Iterator[tuple[int, list[tuple[DistinctClaim, bool | None]]]]:
    """Add to claims what is published of them, with few queries for some hundred documents."""
    left = iter(claims)
    while some := list(islice(left, AT_ONCE)):
        published = set(
            Question.objects.filter(
                document__in=[pk for pk, _ in some], published_at__isnull=False
            ).values_list("document_id", flat=True)
        )
        judged = [claim for pk, own in some if pk in published for claim in own]
        verdicts = published_verdicts_on([claim.row for claim in judged])
        values = {claim.id: verdict.overall for claim, verdict in zip(judged, verdicts, strict=True)}
        for pk, own in some:
            yield pk, [(claim, values.get(claim.id)) for claim in own]


def _of(values: Iterable[bool | None]) -> bool | None:
    """Return True if any is true, else None if any is not known, else False."""
    listed = list(values)
    if True in listed:
        return True
    return None if None in listed else False
