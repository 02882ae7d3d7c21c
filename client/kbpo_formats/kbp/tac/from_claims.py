"""Write claims as a knowledge base in the format of TAC KBP 2016.

A line of TAC KBP names two entities and spans of the text; which mentions it is about is found from these,
and an entity has one canonical mention in a document. So where a system's entity would be read as another
mention than the one that it claims, or has several canonical mentions, it is written as several entities.
"""

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from kbpo_formats.corpus import Documents
from kbpo_formats.errors import InvalidInput
from kbpo_formats.kbp.predictions import Predictions, ReadPrediction
from kbpo_formats.kbp.tac.entities import CANONICAL, NAMED, Entity
from kbpo_formats.kbp.tac.instances import find_mention
from kbpo_formats.kbp.tac.problems import ProblemLog
from kbpo_formats.kbp.tac.syntax import Place
from kbpo_formats.spans import Span

_NOT_IN_NAMES = re.compile(r"\W+")
_LONGEST_NAME = 100
_LONGEST_STRING = 1_000
_RUN = re.compile(r"[^\s:\"#][^\s\"#]*")

Who = tuple[str, str, str, Span | None]
"""Whom claims are about: name and type; without a name, the document and the canonical mention too."""


@dataclass(eq=False)
class _Node:
    """An entity as it is written: one canonical mention in each document."""

    name: str
    type: str
    canonical: dict[str, Span] = field(default_factory=dict)
    mentions: dict[str, dict[Span, None]] = field(default_factory=dict)
    read: Entity | None = None
    is_used: bool = False

    def add(self, doc_id: str, mention: Span, canonical: Span) -> None:
        self.canonical[doc_id] = canonical
        self.mentions.setdefault(doc_id, {})[mention] = None

    def as_read(self) -> Entity:
        """Return the entity that a reader makes of it; nothing may be added afterwards."""
        if self.read is None:
            log = ProblemLog("tac2016")
            self.read = Entity(self.name)
            for doc_id, canonical in self.canonical.items():
                mentions = self.read.mentions_in(doc_id)
                for mention in (*self.mentions[doc_id], canonical):
                    mentions.add(NAMED, mention, 1)
                mentions.add(CANONICAL, canonical, 1)
                mentions.settle(self.read, doc_id, log)
        return self.read


@dataclass(frozen=True, slots=True)
class _End:
    """An entity's mention in a claim."""

    who: Who
    doc_id: str
    mention: Span
    canonical: Span

    @property
    def place(self) -> Place:
        return Place(self.doc_id, self.mention)


class _Nodes:
    """The entities that are written."""

    def __init__(self) -> None:
        self._by_who: dict[Who, list[_Node]] = {}
        self._alone: dict[tuple[_End, int], _Node] = {}
        self._names: dict[str, int] = {}
        self.all: list[_Node] = []

    def shared(self, end: _End) -> _Node:
        """Return the entity of an end with all of its mentions, as far as their canonical mention is one."""
        nodes = self._by_who.setdefault(end.who, [])
        for node in nodes:
            if node.canonical.get(end.doc_id, end.canonical) == end.canonical:
                return node
        nodes.append(self._new(end))
        return nodes[-1]

    def alone(self, end: _End, number: int = 0) -> _Node:
        """Return an entity that has this mention and its canonical one, and no other."""
        key = end, number
        if key not in self._alone:
            self._alone[key] = self._new(end)
            self._alone[key].add(end.doc_id, end.mention, end.canonical)
        return self._alone[key]

    def _new(self, end: _End) -> _Node:
        name, kind, _, _ = end.who
        stem = _NOT_IN_NAMES.sub("_", name).strip("_")[:_LONGEST_NAME] or f"{kind}_{len(self.all)}"
        count = self._names[stem] = self._names.get(stem, 0) + 1
        while count > 1 and f"{stem}_{count}" in self._names:
            count += 1
        self._names[stem] = count
        if count > 1:
            stem = f"{stem}_{count}"
            self._names.setdefault(stem, 1)
        node = _Node(f":{stem}", kind)
        self.all.append(node)
        return node


