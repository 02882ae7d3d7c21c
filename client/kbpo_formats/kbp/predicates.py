"""What the second column of a line means under an ontology, and which types entities may have."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType
from typing import NamedTuple

from kbpo_formats.ontologies.ontology import Alias, Ontology, Predicate, Relation, Turn

STRUCTURE = ("type", "link", "mention", "canonical_mention", "nominal_mention")

_KNOWN = 1 << 10  # columns whose meaning is held


class Finding(NamedTuple):
    """A problem with a predicate's name: the code, and what its templates want."""

    code: str
    values: tuple[str, ...]


class Structure(NamedTuple):
    """A predicate that says something of one entity rather than relating two.

    Attributes
    ----------
    name : str
        One of `STRUCTURE`.
    subject_type : str or None
        The type that stands before the name, if any.
    finding : Finding or None
    """

    name: str
    subject_type: str | None = None
    finding: Finding | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Verb:
    """A relation's predicate, with whatever a line of it needs looked up once.

    Attributes
    ----------
    name : str
        As the ontology has it.
    subject_type : str
    entity_types : tuple of str
        Those that its objects may have, where they are entities.
    object_types : tuple of str
        All of them.
    literal_type : str or None
        That of its objects that are strings in files; None where none is.
    is_single_valued : bool
    turn : {"no", "swap", "symmetric"}
    relations : mapping of str to Relation
        What a line is stored as, by the type of its object; none of a predicate that is not scored.
    inverses : mapping of str to Verb
        What says the same the other way round, by the type of the object.
    """

    name: str
    subject_type: str
    entity_types: tuple[str, ...]
    object_types: tuple[str, ...]
    literal_type: str | None
    is_single_valued: bool
    turn: Turn
    relations: Mapping[str, Relation]
    inverses: Mapping[str, "Verb"]

    def __str__(self) -> str:
        return self.name


class Meaning(NamedTuple):
    """A relation's predicate; None after an error."""

    verb: Verb | None
    finding: Finding | None = None


