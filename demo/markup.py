r"""Annotated documents as people write them, and as the service loads them.

A document is a text file. Its name is the document's id; its first line is the title, its second the date.
After a blank line comes the text, one sentence a line; a blank line begins a new paragraph::

    A new captain for the Gullwing
    2031-04-02

    [Ruth Ash|PER ruth] has been made [captain|TITLE captain] of the [[Ellery|GPE ellery] Line|ORG line].
    > per:title ruth captain
    > per:employee_or_member_of ruth line
    [Captain Ash|PER ruth] was born in [Ellery|GPE ellery] in [1990|DATE y1990].
    > per:place_of_birth ruth ellery
    > per:date_of_birth ruth y1990

*Mentions.* ``[words|TYPE id]``, with a type of TAC KBP's first version and an id for what the
words mean in this document; mentions may nest. Names, titles, dates that give a year, nouns that stand for
a name (the company), and he, she, him, his and her are mentions; it, its, they and who are not. The
canonical mention of an entity is its first, unless another has a star: ``[words|TYPE id *]``. A title or a
date is always its own. A backslash before ``[``, ``]`` or ``|`` makes it plain text.

*Relations.* ``> predicate subject object`` under the sentence that says so, once for each fact, with the ids
of the two and the predicate that the service stores. What holds of two entities holds of every pair of their
mentions that stand in one sentence, anywhere in the document. It also holds of the pair that states it:
where the sentence above does not mention one of the two, the mention of it that was last before stands in.
Mentions that overlap are never a pair.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise, product
from pathlib import Path
from typing import TypedDict

from kbpo.core.errors import InvalidInput
from kbpo_formats.ontologies.builtin import read_builtin
from kbpo_formats.spans import Span

#: Of the demo's corpus.
ONTOLOGY = read_builtin("tac-kbp@1")


class Document(TypedDict):
    """A line of the corpus: what `load_corpus` reads, and all that a system may see."""

    doc_id: str
    title: str
    date: str
    text: str


class GoldMention(TypedDict):
    """A mention of the gold annotations; offsets are half-open."""

    start: int
    end: int
    type: str
    canonical: list[int]
    link: None


class GoldRelation(TypedDict):
    """A relation of the gold annotations, between two of the document's mentions."""

    predicate: str
    subject: list[int]
    object: list[int]


class Gold(TypedDict):
    """A line of the gold annotations: what `load_gold` reads."""

    doc_id: str
    mentions: list[GoldMention]
    relations: list[GoldRelation]


@dataclass(frozen=True, slots=True)
class _Mention:
    span: Span
    type: str
    entity: str
    starred: bool
    sentence: int
    line: int


@dataclass(frozen=True, slots=True)
class _Statement:
    predicate: str
    subject: str
    object: str
    sentence: int
    line: int


@dataclass(slots=True)
class _Draft:
    """A document while its lines are read."""

    name: str
    text: str = ""
    sentence: int = -1
    mentions: list[_Mention] = field(default_factory=list)
    statements: list[_Statement] = field(default_factory=list)
    types: dict[str, str] = field(default_factory=dict)

    def refuse(self, line: int, message: str) -> InvalidInput:
        return InvalidInput(message, where=f"{self.name}:{line}")


_TAG = re.compile(r"(?P<type>\S+) (?P<entity>[\w-]+)(?P<star> \*)?")
_ESCAPABLE = frozenset("[]|\\")
_STRINGS = ("DATE", "TITLE")


