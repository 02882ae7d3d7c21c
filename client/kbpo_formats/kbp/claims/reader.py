"""Read a knowledge base that is written as JSON Lines: from the bytes of a file to what it claims."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, NamedTuple

from kbpo_formats.collecting import collector_paused
from kbpo_formats.corpus import Documents
from kbpo_formats.json_lines import (
    Path,
    find,
    has_control,
    kind_of,
    read_object,
    report_unknown,
    show,
)
from kbpo_formats.kbp.claims import writer
from kbpo_formats.kbp.claims.problems import ProblemLog
from kbpo_formats.kbp.counts import Counts, ranked
from kbpo_formats.kbp.lengths import why_too_long
from kbpo_formats.kbp.merging import Merger
from kbpo_formats.kbp.offsets import OffsetCheck
from kbpo_formats.kbp.overlapping import find_overlapping
from kbpo_formats.kbp.predicates import Verb, Vocabulary
from kbpo_formats.kbp.predictions import Predictions, ReadPrediction
from kbpo_formats.lines import numbered_lines
from kbpo_formats.normal import normal_id
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.problems import LISTED_PER_CODE, Problem, Recorder
from kbpo_formats.spans import Span

CLAIM_FIELDS = ("doc_id", "predicate", "subject", "object", "confidence")
END_FIELDS = ("start", "end", "type", "canonical", "value", "entity")
SPAN_FIELDS = ("start", "end")
LONGEST_SPAN = 150  # characters; TAC KBP has the same limit

_CLAIM, _END, _SPAN = map(frozenset, (CLAIM_FIELDS, END_FIELDS, SPAN_FIELDS))
_NOWHERE = Span(0, 0)  # after an error
_OFFSET = "a whole number of characters from 0"
_AN_END = 'an object, as in {"start": 0, "end": 9, "type": "PER"}'
_A_SPAN = 'an object, as in {"start": 0, "end": 9}'


@dataclass(frozen=True)
class Reading:
    """What a file claims, and what is wrong with it.

    Attributes
    ----------
    accepted : bool
        Whether the file has no error.
    problems : tuple of Problem
        By line. Of each code only the first are listed; `counts` has them all.
    predictions : Predictions
        Empty unless accepted.
    counts : Counts
        A mention is not counted: what a claim needs of one is in its line.
    """

    accepted: bool
    problems: tuple[Problem, ...]
    predictions: Predictions = field(repr=False)
    counts: Counts

    def lines(self) -> Iterator[str]:
        """Write it as one without faults: the lines, each with its end."""
        return writer.write(self.predictions)


class _End(NamedTuple):
    """One of the two mentions of a claim; whatever its type does not have is None."""

    span: Span
    type: str
    canonical: Span | None
    value: str | None
    entity: str


def read(
    stream: BinaryIO,
    *,
    documents: Documents,
    ontology: Ontology,
    most: int | None = LISTED_PER_CODE,
    recorder: Recorder | None = None,
) -> Reading:
    """Read and validate a knowledge base, one claim a line.

    Whatever the bytes are, the answer is a `Reading`: faults are problems, not exceptions. Of each line all
    faults are found; a line is right or wrong by itself.

    Parameters
    ----------
    stream : binary file
        UTF-8, plain or gzip, with or without a byte-order mark. Read once, in chunks.
    documents : Documents
        Those of the corpus.
    ontology : Ontology
        Its: what may be claimed of what.
    most : int or None
        How many problems of each code are listed; None: all.
    recorder : Recorder, optional
        Takes every problem, listed or not.
    """
    with collector_paused():
        return _Reader(documents, Vocabulary(ontology), most, recorder).read(stream)


class _Reader:
    def __init__(
        self, documents: Documents, vocabulary: Vocabulary, most: int | None, recorder: Recorder | None
    ) -> None:
        self._log = ProblemLog(most, recorder)
        self._documents = documents
        self._vocabulary = vocabulary
        self._verbs = vocabulary.verbs
        self._entity_types = frozenset(vocabulary.entity_types)
        self._merger = Merger()
        self._texts: dict[str, str] = {}  # what many lines say is held once
        self._entities: dict[str, str] = {}
        self._claimed: Counter[str] = Counter()
        self._turned = 0
        self._short: set[Span] = set()  # mentions of a document that are not too long
        self._doc_of_short = ""
        self._offsets = OffsetCheck(documents, ends_are_last=False)
        self._text = ""  # of the line that is read
        self._line = 0

    def read(self, stream: BinaryIO) -> Reading:
        log = self._log
        number = count = 0
        for number, text in numbered_lines(stream, log):
            if log.ends_at(number):
                break
            if not text or text.isspace():
                continue
            count += 1
            self._read_line(number, text)
        self._offsets.report(log)
        predictions = self._merger.predictions
        overlapping = find_overlapping(predictions, self._documents) if not log.has_errors else {}
        for place, other in overlapping.items():
            one, counting = predictions[place], predictions[other]
            log.add("OVERLAPPING_CLAIM", one.line, one.official, one.official, counting.line)
        if overlapping:
            predictions = predictions.without(overlapping)
        if not log.has_errors and not predictions:
            log.add("NO_CLAIMS", number, "", count)
        accepted = not log.has_errors
        if not accepted:
            predictions = Predictions()
        dropped = log.counts["PREDICATE_NOT_SCORED"]
        counts = Counts(
            lines=number,
            entities=len(self._entities),
            mentions=0,
            relation_lines=count,
            instances=len(predictions),
            turned=self._turned,
            merged_lines=self._merger.merged,
            overlapping=len(overlapping),
            dropped_lines=dropped,
            errors=log.count("ERROR"),
            warnings=log.count("WARNING"),
            unlisted=log.unlisted,
            entities_by_type=ranked(Counter(self._entities.values())),
            mentions_by_kind={},
            relation_lines_by_predicate=ranked(self._claimed),
            instances_by_predicate=ranked(Counter(predictions.names("predicate"))),
            dropped_by_reason={"PREDICATE_NOT_SCORED": dropped} if dropped else {},
            problems=ranked(log.counts),
        )
        return Reading(accepted, log.by_line(), predictions, counts)

    def _read_line(self, number: int, text: str) -> None:
        fields = read_object(text, number, self._log)
        if fields is None:
            return
        self._line, self._text = number, text
        if not fields.keys() <= _CLAIM:
            report_unknown(fields, CLAIM_FIELDS, (), text, number, self._log)
        errors = self._log.count_errors
        doc_id, length = self._doc_id(fields)
        verb = self._verb(fields)
        subject = self._end(fields, "subject", doc_id, length)
        object_ = self._end(fields, "object", doc_id, length)
        confidence = self._confidence(fields)
        if verb is None:
            return
        self._claimed[verb.name] += 1
        if subject is not None:
            self._check_type("subject", subject.type, (verb.subject_type,), verb)
        if object_ is not None:
            self._check_type("object", object_.type, verb.object_types, verb)
        if subject is None or object_ is None or self._log.count_errors != errors:
            return
        self._check_lengths(doc_id, subject, object_)
        self._offsets.add(doc_id, subject.span, self._line)
        self._offsets.add(doc_id, object_.span, self._line)
        self._claim(verb, doc_id, subject, object_, confidence)

    def _claim(self, verb: Verb, doc_id: str, subject: _End, object_: _End, confidence: float) -> None:
        relation = verb.relations.get(object_.type)
        if relation is None:
            self._fault("PREDICATE_NOT_SCORED", ("predicate",), verb.name)
            return
        turned = verb.turn == "swap" or (relation.is_symmetric and object_.span < subject.span)
        self._turned += turned
        if turned:
            subject, object_ = object_, subject
        is_value = object_.type not in self._entity_types
        made = ReadPrediction(
            doc_id=doc_id,
            predicate=relation.name,
            subject_type=subject.type,
            object_type=object_.type,
            subject_entity=subject.entity,
            object_entity=self._value(doc_id, object_) if is_value else object_.entity,
            official=verb.name,
            provenance="",
            subject=subject.span,
            object=object_.span,
            subject_canonical=subject.canonical or subject.span,
            object_canonical=None if is_value else object_.canonical or object_.span,
            line=self._line,
            turned=turned,
            confidence=confidence,
        )
        before = self._merger.add(made)
        if before is not None:
            self._fault("REPEATED_CLAIM", (), verb.name, before)

    def _value(self, doc_id: str, end: _End) -> str:
        if end.value is not None:
            return self._once(end.value)
        start, stop = end.span
        return self._once(" ".join(self._documents.text(doc_id)[start:stop].split()))

    def _doc_id(self, fields: Mapping[str, Any]) -> tuple[str, int]:
        """Return the document and its length; 0 where it is none."""
        doc_id = self._text_of(fields, "doc_id", "the id of a document of the corpus, as text")
        if doc_id is None:
            return "", 0
        doc_id = normal_id(doc_id)
        length = None if "\0" in doc_id else self._documents.length(doc_id)
        if length is None:
            self._fault("UNKNOWN_DOCUMENT", ("doc_id",), show(doc_id))
            return "", 0
        return self._once(doc_id), length

    def _verb(self, fields: Mapping[str, Any]) -> Verb | None:
        said = self._text_of(fields, "predicate", "a predicate of the corpus' ontology, as text")
        if said is None:
            return None
        verb = self._verbs.get(said)
        if verb is None:
            vocabulary = self._vocabulary
            hint = vocabulary.suggestion_for(said) if self._log.lists("UNKNOWN_PREDICATE") else ""
            known = vocabulary.ontology.reference, next(iter(self._verbs)), hint
            self._fault("UNKNOWN_PREDICATE", ("predicate",), show(said), *known)
        return verb

    def _end(self, fields: Mapping[str, Any], role: str, doc_id: str, length: int) -> _End | None:
        """Return one of the two mentions, or None after an error that leaves nothing to check."""
        value = fields.get(role)
        if type(value) is not dict:
            self._wrong(fields, (role,), value, _AN_END)
            return None
        if not value.keys() <= _END:
            report_unknown(value, END_FIELDS, (role,), self._text, self._line, self._log)
        span = self._span(value, (role,), doc_id, length)
        kind = value.get("type")
        if type(kind) is not str:
            self._wrong(value, (role, "type"), kind, "a type of the corpus' ontology, as text")
            return None
        canonical: Span | None = None
        given: str | None = None
        is_entity = kind in self._entity_types
        if "canonical" in value:
            if is_entity:
                canonical = self._canonical(value, role, doc_id, length)
            elif kind in self._vocabulary.ontology.types_by_name:
                self._fault("CANONICAL_OF_VALUE", (role, "canonical"), f"{role}.canonical", kind)
        if "value" in value:
            if is_entity:
                self._fault("VALUE_OF_ENTITY", (role, "value"), f"{role}.value", kind)
            else:
                given = self._line_of_text(value, (role, "value"))
        entity = self._entity(value, role, kind) if "entity" in value else ""
        return _End(span or _NOWHERE, self._once(kind), canonical, given, entity)

    def _entity(self, end: Mapping[str, Any], role: str, kind: str) -> str:
        """Return the name of an entity; the first type that it has is kept."""
        name = end["entity"]
        known = self._entities.get(name) if type(name) is str else None
        if known is not None:
            return self._once(name)
        name = self._line_of_text(end, (role, "entity")) or ""
        if name:
            self._entities[name] = kind
        return self._once(name)

    def _canonical(self, end: Mapping[str, Any], role: str, doc_id: str, length: int) -> Span | None:
        value = end["canonical"]
        path = role, "canonical"
        if type(value) is not dict:
            self._wrong(end, path, value, _A_SPAN)
            return None
        if not value.keys() <= _SPAN:
            report_unknown(value, SPAN_FIELDS, path, self._text, self._line, self._log)
        return self._span(value, path, doc_id, length)

    def _span(self, fields: Mapping[str, Any], path: Path, doc_id: str, length: int) -> Span | None:
        """Return a span of a document; of one that there is none, only the numbers are checked."""
        start, end = fields.get("start"), fields.get("end")
        if type(start) is int and type(end) is int and 0 <= start < end and end - start <= LONGEST_SPAN:
            if end <= length:
                return Span(start, end)
            if not doc_id:
                return None
        self._explain_span(fields, path, doc_id, length)
        return None

    def _explain_span(self, fields: Mapping[str, Any], path: Path, doc_id: str, length: int) -> None:
        offsets = []
        for name in SPAN_FIELDS:
            offset = fields.get(name)
            at = ".".join((*path, name))
            if name not in fields:
                self._fault("MISSING_FIELD", (*path, name), at, _OFFSET)
            elif type(offset) is not int or offset < 0:
                said = show(offset) if type(offset) in (int, float) else kind_of(offset)
                self._fault("WRONG_OFFSET", (*path, name), at, said)
            elif doc_id and offset > length - (name == "start"):
                self._fault("OFFSET_OUTSIDE", (*path, name), at, offset, doc_id, length)
            else:
                offsets.append(offset)
        if len(offsets) < len(SPAN_FIELDS):
            return
        start, end = offsets
        if end <= start:
            self._fault("EMPTY_SPAN", (*path, "end"), ".".join(path), end, start)
        elif end - start > LONGEST_SPAN:
            self._fault("LONG_SPAN", path, ".".join(path), end - start, LONGEST_SPAN)

    def _confidence(self, fields: Mapping[str, Any]) -> float:
        confidence = fields.get("confidence", 1.0)
        if (type(confidence) is float or type(confidence) is int) and 0 <= confidence <= 1:
            return float(confidence)
        self._fault("WRONG_CONFIDENCE", ("confidence",), show(confidence))
        return 1.0

    def _check_type(self, role: str, kind: str, wanted: tuple[str, ...], verb: Verb) -> None:
        if kind not in wanted:
            said = f"{role}.type", show(kind), verb.name, " or ".join(wanted)
            self._fault("WRONG_TYPE", (role, "type"), *said)

    def _check_lengths(self, doc_id: str, subject: _End, object_: _End) -> None:
        if doc_id != self._doc_of_short:
            self._doc_of_short = doc_id
            self._short.clear()
        for role, end in (("subject", subject), ("object", object_)):
            for name, span in (("", end.span), (".canonical", end.canonical)):
                if span is None or span in self._short:  # most stand in several claims
                    continue
                why = why_too_long(self._documents, doc_id, span)
                if why is None:
                    self._short.add(span)
                else:
                    path = (role, "canonical") if name else (role,)
                    self._fault("LONG_MENTION", path, f"{role}{name}", why)

    def _text_of(self, fields: Mapping[str, Any], name: str, what: str) -> str | None:
        value = fields.get(name)
        if type(value) is str:
            return value
        self._wrong(fields, (name,), value, what)
        return None

    def _line_of_text(self, fields: Mapping[str, Any], path: Path) -> str | None:
        value = fields[path[-1]]
        if type(value) is not str:
            self._wrong(fields, path, value, "text")
            return None
        if value and not has_control(value):
            return value
        why = "holds a line end, or a character that cannot be seen" if value else "is empty"
        self._fault("ILLEGAL_TEXT", path, ".".join(path), why)
        return None

    def _wrong(self, fields: Mapping[str, Any], path: Path, value: object, what: str) -> None:
        at = ".".join(path)
        if path[-1] in fields:
            self._fault("WRONG_KIND", path, at, kind_of(value), what)
        else:
            self._fault("MISSING_FIELD", path, at, what)

    def _fault(self, code: str, path: Path, *values: object) -> None:
        """Log a problem of the line at its column; what is not listed needs none."""
        column, said = find(self._text, path) if self._log.tells(code) else (None, "")
        self._log.add(code, self._line, said, *values, column=column)

    def _once(self, text: str) -> str:
        return self._texts.setdefault(text, text)
