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

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import TypedDict

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


@dataclass(frozen=True, slots=True)
class _Statement:
    predicate: str
    subject: str
    object: str
    sentence: int


@dataclass(slots=True)
class _Draft:
    """A document while its lines are read."""

    text: str = ""
    sentence: int = -1
    mentions: list[_Mention] = field(default_factory=list)
    statements: list[_Statement] = field(default_factory=list)


_STRINGS = ("DATE", "TITLE")


def parse(markup: str, *, doc_id: str) -> tuple[Document, Gold]:
    """Read one annotated document, which is written as this module says.

    Returns
    -------
    document : Document
    gold : Gold
        Mentions in the order of their spans, relations in that of theirs.
    """
    draft = _Draft()
    title, day, _, *lines = markup.splitlines()
    separator = ""
    for line in lines:
        if not line.strip():
            separator = "\n\n" if draft.text else ""
        elif line.startswith(">"):
            predicate, subject, obj = line[1:].split()
            draft.statements.append(_Statement(predicate, subject, obj, draft.sentence))
        else:
            draft.text += separator
            draft.sentence += 1
            _read_sentence(draft, line.strip())
            separator = " "
    document = Document(doc_id=doc_id, title=title.strip(), date=day.strip(), text=draft.text)
    return document, _gold(draft, doc_id)


def read_folder(folder: Path) -> list[tuple[Document, Gold]]:
    """Read every document ``*.txt`` of a folder, in the order of their ids."""
    return [parse(path.read_text("utf-8"), doc_id=path.stem) for path in sorted(folder.glob("*.txt"))]


def _read_sentence(draft: _Draft, line: str) -> None:
    open_at: list[int] = []
    at = 0
    while at < len(line):
        character = line[at]
        if character == "\\" and line[at + 1] in "[]|\\":
            draft.text += line[at + 1]
            at += 2
        elif character == "[":
            open_at.append(len(draft.text))
            at += 1
        elif character == "|":
            close = line.index("]", at)
            kind, entity, *star = line[at + 1 : close].split()
            span = Span(open_at.pop(), len(draft.text))
            draft.mentions.append(_Mention(span, kind, entity, bool(star), draft.sentence))
            at = close + 1
        else:
            draft.text += character
            at += 1


def _gold(draft: _Draft, doc_id: str) -> Gold:
    mentions = sorted(draft.mentions, key=lambda mention: mention.span)
    canonical: dict[str, Span] = {}
    for mention in mentions:
        if mention.starred or mention.entity not in canonical:
            canonical[mention.entity] = mention.span
    relations = {relation for statement in draft.statements for relation in _instances(mentions, statement)}
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


def _instances(mentions: list[_Mention], statement: _Statement) -> Iterable[tuple[Span, Span, str]]:
    subjects = [mention for mention in mentions if mention.entity == statement.subject]
    objects = [mention for mention in mentions if mention.entity == statement.object]
    stating = [
        (one, other)
        for one, other in product(_stand_in(subjects, statement), _stand_in(objects, statement))
        if statement.sentence in (one.sentence, other.sentence)
    ]
    together = [(one, other) for one, other in product(subjects, objects) if one.sentence == other.sentence]
    for one, other in stating + together:
        if one.span.overlaps(other.span):
            continue
        if ONTOLOGY.find_relation(statement.predicate).is_symmetric and other.span < one.span:
            one, other = other, one
        yield one.span, other.span, statement.predicate


def _stand_in(mentions: list[_Mention], statement: _Statement) -> list[_Mention]:
    """List the mentions in the sentence of the statement, or else the last one before it."""
    here = [mention for mention in mentions if mention.sentence == statement.sentence]
    before = [mention for mention in mentions if mention.sentence < statement.sentence]
    return here or before[-1:]
