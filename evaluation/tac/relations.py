"""The relation lines of a file: which predicate and entities they mean, and what is wrong with them."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from evaluation.tac.entities import Entities, Entity
from evaluation.tac.predicates import relation_of, suggestion_for
from evaluation.tac.problems import ProblemLog
from evaluation.tac.syntax import Place, PlaceReader, is_string, unquoted
from kbpo.core.ontology import PREDICATES, Predicate


class Row(NamedTuple):
    """A relation line as it stands, until the types of all entities are known.

    The subject is None where its name is none.
    """

    line: int
    subject: Entity | None
    verb: str
    object: str
    provenance: str
    confidence: float


class Assertion(NamedTuple):
    """A relation line whose predicate and entities are known.

    Attributes
    ----------
    line : int
    predicate : Predicate
    subject : Entity
    object : Entity or str
        A string without its quotes.
    provenance : str
        As it stands in the file.
    confidence : float
    """

    line: int
    predicate: Predicate
    subject: Entity
    object: Entity | str
    provenance: str
    confidence: float

    def __str__(self) -> str:
        return f"{self.predicate.name}({self.subject}, {self.object})"


class Claim(NamedTuple):
    """An assertion that may become an instance, with its provenance read."""

    assertion: Assertion
    places: list[Place]


Triple = tuple[str, Entity, Entity | str]


class Relations:
    """Checks the relation lines of one file.

    Parameters
    ----------
    entities : Entities
        Every line that says something of one entity must have been read.
    places : PlaceReader
    log : ProblemLog
    """

    def __init__(self, entities: Entities, places: PlaceReader, log: ProblemLog) -> None:
        self._entities = entities
        self._places = places
        self._log = log
        self._fills: dict[tuple[str, Entity], Entity | str] = {}

    def resolve(self, rows: list[Row]) -> Iterator[Assertion]:
        """Yield the lines whose predicate is known and whose object is of its kind; report the others.

        The rows are taken out of their list, so that each line is held once.
        """
        log = self._log
        rows.reverse()
        while rows:
            line, subject, verb, text, provenance, confidence = rows.pop()
            predicate, finding = relation_of(verb, subject.asserted_type if subject else None)
            if finding is not None:
                values: tuple[object, ...] = finding.values
                if finding.code == "ILLEGAL_PREDICATE":
                    hint = suggestion_for(verb) if log.lists(finding.code) else ""
                    values = (repr(verb), "", hint)
                log.add(finding.code, line, verb, *values, column=2)
            if predicate is None or subject is None:
                self._places.read(provenance, line)
                continue
            subject.infer(predicate.subject_type, 0, line)
            if predicate.takes_string:
                if is_string(text):
                    text = unquoted(text)
                else:
                    log.add("UNQUOTED_STRING", line, text, text, column=3)
                yield Assertion(line, predicate, subject, text, provenance, confidence)
                continue
            filler = self._entities.get(text) or self._entities.named(text, line, 3)
            if filler is None:
                self._places.read(provenance, line)
                continue
            if not filler.object_line:
                filler.object_line = line
            if len(predicate.object_types) == 1:
                filler.infer(predicate.object_types[0], 1, line)
            yield Assertion(line, predicate, subject, filler, provenance, confidence)

    def check(self, assertions: list[Assertion]) -> Iterator[Claim]:
        """Check each line by itself and against those before it; yield what is in order.

        To be exhausted: the checks for inverses follow the last claim. The assertions are taken out of their
        list.
        """
        log = self._log
        entities = self._entities
        facts: dict[Triple, _Fact] = {}
        assertions.reverse()
        while assertions:
            assertion = assertions.pop()
            line, predicate, subject, filler, provenance, _ = assertion
            types = predicate.object_types
            agrees = (
                isinstance(filler, str) or filler.type in types or entities.check_use(filler, types, line)
            )
            places = self._places.read(provenance, line)
            if predicate.single_valued:
                self._check_fill(line, predicate.name, subject, filler)
            triple = (predicate.name, subject, filler)
            fact = facts.get(triple)
            if fact is None:
                fact = facts[triple] = _Fact(line)
            if places is None:
                continue
            if not fact.places:
                fact.places = places
            else:
                code = "DUPLICATE_ASSERTION" if fact.is_new(places) else "REPEATED_ASSERTION"
                log.add(code, line, assertion, predicate.name, subject, filler, fact.line)
                if code == "REPEATED_ASSERTION":
                    continue
            attested = self._check_attested(assertion, subject, places)
            if not isinstance(filler, str):
                attested = self._check_attested(assertion, filler, places) and attested
            if agrees and attested:
                yield Claim(assertion, places)
        self._check_inverses(facts)

    def _check_fill(self, line: int, predicate: str, subject: Entity, filler: Entity | str) -> None:
        fill = self._fills.setdefault((predicate, subject), filler)
        if fill != filler:
            text = f"{predicate}({subject}, {filler})"
            self._log.add("MULTIPLE_FILLS_ENTITY", line, text, subject, predicate, fill, filler)

    def _check_attested(self, assertion: Assertion, entity: Entity, places: list[Place]) -> bool:
        for place in places:
            if place.doc_id in entity.mentions:
                return True
        documents = ", ".join(dict.fromkeys(place.doc_id for place in places))
        values = (assertion, entity, documents)
        self._log.add("UNATTESTED_RELATION_ENTITY", assertion.line, assertion, *values)
        return False

    def _check_inverses(self, facts: Mapping[Triple, "_Fact"]) -> None:
        """Report each relation between two entities that is asserted in one direction only."""
        added: set[Triple] = set()
        for (name, subject, filler), fact in facts.items():
            if isinstance(filler, str) or filler.type is None:
                continue
            inverse = _inverse(name, filler.type)
            if inverse is None:
                continue
            triple = (inverse.name, filler, subject)
            if triple in facts or triple in added:
                continue
            added.add(triple)
            text = f"{name}({subject}, {filler})"
            self._log.add("MISSING_INVERSE", fact.line, text, name, subject, filler, inverse.name)
            if inverse.single_valued:
                self._check_fill(fact.line, inverse.name, filler, subject)


class _Fact:
    """What was asserted of a subject and an object: the first line, and its justifications."""

    __slots__ = ("_seen", "line", "places")

    def __init__(self, line: int) -> None:
        self.line = line
        self.places: list[Place] = []
        self._seen: set[tuple[Place, ...]] | None = None

    def is_new(self, places: list[Place]) -> bool:
        """Say whether no line had this provenance, in any order; remember it."""
        if self._seen is None:
            self._seen = {tuple(sorted(self.places))}
        key = tuple(sorted(places))
        if key in self._seen:
            return False
        self._seen.add(key)
        return True


@lru_cache
def _inverse(predicate: str, object_type: str) -> Predicate | None:
    return PREDICATES.get(f"{object_type.lower()}:{PREDICATES[predicate].inverse}")
