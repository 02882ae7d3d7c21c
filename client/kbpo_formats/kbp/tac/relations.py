"""The relation lines of a file: which predicate and entities they mean, and what is wrong with them."""

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import repeat
from typing import Any, Generic, NamedTuple, TypeVar, cast

from kbpo_formats.kbp.predicates import Verb, Vocabulary
from kbpo_formats.kbp.tac.entities import Entities, Entity
from kbpo_formats.kbp.tac.problems import ProblemLog
from kbpo_formats.kbp.tac.syntax import Place, PlaceReader, is_string, unquoted


class Row(NamedTuple):
    """A relation line as it stands, until the types of all entities are known.

    The subject is None where its name is none.
    """

    line: int
    subject: Entity | None
    predicate: str
    object: str
    provenance: str
    confidence: float


class Assertion(NamedTuple):
    """A relation line whose predicate and entities are known.

    Attributes
    ----------
    line : int
    verb : Verb
    subject : Entity
    object : Entity or str
        A string without its quotes.
    provenance : str
        As it stands in the file.
    confidence : float
    """

    line: int
    verb: Verb
    subject: Entity
    object: Entity | str
    provenance: str
    confidence: float

    def __str__(self) -> str:
        return f"{self.verb}({self.subject}, {self.object})"


class Claim(NamedTuple):
    """An assertion that may become an instance, with its provenance read."""

    assertion: Assertion
    places: list[Place]


Kind = TypeVar("Kind", Row, Assertion)


class Packed(Generic[Kind]):
    """Rows or assertions in columns: a file may have millions, and as objects they take thrice the room.

    Parameters
    ----------
    kind : type
        `Row` or `Assertion`.
    """

    def __init__(self, kind: type[Kind]) -> None:
        self._kind: type[Kind] = kind
        self._lines = array("i")
        self._fields: list[object] = []  # subject, what it is said to be, object and provenance of each
        self._confidences = array("d")

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, i: int) -> Kind:
        kind = cast("Callable[..., Kind]", self._kind)
        return kind(self._lines[i], *self._fields[4 * i : 4 * i + 4], self._confidences[i])

    def __iter__(self) -> Iterator[Kind]:
        fields = iter(self._fields)
        rows = zip(self._lines, fields, fields, fields, fields, self._confidences, strict=True)
        made: Any = map(tuple.__new__, repeat(self._kind), rows)  # not one by one in Python
        return cast("Iterator[Kind]", made)

    def append(self, one: Kind) -> None:
        """Add one."""
        self._lines.append(one[0])
        self._fields += one[1:5]
        self._confidences.append(one[5])


Triple = tuple[str, Entity, Entity | str]