class Vocabulary:
    """What files may say under an ontology.

    Parameters
    ----------
    ontology : Ontology

    Attributes
    ----------
    ontology : Ontology
    entity_types : tuple of str
    verbs : mapping of str to Verb
        By name.
    called : str
        How faults name what they ask for: TAC's predicates are those of its task.
    example, prefixed : str
        A predicate as it may be written, and one that begins with its subject's type.
    """

    def __init__(self, ontology: Ontology) -> None:
        self.ontology = ontology
        self.entity_types = tuple(one.name for one in ontology.entity_types)
        self.verbs = _verbs(ontology)
        self.called = "the task" if ontology.name == "tac-kbp" else ontology.reference
        self.example, self.prefixed = _examples(ontology)
        self._types = frozenset(self.entity_types)
        self._by_bare_name: dict[str, list[Verb]] = {}
        for one in ontology.predicates:
            self._by_bare_name.setdefault(one.bare_name, []).append(self.verbs[one.name])
        self._aliases: dict[tuple[str, str], Alias] = {
            (subject_type, alias.alias): alias
            for alias in ontology.aliases
            for subject_type in alias.subject_types
        }
        self._aliases_of_structure = {
            alias.alias: alias for alias in ontology.aliases if alias.name in STRUCTURE
        }
        self._structures: dict[str, Structure | None] = {}
        self._meanings: dict[tuple[str, str | None], Meaning] = {}

    def structure_of(self, column: str) -> Structure | None:
        """Return what a predicate says of an entity, or None if it is a relation's."""
        try:
            return self._structures[column]
        except KeyError:
            found = self._structure_of(column)
            if len(self._structures) < _KNOWN:
                self._structures[column] = found
            return found

    def meaning_of(self, column: str, subject_type: str | None) -> Meaning:
        """Find the predicate of a relation.

        Parameters
        ----------
        column : str
            With or without the subject type's prefix; may be an alias.
        subject_type : str or None
            The type that is asserted for the subject, if there is one.
        """
        key = column, subject_type
        try:
            return self._meanings[key]
        except KeyError:
            found = self._meaning_of(column, subject_type)
            if len(self._meanings) < _KNOWN:
                self._meanings[key] = found
            return found

    def suggestion_for(self, column: str) -> str:
        """Say which predicate resembles a name most; empty where none does."""
        return _suggestion(column, (*self.verbs, *STRUCTURE))

    def unknown_type(self, name: str, *, suggests: bool) -> tuple[str, ...]:
        """Return what the fault of an unknown type wants, with or without the type that may be meant."""
        types = _listed(self.entity_types, "and")
        if self.called != self.ontology.reference:  # the task's own words
            return name, "", types, ""
        return name, f" of {self.called}", types, _suggestion(name, self.entity_types) if suggests else ""

    def _structure_of(self, column: str) -> Structure | None:
        prefix, colon, name = column.rpartition(":")
        subject_type = prefix.upper() if colon else None
        if subject_type is not None and subject_type not in self._types:
            return None
        if name in STRUCTURE:
            return Structure(name, subject_type)
        alias = self._aliases_of_structure.get(name)
        if alias is None or subject_type not in (None, *alias.subject_types):
            return None
        finding = Finding("PREDICATE_ALIAS", (alias.reason, name, alias.name))
        return Structure(alias.name, subject_type, finding)

    def _meaning_of(self, column: str, subject_type: str | None) -> Meaning:
        prefix, colon, name = column.partition(":")
        if colon:
            domain: str | None = prefix.upper()
            if domain not in self._types:
                begins = _listed(self._prefixes(), "or")
                return Meaning(None, Finding("ILLEGAL_PREDICATE_TYPE", (prefix, begins)))
            if subject_type is not None and subject_type != domain:
                return _mismatch(subject_type, column, domain or "")
        else:
            name, domain = column, subject_type
        finding = None
        alias = self._aliases.get((domain, name)) if domain else None
        if alias is not None:
            finding = Finding("PREDICATE_ALIAS", (alias.reason, name, alias.name))
            name = alias.name
        found = [verb for verb in self._by_bare_name.get(name, ()) if domain in (None, verb.subject_type)]
        if len(found) == 1:
            return Meaning(found[0], finding)
        exact = None if colon else self.verbs.get(column)  # its name has no prefix
        if exact is not None and subject_type not in (None, exact.subject_type):
            return _mismatch(subject_type or "", column, exact.subject_type)
        if exact is not None:
            return Meaning(exact)
        if not found:
            return Meaning(None, Finding("ILLEGAL_PREDICATE", (column,)))
        names = ", ".join(verb.name for verb in found)
        return Meaning(None, Finding("AMBIGUOUS_PREDICATE", (column, names, self.prefixed)))

    def _prefixes(self) -> list[str]:
        said = {one.subject_type for one in self.ontology.predicates}
        return [f"{name.lower()}:" for name in self.entity_types if name in said]


def _verbs(ontology: Ontology) -> Mapping[str, Verb]:
    kinds = ontology.types_by_name
    inverses: dict[str, dict[str, Verb]] = {one.name: {} for one in ontology.predicates}
    found = {}
    for one in ontology.predicates:
        literal = [name for name in one.object_types if not kinds[name].is_entity]
        found[one.name] = Verb(
            name=one.name,
            subject_type=one.subject_type,
            entity_types=tuple(name for name in one.object_types if kinds[name].is_entity),
            object_types=one.object_types,
            literal_type=literal[0] if literal else None,
            is_single_valued=one.is_single_valued,
            turn=one.turn,
            relations={kind: ontology.relations_by_name[name] for kind, name in one.stored_as},
            inverses=MappingProxyType(inverses[one.name]),
        )
    for one in ontology.predicates:
        inverses[one.name].update({kind: found[name] for kind, name in one.inverses})
    return MappingProxyType(found)


def _examples(ontology: Ontology) -> tuple[str, str]:
    def prefixed(one: Predicate) -> str:
        return f"{one.subject_type.lower()}:{one.bare_name}"

    known = ontology.predicates_by_name
    first = ontology.predicates[0]
    return (
        "per:children" if "per:children" in known else first.name,
        "per:parents" if "per:parents" in known else prefixed(first),
    )


def _mismatch(subject_type: str, column: str, wanted: str) -> Meaning:
    return Meaning(None, Finding("SUBJECT_PREDICATE_MISMATCH", (subject_type, column, wanted)))


def _suggestion(name: str, known: Iterable[str]) -> str:
    folded = {one.lower(): one for one in known}
    close = get_close_matches(name[:60].lower(), folded, n=1, cutoff=0.8)
    return f" Is {folded[close[0]]} meant?" if close else ""


def _listed(names: Iterable[str], word: str) -> str:
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first else last
