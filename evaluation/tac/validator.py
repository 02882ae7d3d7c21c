"""One pass over the lines of a file, then the checks that need all of it."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from evaluation.tac.entities import CANONICAL, NAMED, NOMINAL, Entities, Entity
from evaluation.tac.predicates import Structure, relation_of, structure_of, suggestion_for
from evaluation.tac.problems import Format, ProblemLog
from evaluation.tac.syntax import (
    LIMITS,
    Place,
    PlaceReader,
    columns,
    confidence_of,
    is_number,
    is_string,
    unquoted,
)
from kbpo.core.ontology import ENTITY_TYPES, PREDICATES, Predicate

_KINDS = {"canonical_mention": CANONICAL, "mention": NAMED, "nominal_mention": NOMINAL}
_LAYOUT = {
    3: "entity, type or link, value, and, if wanted, a confidence",
    4: "entity, predicate, object, provenance, and, if wanted, a confidence",
}


class Row(NamedTuple):
    """A relation line as it stands, until the types of all entities are known."""

    line: int
    subject: Entity
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


class Validator:
    """Reads the lines of one file and reports everything that is wrong with them.

    Parameters
    ----------
    format : {"tac2015", "tac2016"}
    documents : mapping of str to int
        The number of characters of each document of the corpus.
    log : ProblemLog

    Attributes
    ----------
    run_id : str
        Empty if the file has none.
    entities : Entities
    counts : Counter of str
        Lines read: ``lines``, ``mentions``, ``relation_lines``.
    """

    def __init__(self, format: Format, documents: Mapping[str, int], log: ProblemLog) -> None:
        limits = LIMITS[format]
        self._log = log
        self._places = PlaceReader(documents, limits, log)
        self._scientific = log.knows("IMPROPER_CONFIDENCE_VALUE")
        self._rows: list[Row] = []
        self._typed_uses: list[tuple[int, Entity, str, str]] = []
        self._fills: dict[tuple[str, Entity], Entity | str] = {}
        self.run_id = ""
        self.entities = Entities(log, limits)
        self.counts: Counter[str] = Counter(lines=0, mentions=0, relation_lines=0)

    def read(self, lines: Iterator[tuple[int, str]]) -> None:
        """Read all lines, of which the first holds the run id.

        Parameters
        ----------
        lines : iterator of tuple of int and str
            Numbered from 1; a number may be left out, its line having been reported already.
        """
        first = next(lines, None)
        if first is None:
            if not self._log.has_errors:
                self._log.add("MISSING_RUNID", 1, "", "")
            return
        number, text = first
        if number > 1 or not self._read_run_id(text):
            self._read_line(number, text)
        for number, text in lines:
            self._read_line(number, text)
        self.counts["lines"] = number
        self.counts["relation_lines"] = len(self._rows)

    def check(self) -> Iterator[Claim]:
        """Check what needs the whole file, and yield the relations that are in order, line by line.

        To be exhausted: the last checks follow the last claim.
        """
        assertions = list(self._resolved())
        self.entities.check_types()
        for line, entity, type, verb in self._typed_uses:
            if entity.asserted_type not in (None, type):
                values = (entity.asserted_type, verb, type)
                self._log.add("SUBJECT_PREDICATE_MISMATCH", line, entity.name, *values, column=2)
        self.entities.settle_mentions()
        yield from self._checked(assertions)
        self._check_inverses(assertions)

    def _read_run_id(self, line: str) -> bool:
        """Say whether the first line is used up: a file without a run id may begin with an assertion."""
        cells = columns(line)
        if len(cells) == 1 and not cells[0].startswith(":") and len(cells[0].split()) == 1:
            self.run_id = cells[0]
            return True
        self._log.add("MISSING_RUNID", 1, line, line)
        return len(cells) < 3

    def _read_line(self, number: int, text: str) -> None:
        cells = columns(text)
        if not cells:
            return
        verb = cells[1] if len(cells) > 1 else ""
        structure = structure_of(verb)
        expected = 3 if structure and structure.name in ("type", "link") else 4
        count = len(cells)
        if expected == count == 4 and is_number(cells[3]):
            count = 3  # the last is a confidence, so the provenance is missing
        if not expected <= count <= expected + 1:
            self._log.add("WRONG_NUM_ENTRIES", number, text, expected, count, _LAYOUT[expected])
            return
        confidence = self._confidence(cells[expected], number, expected + 1) if count > expected else 1.0
        name = cells[0]
        subject = self.entities.get(name) or self.entities.named(name, number, 1)
        if subject is None:
            return
        if not subject.subject_line:
            subject.subject_line = number
        if structure is None:
            self._rows.append(Row(number, subject, verb, cells[2], cells[3], confidence))
            return
        if structure.finding is not None:
            self._log.add(structure.finding.code, number, verb, *structure.finding.values, column=2)
        if structure.subject_type is not None:
            self._typed_uses.append((number, subject, structure.subject_type, verb))
        if structure.name == "type":
            self._read_type(number, subject, cells[2])
        elif structure.name == "link":
            self._read_link(number, subject, cells[2])
        else:
            self._read_mention(number, subject, structure, cells[2], cells[3])

    def _confidence(self, text: str, line: int, column: int) -> float:
        value, code = confidence_of(text, self._scientific)
        if code is not None:
            self._log.add(code, line, text, text, value, column=column)
        return value

    def _read_type(self, line: int, subject: Entity, text: str) -> None:
        type = text.upper()
        if type in ENTITY_TYPES:
            subject.types.setdefault(type, line)
        else:
            subject.flawed_type = True
            self._log.add("ILLEGAL_ENTITY_TYPE", line, text, text, column=3)

    def _read_link(self, line: int, subject: Entity, text: str) -> None:
        base, colon, id = (unquoted(text) if is_string(text) else text).partition(":")
        if not colon or not base or not id:
            self._log.add("ILLEGAL_LINK_SPECIFICATION", line, text, text, column=3)
        elif subject.links.setdefault(base, id) != id:
            self._log.add("MULTIPLE_LINKS", line, text, subject.name, base, subject.links[base], id, column=3)

    def _read_mention(
        self, line: int, subject: Entity, structure: Structure, string: str, provenance: str
    ) -> None:
        self.counts["mentions"] += 1
        if not is_string(string):
            self._log.add("UNQUOTED_STRING", line, string, string, column=3)
        places = self._places.read(provenance, line)
        if places is None:
            # The document counts as one that mentions the entity, lest one fault bring others after it.
            subject.mentions_in(provenance.split(",")[0].rpartition(":")[0].strip()).flawed = True
            return
        if len(places) > 1:
            self._log.add("EXTRA_MENTION_SPANS", line, provenance, len(places), column=4)
        doc_id, span = places[0]
        subject.mentions_in(doc_id).asserted.append((_KINDS[structure.name], span, line))

    def _resolved(self) -> Iterator[Assertion]:
        """Yield the relation lines whose predicate is known and whose object is of its kind."""
        log = self._log
        for line, subject, verb, text, provenance, confidence in self._rows:
            predicate, finding = relation_of(verb, subject.asserted_type)
            if finding is not None:
                values: tuple[object, ...] = finding.values
                if finding.code == "ILLEGAL_PREDICATE":
                    hint = suggestion_for(verb) if log.lists(finding.code) else ""
                    values = (repr(verb), "", hint)
                log.add(finding.code, line, verb, *values, column=2)
            if predicate is None:
                continue
            subject.infer(predicate.subject_type, 0, line)
            if predicate.takes_string:
                if is_string(text):
                    text = unquoted(text)
                else:
                    log.add("UNQUOTED_STRING", line, text, text, column=3)
                yield Assertion(line, predicate, subject, text, provenance, confidence)
                continue
            filler = self.entities.get(text) or self.entities.named(text, line, 3)
            if filler is None:
                continue
            if not filler.object_line:
                filler.object_line = line
            if len(predicate.object_types) == 1:
                filler.infer(predicate.object_types[0], 1, line)
            yield Assertion(line, predicate, subject, filler, provenance, confidence)
        self._rows.clear()

    def _checked(self, assertions: list[Assertion]) -> Iterator[Claim]:
        """Check each relation line by itself and against those before it; yield what is in order."""
        log = self._log
        first_lines: dict[tuple[str, Entity, Entity | str], int] = {}
        said: set[tuple[str, Entity, Entity | str, tuple[Place, ...]]] = set()
        for assertion in assertions:
            line, predicate, subject, filler, provenance, _ = assertion
            agrees = isinstance(filler, str) or self.entities.check_use(filler, predicate.object_types, line)
            places = self._places.read(provenance, line)
            if predicate.single_valued:
                self._check_fill(assertion, predicate.name, subject, filler)
            if places is None:
                continue
            first_line = first_lines.setdefault((predicate.name, subject, filler), line)
            key = (predicate.name, subject, filler, tuple(sorted(places)))
            if first_line != line:
                code = "REPEATED_ASSERTION" if key in said else "DUPLICATE_ASSERTION"
                log.add(code, line, str(assertion), predicate.name, subject.name, str(filler), first_line)
                if code == "REPEATED_ASSERTION":
                    continue
            said.add(key)
            attested = self._check_attested(assertion, subject, places)
            if not isinstance(filler, str):
                attested = self._check_attested(assertion, filler, places) and attested
            if agrees and attested:
                yield Claim(assertion, places)

    def _check_fill(
        self, assertion: Assertion, predicate: str, subject: Entity, filler: Entity | str
    ) -> None:
        fill = self._fills.setdefault((predicate, subject), filler)
        if fill != filler:
            values = (subject.name, predicate, str(fill), str(filler))
            self._log.add("MULTIPLE_FILLS_ENTITY", assertion.line, str(assertion), *values)

    def _check_attested(self, assertion: Assertion, entity: Entity, places: list[Place]) -> bool:
        if any(place.doc_id in entity.mentions for place in places):
            return True
        documents = ", ".join(dict.fromkeys(place.doc_id for place in places))
        self._log.add(
            "UNATTESTED_RELATION_ENTITY",
            assertion.line,
            str(assertion),
            str(assertion),
            entity.name,
            documents,
        )
        return False

    def _check_inverses(self, assertions: list[Assertion]) -> None:
        """Report each relation between two entities that is asserted in one direction only."""
        asserted = {(a.predicate.name, a.subject, a.object) for a in assertions}
        for assertion in assertions:
            line, predicate, subject, filler, _, _ = assertion
            if isinstance(filler, str) or predicate.inverse is None or filler.type is None:
                continue
            inverse = PREDICATES.get(f"{filler.type.lower()}:{predicate.inverse}")
            if inverse is None or (inverse.name, filler, subject) in asserted:
                continue
            asserted.add((inverse.name, filler, subject))
            values = (predicate.name, subject.name, filler.name, inverse.name)
            self._log.add("MISSING_INVERSE", line, str(assertion), *values)
            if inverse.single_valued:
                self._check_fill(assertion, inverse.name, filler, subject)
