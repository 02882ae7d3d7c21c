"""One pass over the lines of a file, then the checks that need all of it."""

from collections import Counter
from collections.abc import Iterator
from sys import intern

from kbpo_formats.blotting import blotted, is_blotted
from kbpo_formats.corpus import Documents
from kbpo_formats.kbp.offsets import OffsetCheck
from kbpo_formats.kbp.predicates import Structure, Vocabulary
from kbpo_formats.kbp.tac.entities import CANONICAL, NAMED, NOMINAL, Entities, Entity
from kbpo_formats.kbp.tac.lengths import Lengths
from kbpo_formats.kbp.tac.problems import Format, ProblemLog
from kbpo_formats.kbp.tac.relations import Assertion, Claim, Packed, Relations, Row
from kbpo_formats.kbp.tac.syntax import (
    LIMITS,
    Place,
    PlaceReader,
    columns,
    confidence_of,
    is_number,
    is_string,
    same_text,
    unquoted,
)
from kbpo_formats.lines import BYTE_ORDER_MARK
from kbpo_formats.normal import normal_id
from kbpo_formats.problems import shorten

_KINDS = {"canonical_mention": CANONICAL, "mention": NAMED, "nominal_mention": NOMINAL}
_KNOWN_CONFIDENCES = 1 << 16
_LAYOUT = {
    3: "entity, type or link, value, and, if wanted, a confidence",
    4: "entity, predicate, object, provenance, and, if wanted, a confidence",
}