def parse(markup: str, *, doc_id: str, name: str | None = None) -> tuple[Document, Gold]:
    """Read one annotated document.

    Parameters
    ----------
    markup : str
        The document, written as this module says.
    doc_id : str
        The id that it gets.
    name : str, optional
        What errors call the file; `doc_id` unless given.

    Returns
    -------
    document : Document
    gold : Gold
        Mentions in the order of their spans, relations in that of theirs.

    Raises
    ------
    InvalidInput
        At the first fault, naming file and line.
    """
    draft = _Draft(name or doc_id)
    lines = markup.splitlines()
    title, day = _read_head(draft, lines)
    separator = ""
    for number, line in enumerate(lines[3:], start=4):
        if not line.strip():
            separator = "\n\n" if draft.text else ""
        elif line.startswith(">"):
            _read_statement(draft, line, number)
        else:
            draft.text += separator
            draft.sentence += 1
            _read_sentence(draft, line.strip(), number)
            separator = " "
    if not draft.text:
        raise draft.refuse(len(lines), "the document has no text; write one sentence a line after the date")
    document = Document(doc_id=doc_id, title=title, date=day, text=draft.text)
    return document, _gold(draft, doc_id)


def read_folder(folder: Path) -> list[tuple[Document, Gold]]:
    """Read every document ``*.txt`` of a folder, in the order of their ids.

    Raises
    ------
    InvalidInput
        If the folder has no documents, or one of them is faulty.
    """
    paths = sorted(folder.glob("*.txt"))
    if not paths:
        raise InvalidInput("no documents; expected files that end in .txt", where=str(folder))
    return [parse(path.read_text("utf-8"), doc_id=path.stem, name=path.name) for path in paths]


def _read_head(draft: _Draft, lines: list[str]) -> tuple[str, str]:
    title, day, gap = (*lines[:3], "", "", "")[:3]
    if not title.strip():
        raise draft.refuse(1, "the first line is empty; write the title there")
    try:
        date.fromisoformat(day.strip())
    except ValueError:
        raise draft.refuse(2, f"{day!r} is not a date; write it as 2031-04-02") from None
    if gap.strip():
        raise draft.refuse(3, "the third line is not empty; leave it blank before the text")
    return title.strip(), day.strip()


def _read_sentence(draft: _Draft, line: str, number: int) -> None:
    text: list[str] = []
    open_at: list[int] = []
    start = len(draft.text)
    at = 0
    while at < len(line):
        character = line[at]
        if character == "\\" and line[at + 1 : at + 2] in _ESCAPABLE:
            text.append(line[at + 1])
            at += 2
        elif character == "[":
            open_at.append(len(text))
            at += 1
        elif character == "|" and open_at:
            close = line.find("]", at)
            if close < 0:
                raise draft.refuse(number, f"{line[at:]!r} is not closed; end the mention with ]")
            begin = open_at.pop()
            span = Span(start + begin, start + len(text))
            words, tag = "".join(text[begin:]), line[at + 1 : close]
            draft.mentions.append(_mention(draft, span, words, tag, number))
            at = close + 1
        elif character in "]|":
            message = f"{character} stands outside a mention; write \\{character}, or [words|TYPE id]"
            raise draft.refuse(number, message)
        else:
            text.append(character)
            at += 1
    if open_at:
        raise draft.refuse(number, "a mention has no tag; write [words|TYPE id]")
    draft.text += "".join(text)


def _mention(draft: _Draft, span: Span, words: str, tag: str, number: int) -> _Mention:
    if not words or words != words.strip():
        raise draft.refuse(number, f"the mention {words!r} is empty or has space at an end; mark words alone")
    match = _TAG.fullmatch(tag)
    if match is None:
        raise draft.refuse(number, f"{tag!r} is not a tag; write TYPE id, or TYPE id *")
    kind, entity, starred = match["type"], match["entity"], match["star"] is not None
    types = ONTOLOGY.mention_types_by_name
    if kind not in types:
        raise draft.refuse(number, f"{kind!r} is not a type; use one of {', '.join(types)}")
    known = draft.types.setdefault(entity, kind)
    if known != kind:
        raise draft.refuse(number, f"{entity} is {kind} here and {known} before; give each its own id")
    if starred and kind in _STRINGS:
        raise draft.refuse(number, f"a {kind} is always its own canonical mention; leave out the star")
    if starred and any(mention.starred for mention in draft.mentions if mention.entity == entity):
        raise draft.refuse(number, f"{entity} has a canonical mention already; keep one star")
    return _Mention(span, kind, entity, starred, draft.sentence, number)


