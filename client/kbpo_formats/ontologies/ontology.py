"""What an ontology is: types, relations, the predicates by which files name them, and examples. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Literal, get_args

from kbpo_formats.errors import InvalidInput

TypeKind = Literal["entity", "date", "number", "string"]
Turn = Literal["no", "swap", "symmetric"]
Reason = Literal["deprecated", "misspelled"]

TYPE_KINDS: tuple[TypeKind, ...] = get_args(TypeKind)
REASONS: tuple[Reason, ...] = get_args(Reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class MentionType:
    """A type that a mention may have.

    Attributes
    ----------
    name : str
        As in ``PER``.
    word : str
        For people, as in ``person``.
    kind : {"entity", "date", "number", "string"}
        What it stands for. Files have a node for an entity and a string for the others; an entity is linked
        to a page, a date to a date, and the others to nothing.
    guideline : str
        What is marked as such; empty where nobody is asked for it.
    key : str
        The letter by which it is given; empty where nobody is asked for it.
    is_asked : bool
        Whether people mark mentions of it. Others may stand in files, and no relation is about them.
    """

    name: str
    word: str
    kind: TypeKind
    guideline: str = ""
    key: str = ""
    is_asked: bool = True

    @property
    def is_entity(self) -> bool:
        """Say whether its mentions are of entities, which have canonical mentions."""
        return self.kind == "entity"

    @property
    def link(self) -> Literal["page", "date"] | None:
        """What its mentions are linked to; None if to nothing."""
        if self.kind == "entity":
            return "page"
        return "date" if self.kind == "date" else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A relation as it is stored, asked and scored.

    Attributes
    ----------
    name : str
        As in ``per:parents``.
    subject_type : str
        An entity's.
    object_types : tuple of str
        At most one of them no entity's.
    label : str
        For lists and filters.
    statement : str
        The claim in plain words, with ``{subject}`` and ``{object}``.
    reverse : str
        The same, told of the object.
    guideline : str
        When it holds.
    is_symmetric : bool
        The subject is the mention that starts first.
    is_single_valued : bool
        Whether a subject can have one object only.
    """

    name: str
    subject_type: str
    object_types: tuple[str, ...]
    label: str
    statement: str
    reverse: str
    guideline: str
    is_symmetric: bool = False
    is_single_valued: bool = False

    def admits(self, subject_type: str, object_type: str) -> bool:
        """Say whether mentions of these types can stand in this relation."""
        return subject_type == self.subject_type and object_type in self.object_types


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicate:
    """A name by which files state a relation, in its direction or the other one.

    Attributes
    ----------
    name : str
        As in ``per:children``.
    subject_type : str
    object_types : tuple of str
    stored_as : tuple of (str, str)
        The relation that it states, for each type of the object; empty where it is read and not scored.
    turn : {"no", "swap", "symmetric"}
        Whether subject and object change places when stored; ``symmetric``: the mention that starts first
        is the subject.
    inverses : tuple of (str, str)
        The predicate that says the same the other way round, for each type of the object that has one.
    is_single_valued : bool
        Whether a subject can have one object only.
    """

    name: str
    subject_type: str
    object_types: tuple[str, ...]
    stored_as: tuple[tuple[str, str], ...] = ()
    turn: Turn = "no"
    inverses: tuple[tuple[str, str], ...] = ()
    is_single_valued: bool = False

    @property
    def bare_name(self) -> str:
        """Its name without the subject type's prefix, if it has one."""
        return self.name.rpartition(":")[2]

    def relation_for(self, object_type: str) -> str | None:
        """Return the name of the relation that a claim with an object of `object_type` is stored as."""
        return dict(self.stored_as).get(object_type)

    def inverse_for(self, object_type: str) -> str | None:
        """Return the name of the predicate that says the same of an object of `object_type`, if any."""
        return dict(self.inverses).get(object_type)


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """A deprecated or misspelled name of a predicate and the right one, without the subject type's prefix."""

    reason: Reason
    subject_types: tuple[str, ...]
    alias: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A text with two marked mentions and the relations that hold between them, for the tutorial.

    Attributes
    ----------
    text : str
        With the mentions marked, as in ``[Ada|PER]``.
    holds : tuple of (str, int)
        Relations, each with the number of the mention that is its subject (0 or 1); empty: none holds.
    explanation : str
    is_practice : bool
        Whether it is asked before it is explained.
    """

    text: str
    holds: tuple[tuple[str, int], ...]
    explanation: str
    is_practice: bool = False


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that may hold between the two mentions of a pair.

    Attributes
    ----------
    relation : Relation
    subject : int
        Which mention of the pair is the subject: 0 or 1. Always 0 for a symmetric relation.
    """

    relation: Relation
    subject: int