class Validator:
    """Reads the lines of one file and reports everything that is wrong with them.

    Parameters
    ----------
    format : {"tac2015", "tac2016"}
    documents : Documents
    vocabulary : Vocabulary
    log : ProblemLog

    Attributes
    ----------
    run_id : str
        Empty if the file has none.
    entities : Entities
    lengths : Lengths
    lines, relation_lines : int
        How many were read.
    mentions : Counter of str
        Mention lines, by predicate.
    predicates : Counter of str
        Relation lines, by the ontology's predicate; set by `check`.
    """

    def __init__(self, format: Format, documents: Documents, vocabulary: Vocabulary, log: ProblemLog) -> None:
        limits = LIMITS[format]
        self.lengths = Lengths(documents, log)
        self._log = log
        self._limits = limits
        self._documents = documents
        self._quotes_texts: bool = documents.about.get("quotes_texts", True)
        self._vocabulary = vocabulary
        self._places = PlaceReader(documents, limits, log)
        self._offsets = OffsetCheck(documents, ends_are_last=True)
        self._scientific = log.knows("IMPROPER_CONFIDENCE_VALUE")
        self._confidences: dict[str, float] = {}
        self._rows = Packed(Row)
        self._typed_uses: list[tuple[int, Entity, str, str]] = []
        self.run_id = ""
        self.entities = Entities(log, limits, vocabulary)
        self.lines = 0
        self.relation_lines = 0
        self.mentions: Counter[str] = Counter()
        self.predicates: Counter[str] = Counter()

    def read(self, lines: Iterator[tuple[int, str]]) -> None:
        """Read all lines, of which the first holds the run id.

        Parameters
        ----------
        lines : iterator of tuple of int and str
            Numbered from 1.
        """
        number, text = next(lines, (0, ""))
        if not self._read_run_id(text):
            self._read_line(number, text)
        for number, text in lines:
            self._read_line(number, text)
            if self._log.ends_at(number):
                break
        self._offsets.report(self._log)
        self.lines = number
        self.relation_lines = len(self._rows)

    def check(self) -> Iterator[Claim]:
        """Check what needs the whole file, and yield the relations that are in order, line by line.

        To be exhausted: the last checks follow the last claim. A file that was not read to its end has none.
        """
        if self._log.is_cut_short:
            return
        relations = Relations(self.entities, self._places, self._log, self._vocabulary)
        assertions = Packed(Assertion)
        for assertion in relations.resolve(self._rows):
            self.predicates[assertion.verb.name] += 1
            assertions.append(assertion)
        self._rows = Packed(Row)
        if self._log.is_cut_short:
            return
        self.entities.settle_types()
        for line, entity, type, verb in self._typed_uses:
            if entity.asserted_type not in (None, type):
                values = (entity.asserted_type, verb, type)
                self._log.add("SUBJECT_PREDICATE_MISMATCH", line, entity.name, *values, column=2)
        self.entities.settle_mentions()
        yield from relations.check(assertions)

    def _read_run_id(self, line: str) -> bool:
        """Say whether the first line is used up: a file without a run id may begin with an assertion."""
        if self._log.has_errors:
            return True  # it could not be read, and that is reported already
        cells = [cell.strip(BYTE_ORDER_MARK) for cell in columns(line)]
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
        structure = self._vocabulary.structure_of(verb)
        expected = 3 if structure and structure.name in ("type", "link") else 4
        count = len(cells)
        if expected == count == 4 and is_number(cells[3]):
            count = 3  # the last is a confidence, so the provenance is missing
        if not expected <= count <= expected + 1:
            found = f"{count} column{'s' * (count != 1)}"
            self._log.add("WRONG_NUM_ENTRIES", number, text, expected, found, _LAYOUT[expected])
            return
        confidence = 1.0
        if count > expected:
            said = cells[expected]
            confidence = self._confidences.get(said) or self._confidence(said, number, expected + 1)
        name = cells[0]
        subject = self.entities.get(name) or self.entities.named(name, number, 1)
        if subject is not None and not subject.subject_line:
            subject.subject_line = number
        if structure is None:
            known = self.entities.get(cells[2])
            text = cells[2] if known is None else known.name  # what there are many of is held once
            self._rows.append(Row(number, subject, intern(verb), text, cells[3], confidence))
            return
        if subject is None:
            subject = Entity(name)  # in no table: the rest of the line is checked all the same
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
        elif len(self._confidences) < _KNOWN_CONFIDENCES:
            self._confidences[text] = value
        return value

    def _read_type(self, line: int, subject: Entity, text: str) -> None:
        type = text.upper()
        if type in self._vocabulary.entity_types:
            subject.add_type(type, line)
        else:
            subject.flawed_type = True
            code = "ILLEGAL_ENTITY_TYPE"
            values = self._vocabulary.unknown_type(text, suggests=self._log.lists(code))
            self._log.add(code, line, text, *values, column=3)

    def _read_link(self, line: int, subject: Entity, text: str) -> None:
        base, colon, id = (unquoted(text) if is_string(text) else text).partition(":")
        if not colon or not base or not id:
            self._log.add("ILLEGAL_LINK_SPECIFICATION", line, text, text, column=3)
        elif (first := subject.link(base, id)) != id:
            self._log.add("MULTIPLE_LINKS", line, text, subject.name, base, first, id, column=3)

    def _read_mention(
        self, line: int, subject: Entity, structure: Structure, string: str, provenance: str
    ) -> None:
        self.mentions[structure.name] += 1
        inside = string[1:-1]
        if string == f'"{inside}"' and '"' not in inside and "\\" not in inside:  # nearly all
            string = inside
        elif is_string(string):
            string = unquoted(string)
        else:
            self._log.add("UNQUOTED_STRING", line, string, string, column=3)
        places = self._places.read(provenance, line)
        if places is None:
            # The document counts as one that mentions the entity, lest one fault bring others after it.
            subject.mentions_in(normal_id(provenance.split(",")[0].rpartition(":")[0].strip())).flawed = True
            return
        if len(places) > 1:
            self._log.add("EXTRA_MENTION_SPANS", line, provenance, len(places), column=4)
        doc_id, span = place = places[0]
        self._offsets.add(doc_id, span, line)
        found = self._documents.text(doc_id)[span.start : span.end]
        if self._quotes_texts:
            self.lengths.check_text(place, line, found)
            if string != found and not is_blotted(found):
                self._check_text(string, found, place, line)
        else:  # whether the string differs is not said: by enough answers all of the text could be read
            self.lengths.check(place, line, blotted(found))
        subject.mentions_in(doc_id).add(_KINDS[structure.name], span, line)

    def _check_text(self, said: str, found: str, place: Place, line: int) -> None:
        if len(found) == self._limits.chars:
            said = said[: len(found)]  # the span may have been cut
        if not same_text(said, found):
            values = (repr(shorten(found)), str(place), repr(shorten(said)))
            self._log.add("MENTION_TEXT_DIFFERS", line, said, *values, column=3)
