"""The relation lines of a file: which predicate and entities they mean, and what is wrong with them."""

from collections.abc import Iterator
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

        To be exhausted: the checks for inverses follow the last claim.
        """
        log = self._log
        entities = self._entities
        first: dict[Triple, tuple[int, list[Place]]] = {}
        provenances: dict[Triple, set[tuple[Place, ...]]] = {}
        for assertion in assertions:
            line, predicate, subject, filler, provenance, _ = assertion
            types = predicate.object_types
            agrees = (
                isinstance(filler, str) or filler.type in types or entities.check_use(filler, types, line)
            )
            places = self._places.read(provenance, line)
            if predicate.single_valued:
                self._check_fill(assertion, predicate.name, subject, filler)
            if places is None:
                continue
            triple = (predicate.name, subject, filler)
            first_line, first_places = first.setdefault(triple, (line, places))
            if first_line != line:
                seen = provenances.setdefault(triple, {tuple(sorted(first_places))})
                provenance_key = tuple(sorted(places))
                code = "REPEATED_ASSERTION" if provenance_key in seen else "DUPLICATE_ASSERTION"
                log.add(code, line, assertion, predicate.name, subject, filler, first_line)
                if code == "REPEATED_ASSERTION":
                    continue
                seen.add(provenance_key)
            attested = self._check_attested(assertion, subject, places)
            if not isinstance(filler, str):
                attested = self._check_attested(assertion, filler, places) and attested
            if agrees and attested:
                yield Claim(assertion, places)
        self._check_inverses(assertions)

    def _check_fill(
        self, assertion: Assertion, predicate: str, subject: Entity, filler: Entity | str
    ) -> None:
        fill = self._fills.setdefault((predicate, subject), filler)
        if fill != filler:
            values = (subject, predicate, fill, filler)
            self._log.add("MULTIPLE_FILLS_ENTITY", assertion.line, assertion, *values)

    def _check_attested(self, assertion: Assertion, entity: Entity, places: list[Place]) -> bool:
        for place in places:
            if place.doc_id in entity.mentions:
                return True
        documents = ", ".join(dict.fromkeys(place.doc_id for place in places))
        values = (assertion, entity, documents)
        self._log.add("UNATTESTED_RELATION_ENTITY", assertion.line, assertion, *values)
        return False

    def _check_inverses(self, assertions: list[Assertion]) -> None:
        """Report each relation between two entities that is asserted in one direction only."""
        asserted = {(a.predicate.name, a.subject, a.object) for a in assertions}
        for assertion in assertions:
            line, predicate, subject, filler, _, _ = assertion
            if isinstance(filler, str) or predicate.inverse is None or filler.type is None:
                continue
            inverse = _inverse(predicate.inverse, filler.type)
            if inverse is None or (inverse.name, filler, subject) in asserted:
                continue
            asserted.add((inverse.name, filler, subject))
            values = (predicate.name, subject, filler, inverse.name)
            self._log.add("MISSING_INVERSE", line, assertion, *values)
            if inverse.single_valued:
                self._check_fill(assertion, inverse.name, filler, subject)


@lru_cache
def _inverse(name: str, subject_type: str) -> Predicate | None:
    return PREDICATES.get(f"{subject_type.lower()}:{name}")
