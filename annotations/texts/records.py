"""A line of a corpus file and of an annotations file: what it must hold."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, NoReturn

from kbpo.core.errors import InvalidInput
from kbpo_formats.normal import normal_id
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.spans import Span

NOT_IN_DOC_IDS = ':,;#"'  # they end a document's id, or the line, in a TAC file
LONGEST_DOC_ID = 200
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_NOT_STORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """A document as it is submitted."""

    doc_id: str
    title: str
    date: date | None
    text: str
    suggestions: tuple["MentionRecord", ...] = ()

    @property
    def digest(self) -> str:
        """Return the SHA-256 of all that it says, in hexadecimal."""
        parts = [self.doc_id, self.title, self.date.isoformat() if self.date else None, self.text]
        return _digest([*parts, [one.as_json() for one in self.suggestions]] if self.suggestions else parts)


@dataclass(frozen=True, slots=True, order=True)
class MentionRecord:
    """A mention with its type, its canonical mention and its link (empty for none)."""

    span: Span
    type: str
    canonical: Span
    link: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return it as a file has it."""
        return {
            **self.span._asdict(),
            "type": self.type,
            "canonical": list(self.canonical),
            "link": self.link,
        }


@dataclass(frozen=True, slots=True, order=True)
class RelationRecord:
    """A true relation between two mentions, in its stored direction."""

    predicate: str
    subject: Span
    object: Span


@dataclass(frozen=True, slots=True)
class AnnotationRecord:
    """All mentions and relations of a document, each sorted; of one to be classed its class alone.

    Of an input for which systems write texts: by each text, what people should say of it, as its kind has it.
    """

    doc_id: str
    mentions: tuple[MentionRecord, ...]
    relations: tuple[RelationRecord, ...]
    label: str | None = None
    judgements: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """Return the SHA-256 of what it says, whatever order it was written in, in hexadecimal."""
        return _digest(
            [
                self.doc_id,
                [
                    [*mention.span, mention.type, *mention.canonical, mention.link]
                    for mention in self.mentions
                ],
                [[relation.predicate, *relation.subject, *relation.object] for relation in self.relations],
            ]
        )

    def check_within(self, text_length: int, *, where: str) -> None:
        """Refuse a span that ends outside a text of `text_length` characters."""
        for mention in self.mentions:
            for name, span in (("mention", mention.span), ("canonical mention", mention.canonical)):
                if span.end > text_length:
                    raise InvalidInput(
                        f"document {self.doc_id}: the {name} {list(span)} ends outside the text, "
                        f"which has {text_length} characters",
                        where=where,
                    )


def read_document(value: Mapping[str, Any], *, where: str, ontology: Ontology) -> DocumentRecord:
    """Read a line of a corpus file.

    Parameters
    ----------
    value : mapping
        `doc_id` and `text` (not empty), `title` (may be missing or null), `date` (``YYYY-MM-DD``, missing or
        null), `suggestions` (may be missing or null): mentions as in an annotations file, each its own
        canonical mention unless it names another, to be shown to those who annotate the document. Other keys
        are left alone.
    where : str
        The place of the line, for errors.
    ontology : Ontology
        Its corpus', which has the types of mentions.

    Raises
    ------
    InvalidInput
        If one of them is missing, empty, of the wrong type, or cannot be stored.
    """
    doc_id = read_id(value, where)
    where_in = f"document {doc_id}: "
    text = read_text(value, "text", where, where_in)
    if not text.strip():
        raise InvalidInput(f"{where_in}the text is empty or missing", where=where)
    title = read_text(value, "title", where, where_in)
    written = value.get("date")
    day = None
    if written is not None:
        try:
            day = date.fromisoformat(written) if _ISO_DATE.fullmatch(written) else None
        except (TypeError, ValueError):
            day = None
        if day is None:
            raise InvalidInput(
                f"{where_in}the date {shown(written)} is no ISO date; write YYYY-MM-DD, or null", where=where
            )
    return DocumentRecord(doc_id, title, day, text, _suggestions(value, doc_id, text, where, ontology))