@dataclass(frozen=True, kw_only=True)
class Ontology:
    """Types and relations, under a name and a version; what has a version never changes.

    `kbpo_formats.ontologies.reading` makes one of a file and refuses contradictions; `.normal` has its normal
    form and its digest.

    Attributes
    ----------
    name : str
        As in ``tac-kbp``.
    version : int
        From 1.
    title : str
        For people.
    types, relations : tuple
        In the order in which they are listed and offered; colours follow the types'.
    predicates : tuple of Predicate
        What files may state.
    aliases : tuple of Alias
    examples : tuple of Example
    source : str
        Where it comes from, and under which licence.
    """

    name: str
    version: int
    title: str
    types: tuple[MentionType, ...]
    relations: tuple[Relation, ...]
    predicates: tuple[Predicate, ...]
    aliases: tuple[Alias, ...] = ()
    examples: tuple[Example, ...] = ()
    source: str = ""

    def __str__(self) -> str:
        return self.reference

    @property
    def reference(self) -> str:
        """Its name and version, as in ``tac-kbp@1``."""
        return f"{self.name}@{self.version}"

    @cached_property
    def has_practice(self) -> bool:
        """Whether a tutorial can be made of its examples."""
        return any(one.is_practice for one in self.examples)

    @cached_property
    def types_by_name(self) -> Mapping[str, MentionType]:
        """Every type, in order."""
        return MappingProxyType({one.name: one for one in self.types})

    @cached_property
    def relations_by_name(self) -> Mapping[str, Relation]:
        """Every relation, in order."""
        return MappingProxyType({one.name: one for one in self.relations})

    @cached_property
    def predicates_by_name(self) -> Mapping[str, Predicate]:
        """Every predicate, in order."""
        return MappingProxyType({one.name: one for one in self.predicates})

    @cached_property
    def mention_types(self) -> tuple[MentionType, ...]:
        """The types that people mark."""
        return tuple(one for one in self.types if one.is_asked)

    @cached_property
    def mention_types_by_name(self) -> Mapping[str, MentionType]:
        """The types that people mark, in order."""
        return MappingProxyType({one.name: one for one in self.mention_types})

    @cached_property
    def entity_types(self) -> tuple[MentionType, ...]:
        """The types of entities, as files may have them."""
        return tuple(one for one in self.types if one.is_entity)

    def find_type(self, name: str) -> MentionType:
        """Return the type of a name; `InvalidInput` if there is none, with those there are."""
        found = self.types_by_name.get(name)
        if found is None:
            known = ", ".join(one.name for one in self.mention_types)
            raise InvalidInput(f"unknown type {name!r:.80}; {self.reference} has {known}")
        return found

    def find_relation(self, name: str) -> Relation:
        """Return the relation of a name; `InvalidInput` if there is none, with those there are."""
        found = self.relations_by_name.get(name)
        if found is None:
            known = ", ".join(self.relations_by_name)
            raise InvalidInput(f"unknown relation {name!r:.80}; {self.reference} has {known}")
        return found

    def type_class(self, name: str) -> str:
        """Return the class of a type's colour on pages, by its place: ``type-1`` is the first one's.

        Types that people are not asked for have none: ``type-0``.
        """
        return f"type-{self._places.get(name, 0)}"

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {one.name: place for place, one in enumerate(self.mention_types, 1)}

    def options(self, first_type: str, second_type: str) -> tuple[Option, ...]:
        """List what may hold between two mentions of these types, in either direction.

        Parameters
        ----------
        first_type, second_type : str
            The types of the mention that starts first and of the other.

        Returns
        -------
        tuple of Option
            In the ontology's order; empty where the types admit no relation.
        """
        return self._options.get((first_type, second_type), ())

    @cached_property
    def _options(self) -> Mapping[tuple[str, str], tuple[Option, ...]]:
        found: dict[tuple[str, str], list[Option]] = {}
        for relation in self.relations:
            for object_type in relation.object_types:
                found.setdefault((relation.subject_type, object_type), []).append(Option(relation, 0))
                if not relation.is_symmetric:
                    found.setdefault((object_type, relation.subject_type), []).append(Option(relation, 1))
        return {pair: tuple(options) for pair, options in found.items()}