def write_claims(predictions: Predictions, documents: Documents, *, run_id: str = "claims") -> Iterator[str]:
    """Write claims as TAC KBP 2016.

    Read again, the lines claim the same: documents, relations, mentions, types, canonical mentions,
    confidences, in the same order. Names of entities may get a number.

    Parameters
    ----------
    predictions : Predictions
    documents : Documents
        Those that they are about.
    run_id : str
        One word.

    Yields
    ------
    str
        A line, with its line end: the run id; each entity with its type and mentions; each claim.

    Raises
    ------
    InvalidInput
        If the run id is none; or if no line of TAC KBP can say a claim: a mention that begins with a shorter
        canonical mention of its own, or two mentions each of which is the other's canonical one.
    """
    if not _RUN.fullmatch(run_id):
        raise InvalidInput(f"{run_id!r:.80} is no run id; it must be one word", where="run_id")
    nodes = _Nodes()
    for one in predictions:
        for end in _ends(one):
            nodes.shared(end).add(end.doc_id, end.mention, end.canonical)
    said: set[tuple[object, ...]] = set()
    lines = [_line(one, nodes, said) for one in predictions]  # before the entities: it may need more of them
    yield f"{run_id}\n"
    for node in filter(lambda node: node.is_used, nodes.all):
        yield from _entity_lines(node, documents)
    yield from lines


def _ends(one: ReadPrediction) -> list[_End]:
    """Return the ends of a claim that are entities, the subject first."""
    found = [_end(one, one.subject_entity, one.subject_type, one.subject, one.subject_canonical)]
    if one.object_canonical is not None:
        found.append(_end(one, one.object_entity, one.object_type, one.object, one.object_canonical))
    return found


def _end(one: ReadPrediction, name: str, kind: str, mention: Span, canonical: Span) -> _End:
    who: Who = (name, kind, "", None) if name else ("", kind, one.doc_id, canonical)
    return _End(who, one.doc_id, mention, canonical)


def _line(one: ReadPrediction, nodes: _Nodes, said: set[tuple[object, ...]]) -> str:
    """Return the line of a claim, of which a reader makes just this claim."""
    confidence = f"{Decimal(repr(one.confidence)):f}"
    ends = _ends(one)
    if len(ends) == 1:
        place = Place(one.doc_id, one.object)
        for make in (nodes.shared, nodes.alone):
            node = make(ends[0])
            if find_mention(node.as_read(), [ends[0].place]) == ends[0].place:
                node.is_used = True
                string = _quoted(one.object_entity[:_LONGEST_STRING])
                return f"{node.name}\t{one.official}\t{string}\t{place},{ends[0].place}\t{confidence}\n"
        raise _cannot_say(one)
    if one.turned:
        ends.reverse()
    first, second = ends
    for one_node, other_node in _pairs(first, second, nodes):
        for places in ([first.place, second.place], [second.place, first.place]):
            if (
                find_mention(one_node.as_read(), places) != first.place
                or find_mention(other_node.as_read(), places) != second.place
            ):
                continue
            key = one.official, one_node.name, other_node.name, *sorted(places)
            if key in said:  # a reader takes it for a repetition
                continue
            said.add(key)
            one_node.is_used = other_node.is_used = True
            spans = ",".join(map(str, places))
            return f"{one_node.name}\t{one.official}\t{other_node.name}\t{spans}\t{confidence}\n"
    raise _cannot_say(one)


def _pairs(first: _End, second: _End, nodes: _Nodes) -> Iterator[tuple[_Node, _Node]]:
    """Yield the entities by which a claim may be said, the plainest first; made as they are needed."""
    yield nodes.shared(first), nodes.shared(second)
    for number in itertools.count():
        yield nodes.alone(first, number), nodes.shared(second)
        yield nodes.shared(first), nodes.alone(second, number)
        yield nodes.alone(first, number), nodes.alone(second, number)
        if number:
            return


def _entity_lines(node: _Node, documents: Documents) -> Iterable[str]:
    yield f"{node.name}\ttype\t{node.type}\n"
    for doc_id, canonical in node.canonical.items():
        text = documents.text(doc_id)
        kinds = [("canonical_mention", canonical), ("mention", canonical)]
        kinds += [("mention", span) for span in node.mentions[doc_id] if span != canonical]
        for kind, span in kinds:
            string = _quoted(" ".join(text[span.start : span.end].split()))
            yield f"{node.name}\t{kind}\t{string}\t{Place(doc_id, span)}\n"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _cannot_say(one: ReadPrediction) -> InvalidInput:
    return InvalidInput(
        f"TAC KBP cannot say this claim of {one.official}: it finds mentions by where they begin, and a"
        " shorter canonical mention begins at the same place, or lies where the other mention is; give the"
        " mention that canonical mention's span, or leave the canonical mention out",
        where=f"line {one.line}",
    )