def read_annotation(value: Mapping[str, Any], *, where: str, ontology: Ontology) -> AnnotationRecord:
    """Read a line of an annotations file; the document's text is checked by `check_within`.

    Parameters
    ----------
    value : mapping
        `doc_id`; `mentions`, each with `start`, `end`, `type`, `canonical` (``[start, end]``) and `link`
        (may be missing or null); `relations`, each with `predicate`, `subject` and `object`
        (``[start, end]`` of mentions). Offsets are half-open, in characters.
    where : str
        The place of the line, for errors.
    ontology : Ontology
        Its corpus', which has the types and the relations.

    Raises
    ------
    InvalidInput
        If something is missing or of the wrong form; if a mention or relation is there twice; if a relation
        is unknown, is not between mentions of types that it admits, holds a mention with itself, or is
        symmetric and its subject does not start first.
    """
    doc_id = read_id(value, where)
    mentions: dict[tuple[Span, str], MentionRecord] = {}
    types: dict[Span, set[str]] = {}
    for item in _objects(value, "mentions", doc_id, where):
        mention = _mention(item, doc_id, where, ontology)
        if (mention.span, mention.type) in mentions:
            _refuse(doc_id, f"the {mention.type} mention {list(mention.span)} is there twice", where)
        mentions[mention.span, mention.type] = mention
        types.setdefault(mention.span, set()).add(mention.type)
    relations: set[RelationRecord] = set()
    for item in _objects(value, "relations", doc_id, where):
        relation = _relation(item, types, doc_id, where, ontology)
        if relation in relations:
            _refuse(doc_id, f"the relation {_named(relation)} is there twice", where)
        relations.add(relation)
    return AnnotationRecord(doc_id, tuple(sorted(mentions.values())), tuple(sorted(relations)))


def read_gold(value: Mapping[str, Any], *, where: str, ontology: Ontology) -> AnnotationRecord:
    """Read a line of right answers: an annotation, or `doc_id` with `label` or `judgements`.

    The first is the class of its text or null; the other is what people should say of texts that systems
    wrote for it, an object by each text.

    Raises
    ------
    InvalidInput
        As `read_annotation`, or if the label is no text, or the judgements are no objects.
    """
    if "judgements" in value:
        return _judged(value, where)
    if "label" not in value:
        return read_annotation(value, where=where, ontology=ontology)
    doc_id, label = read_id(value, where), value["label"]
    if label is not None and not isinstance(label, str):
        _refuse(doc_id, f"the label is {shown(label)}; it must be the name of a class, or null", where)
    return AnnotationRecord(doc_id, (), (), label)


def _judged(value: Mapping[str, Any], where: str) -> AnnotationRecord:
    doc_id, judgements = read_id(value, where), value["judgements"]
    if not isinstance(judgements, Mapping) or not all(
        isinstance(one, Mapping) for one in judgements.values()
    ):
        _refuse(doc_id, "judgements must be an object that has an object, an answer, by each text", where)
    return AnnotationRecord(doc_id, (), (), judgements=judgements)


def check_terms(record: AnnotationRecord, ontology: Ontology) -> None:
    """Refuse a type or a relation that an ontology has not: no constraint of the database knows ontologies.

    Raises
    ------
    InvalidInput
        Naming it, and those there are.
    """
    types, relations = ontology.mention_types_by_name, ontology.relations_by_name
    for mention in record.mentions:
        if mention.type not in types:
            raise InvalidInput(
                f"document {record.doc_id}: the mention {mention.span} is of type {shown(mention.type)};"
                f" {ontology.reference} has {', '.join(types)}"
            )
    for relation in record.relations:
        if relation.predicate not in relations:
            raise InvalidInput(
                f"document {record.doc_id}: unknown relation {shown(relation.predicate)};"
                f" {ontology.reference} has {', '.join(relations)}"
            )