class Relations:
    """Checks the relation lines of one file.

    Parameters
    ----------
    entities : Entities
        Every line that says something of one entity must have been read.
    places : PlaceReader
    log : ProblemLog
    vocabulary : Vocabulary
    """

    def __init__(
        self, entities: Entities, places: PlaceReader, log: ProblemLog, vocabulary: Vocabulary
    ) -> None:
        self._entities = entities
        self._vocabulary = vocabulary
        self._places = places
        self._log = log
        self._fills: dict[tuple[str, Entity], Entity | str] = {}

    def resolve(self, rows: Iterable[Row]) -> Iterator[Assertion]:
        """Yield the lines whose predicate is known and whose object is of its kind; report the others.

        It ends early where these are too many.
        """
        log, vocabulary = self._log, self._vocabulary
        for line, subject, said, text, provenance, confidence in rows:
            verb, finding = vocabulary.meaning_of(said, subject.asserted_type if subject else None)
            if finding is not None:
                values: tuple[object, ...] = finding.values
                if finding.code == "ILLEGAL_PREDICATE":
                    hint = vocabulary.suggestion_for(said) if log.lists(finding.code) else ""
                    values = (repr(said), "", vocabulary.called, vocabulary.example, hint)
                log.add(finding.code, line, said, *values, column=2)
            if verb is None or subject is None:
                self._places.read(provenance, line)
                if log.ends_at(line):
                    return
                continue
            subject.infer(verb.subject_type, 0, line)
            if verb.literal_type is not None:
                if is_string(text):
                    yield Assertion(line, verb, subject, unquoted(text), provenance, confidence)
                    continue
                if not verb.entity_types:
                    log.add("UNQUOTED_STRING", line, text, text, column=3)
                    yield Assertion(line, verb, subject, text, provenance, confidence)
                    continue
            filler = self._entities.get(text) or self._entities.named(text, line, 3)
            if filler is None:
                self._places.read(provenance, line)
                continue
            if not filler.object_line:
                filler.object_line = line
            if len(verb.entity_types) == 1:
                filler.infer(verb.entity_types[0], 1, line)
            yield Assertion(line, verb, subject, filler, provenance, confidence)

    def check(self, assertions: Packed[Assertion]) -> Iterator[Claim]:
        """Check each line by itself and against those before it; yield what is in order.

        To be exhausted: the checks for inverses follow the last claim.
        """
        log = self._log
        entities = self._entities
        facts: dict[Triple, int] = {}  # the place of each among the assertions
        justifications = _Justifications(assertions, self._places.quiet())
        for i, assertion in enumerate(assertions):
            line, verb, subject, filler, provenance, _ = assertion
            types = verb.entity_types
            agrees = (
                isinstance(filler, str) or filler.type in types or entities.check_use(filler, types, line)
            )
            places = self._places.read(provenance, line)
            if verb.is_single_valued:
                self._check_fill(line, verb.name, subject, filler)
            triple = (verb.name, subject, filler)
            first = facts.setdefault(triple, i)
            if places is None:
                continue
            if first != i:
                code = "DUPLICATE_ASSERTION" if justifications.add(first, places) else "REPEATED_ASSERTION"
                log.add(code, line, assertion, verb, subject, filler, assertions[first].line)
                if code == "REPEATED_ASSERTION":
                    continue
            attested = self._check_attested(assertion, subject, places)
            if not isinstance(filler, str):
                attested = self._check_attested(assertion, filler, places) and attested
            if agrees and attested:
                yield Claim(assertion, places)
        self._check_inverses(facts, assertions)

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

    def _check_inverses(self, facts: Mapping[Triple, int], assertions: Packed[Assertion]) -> None:
        """Report each relation between two entities that is asserted in one direction only."""
        added: set[Triple] = set()
        for (name, subject, filler), first in facts.items():
            if isinstance(filler, str) or filler.type is None:
                continue
            inverse = self._vocabulary.verbs[name].inverses.get(filler.type)
            if inverse is None:
                continue
            triple = (inverse.name, filler, subject)
            if triple in facts or triple in added:
                continue
            added.add(triple)
            line = assertions[first].line
            text = f"{name}({subject}, {filler})"
            self._log.add("MISSING_INVERSE", line, text, name, subject, filler, inverse.name)
            if inverse.is_single_valued:
                self._check_fill(line, inverse.name, filler, subject)


class _Justifications:
    """The provenance of what several lines assert.

    Parameters
    ----------
    assertions : Packed of Assertion
    places : PlaceReader
        Reports nothing: what is read by it was read before.
    """

    def __init__(self, assertions: Packed[Assertion], places: PlaceReader) -> None:
        self._assertions = assertions
        self._places = places
        self._several: set[int] = set()
        self._known: set[str] = set()

    def add(self, first: int, places: list[Place]) -> bool:
        """Say whether no line had this provenance, in any order, since the first with this fact."""
        if first not in self._several:
            self._several.add(first)
            _, _, _, _, provenance, _ = self._assertions[first]
            self._known.add(_key(first, self._places.read(provenance, 0) or []))
        key = _key(first, places)
        if key in self._known:
            return False
        self._known.add(key)
        return True


def _key(first: int, places: list[Place]) -> str:
    shown = [f"{doc_id}:{start}-{end}" for doc_id, (start, end) in places]
    return " ".join((str(first), *sorted(shown)))