def _read_statement(draft: _Draft, line: str, number: int) -> None:
    words = line[1:].split()
    if len(words) != 3:
        raise draft.refuse(number, f"{line!r} is not a relation; write > predicate subject object")
    predicate, subject, obj = words
    if draft.sentence < 0:
        raise draft.refuse(number, "a relation stands before the text; write it under its sentence")
    relation = ONTOLOGY.relations_by_name.get(predicate)
    if relation is None:
        raise draft.refuse(
            number,
            f"{predicate!r} is not a stored relation; use one of {', '.join(ONTOLOGY.relations_by_name)}",
        )
    for entity in (subject, obj):
        if entity not in draft.types:
            raise draft.refuse(number, f"nothing is marked as {entity!r} up to here; mark a mention of it")
    types = draft.types[subject], draft.types[obj]
    if not relation.admits(*types):
        raise draft.refuse(
            number,
            f"{predicate} does not admit {types[0]} and {types[1]}; it takes {relation.subject_type}"
            f" and {' or '.join(relation.object_types)}",
        )
    if subject == obj:
        raise draft.refuse(number, f"{subject} is related to itself; name two entities")
    for earlier in draft.statements:
        same = [(subject, obj), (obj, subject)] if relation.is_symmetric else [(subject, obj)]
        if earlier.predicate == predicate and (earlier.subject, earlier.object) in same:
            raise draft.refuse(number, f"line {earlier.line} says so already; write each fact once")
    draft.statements.append(_Statement(predicate, subject, obj, draft.sentence, number))


def _gold(draft: _Draft, doc_id: str) -> Gold:
    mentions = sorted(draft.mentions, key=lambda mention: mention.span)
    for mention, following in pairwise(mentions):
        if mention.span == following.span:
            raise draft.refuse(following.line, "two mentions mark the same words; keep one of them")
    canonical: dict[str, Span] = {}
    for mention in mentions:
        if mention.starred or mention.entity not in canonical:
            canonical[mention.entity] = mention.span
    relations = {
        relation for statement in draft.statements for relation in _instances(draft, mentions, statement)
    }
    return Gold(
        doc_id=doc_id,
        mentions=[
            GoldMention(
                start=mention.span.start,
                end=mention.span.end,
                type=mention.type,
                canonical=list(mention.span if mention.type in _STRINGS else canonical[mention.entity]),
                link=None,
            )
            for mention in mentions
        ],
        relations=[
            GoldRelation(predicate=predicate, subject=list(subject), object=list(obj))
            for subject, obj, predicate in sorted(relations)
        ],
    )


def _instances(
    draft: _Draft, mentions: list[_Mention], statement: _Statement
) -> Iterable[tuple[Span, Span, str]]:
    subjects = [mention for mention in mentions if mention.entity == statement.subject]
    objects = [mention for mention in mentions if mention.entity == statement.object]
    stating = [
        (one, other)
        for one, other in product(_stand_in(subjects, statement), _stand_in(objects, statement))
        if statement.sentence in (one.sentence, other.sentence) and not one.span.overlaps(other.span)
    ]
    if not stating:
        raise draft.refuse(
            statement.line,
            f"the sentence above mentions neither {statement.subject} nor {statement.object}, or only as one"
            " within the other; write the relation under the sentence that says it",
        )
    together = [
        (one, other)
        for one, other in product(subjects, objects)
        if one.sentence == other.sentence and not one.span.overlaps(other.span)
    ]
    for one, other in stating + together:
        if ONTOLOGY.find_relation(statement.predicate).is_symmetric and other.span < one.span:
            one, other = other, one
        yield one.span, other.span, statement.predicate


def _stand_in(mentions: list[_Mention], statement: _Statement) -> list[_Mention]:
    """List the mentions in the sentence of the statement, or else the last one before it."""
    here = [mention for mention in mentions if mention.sentence == statement.sentence]
    before = [mention for mention in mentions if mention.sentence < statement.sentence]
    return here or before[-1:]