def shown(value: object) -> str:
    """Show a value of unknown size in an error."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _suggestions(
    value: Mapping[str, Any], doc_id: str, text: str, where: str, ontology: Ontology
) -> tuple[MentionRecord, ...]:
    if value.get("suggestions") is None:
        return ()
    suggestions = set()
    for item in _objects(value, "suggestions", doc_id, where):
        one = _mention({"canonical": [item.get("start"), item.get("end")], **item}, doc_id, where, ontology)
        if max(one.span.end, one.canonical.end) > len(text):
            _refuse(doc_id, f"the suggestion {list(one.span)} ends outside the text", where)
        suggestions.add(one)
    return tuple(sorted(suggestions))


def _mention(item: Mapping[str, Any], doc_id: str, where: str, ontology: Ontology) -> MentionRecord:
    span = _span([item.get("start"), item.get("end")], "mention", doc_id, where)
    mention_type = item.get("type")
    types = ontology.mention_types_by_name
    if not isinstance(mention_type, str) or mention_type not in types:
        _refuse(
            doc_id,
            f"the mention {list(span)} is of type {shown(mention_type)}, not {', '.join(types)}",
            where,
        )
    canonical = _span(item.get("canonical"), f"canonical mention of {list(span)}", doc_id, where)
    return MentionRecord(
        span, mention_type, canonical, read_text(item, "link", where, f"document {doc_id}: ")
    )


def _relation(
    item: Mapping[str, Any],
    types: Mapping[Span, set[str]],
    doc_id: str,
    where: str,
    ontology: Ontology,
) -> RelationRecord:
    predicate = item.get("predicate")
    known = ontology.relations_by_name
    relation = known.get(predicate) if isinstance(predicate, str) else None
    if relation is None:
        _refuse(doc_id, f"unknown predicate {shown(predicate)}; known are {', '.join(known)}", where)
    found = RelationRecord(
        relation.name,
        _span(item.get("subject"), f"subject of {predicate}", doc_id, where),
        _span(item.get("object"), f"object of {predicate}", doc_id, where),
    )
    for role, span in (("subject", found.subject), ("object", found.object)):
        if span not in types:
            _refuse(doc_id, f"the {role} of {_named(found)} is none of the document's mentions", where)
    if found.subject == found.object:
        _refuse(doc_id, f"{_named(found)} relates a mention to itself", where)
    pairs = [(first, second) for first in types[found.subject] for second in types[found.object]]
    if not any(relation.admits(*pair) for pair in pairs):
        wanted = f"{relation.subject_type} and {' or '.join(relation.object_types)}"
        _refuse(
            doc_id,
            f"{_named(found)} is between {' and '.join(sorted(pairs)[0])}; it must be between {wanted}",
            where,
        )
    if relation.is_symmetric and found.subject > found.object:
        _refuse(
            doc_id,
            f"{_named(found)} is symmetric; its subject must be the mention that starts first",
            where,
        )
    return found


def _named(relation: RelationRecord) -> str:
    return f"{relation.predicate} {list(relation.subject)} {list(relation.object)}"


def read_id(value: Mapping[str, Any], where: str, key: str = "doc_id") -> str:
    """Return the id that stands under a key, in NFC; refuse one that is none."""
    doc_id = normal_id(read_text(value, key, where))
    if not doc_id:
        raise InvalidInput(f"{key} is missing or empty", where=where)
    if len(doc_id) > LONGEST_DOC_ID:
        raise InvalidInput(
            f"the {key} has {len(doc_id)} characters; at most {LONGEST_DOC_ID} are allowed", where=where
        )
    if not doc_id.isprintable() or any(character.isspace() for character in doc_id):
        raise InvalidInput(
            f"the {key} {shown(doc_id)} holds white space or characters that do not print", where=where
        )
    if set(doc_id.split("/")) & {"", ".", ".."}:
        raise InvalidInput(
            f"the {key} {shown(doc_id)} has a part between slashes that is empty, . or ..; no browser could"
            " open its page, so leave the part out",
            where=where,
        )
    if key == "doc_id" and any(character in NOT_IN_DOC_IDS for character in doc_id):
        raise InvalidInput(
            f"the doc_id {shown(doc_id)} holds one of {' '.join(NOT_IN_DOC_IDS)}, so no knowledge base in TAC"
            " format could name it",
            where=where,
        )
    return doc_id


def read_text(value: Mapping[str, Any], key: str, where: str, where_in: str = "") -> str:
    """Return the string that stands under a key, empty where none does; refuse one that cannot be stored."""
    text = value.get(key)
    if text is None:
        return ""
    if not isinstance(text, str):
        raise InvalidInput(f"{where_in}{key} is {shown(text)}; it must be a string", where=where)
    if bad := _NOT_STORABLE.search(text):
        what = "a NUL character" if bad[0] == "\0" else "half of a surrogate pair"
        raise InvalidInput(
            f"{where_in}{key} holds {what} at character {bad.start()}, which cannot be stored", where=where
        )
    return text


def _objects(value: Mapping[str, Any], key: str, doc_id: str, where: str) -> list[dict[str, Any]]:
    items = value.get(key)
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise InvalidInput(f"document {doc_id}: {key} must be a list of objects", where=where)
    return items


def _span(value: object, name: str, doc_id: str, where: str) -> Span:
    match value:
        case [int(start), int(end)] if not isinstance(start, bool) and not isinstance(end, bool):
            if 0 <= start < end:
                return Span(start, end)
    raise InvalidInput(
        f"document {doc_id}: the {name} is {shown(value)}; it must be [start, end] with 0 <= start < end",
        where=where,
    )


def _refuse(doc_id: str, message: str, where: str) -> NoReturn:
    raise InvalidInput(f"document {doc_id}: {message}", where=where)


def _digest(parts: list[Any]) -> str:
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()
