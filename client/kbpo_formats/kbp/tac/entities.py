"""The entities of a file: their types, mentions and links, and what is wrong with them."""

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from kbpo_formats.kbp.predicates import Vocabulary
from kbpo_formats.kbp.tac.problems import ProblemLog
from kbpo_formats.kbp.tac.syntax import Limits
from kbpo_formats.spans import Span

_NAME = re.compile(r":?\w+")

MOST_ENTITIES = 2_000_000  # one that is of use has a type, mentions and relations: three lines and more

CANONICAL, NAMED, NOMINAL = range(3)

_new = tuple.__new__  # a third of what a call of the class costs
_NOTHING: Mapping[str, Any] = MappingProxyType({})

Ends = tuple[int, int]
"""A span, where making a `Span` of each would cost more than what is done with it."""


class Mentions:
    """The mentions of one entity in one document.

    A file may have millions of them, so they are kept as numbers.

    Attributes
    ----------
    flawed : bool
        Whether a line that gives a mention here had an error, so that nothing can be said to be missing.
    canonical : Span or None
        Set by `settle`.
    """

    __slots__ = ("_asserted", "_ends", "_starts", "canonical", "flawed")

    def __init__(self) -> None:
        self._asserted = array("i")  # kind, start, end and line of each
        self._starts = array("i")  # of the shortest mention with each start, in order
        self._ends = array("i")
        self.flawed = False
        self.canonical: Span | None = None

    def add(self, kind: int, span: Span, line: int) -> None:
        """Note a mention: `CANONICAL`, `NAMED` or `NOMINAL`."""
        self._asserted.extend((kind, span.start, span.end, line))

    def asserted(self) -> Iterator[tuple[int, Span, int]]:
        """Yield kind, span and line of each mention, in the file's order."""
        numbers = iter(self._asserted)
        for kind, start, end, line in zip(numbers, numbers, numbers, numbers, strict=True):
            yield kind, Span(start, end), line

    def settle(self, entity: "Entity", doc_id: str, log: ProblemLog) -> None:
        """Report what is wrong among the mentions, apply the repairs, and set `canonical`."""
        first: tuple[dict[Ends, int], dict[Ends, int], dict[Ends, int]] = ({}, {}, {})
        numbers = iter(self._asserted)
        for kind, start, end, line in zip(numbers, numbers, numbers, numbers, strict=True):
            first[kind].setdefault((start, end), line)
        canonical, named, nominal = first
        for start, end in sorted(canonical.keys() | named.keys() | nominal.keys()):
            if not self._starts or self._starts[-1] != start:
                self._starts.append(start)
                self._ends.append(end)
        for span, line in canonical.items():
            if self.canonical is None:
                self.canonical = Span(*span)
            else:
                log.add("MULTIPLE_CANONICAL", line, entity.name, entity.name, doc_id, _shown(span))
            if span not in named and span not in nominal and not self.flawed:
                place = f"{doc_id}:{_shown(span)}"
                log.add("UNASSERTED_MENTION", line, entity.name, entity.name, place)
        if canonical or not self._starts or self.flawed:
            return
        if not named and log.knows("MISSING_MENTION"):
            log.add("MISSING_MENTION", min(nominal.values()), entity.name, entity.name, doc_id)
        line = min((*named.values(), *nominal.values()))
        count = len(named) + len(nominal)
        if count > 1 and log.knows("MULTIPLE_MENTIONS_NO_CANONICAL"):
            log.add("MULTIPLE_MENTIONS_NO_CANONICAL", line, entity.name, entity.name, doc_id, count)
            return
        self.canonical = Span(*min(named or nominal))
        log.add("MISSING_CANONICAL", line, entity.name, entity.name, doc_id, _shown(self.canonical))

    def first_inside(self, span: Span) -> Span | None:
        """Return the first mention, by start and then end, that lies inside a span."""
        start, end = span
        starts, ends = self._starts, self._ends
        for i in range(bisect_left(starts, start), len(starts)):
            if ends[i] <= end:
                return _new(Span, (starts[i], ends[i]))
            if starts[i] >= end:
                break
        return None

    def first_from(self, start: int) -> Span | None:
        """Return the first mention that starts at or after an offset."""
        i = bisect_left(self._starts, start)
        return Span(self._starts[i], self._ends[i]) if i < len(self._starts) else None


class Entity:
    """An entity of a file.

    Attributes
    ----------
    name : str
        With its colon.
    types : mapping of str to int
        The types that are asserted, and the first line of each.
    inferred : mapping of str to tuple of int and int
        Where no type is asserted, those that follow from relations: 0 as subject or 1 as object, and the
        first such line.
    flawed_type : bool
        Whether a type line had an error, so that no type can be said to be missing.
    subject_line, object_line : int
        The first line where it is a subject or an object; 0 if there is none.
    mentions : mapping of str to Mentions
        By document.
    links : mapping of str to str
        The first id in each outside knowledge base.
    type : str or None
        Asserted or inferred; None if there are none or several. Set by `Entities.settle_types`.
    """

    __slots__ = (
        "flawed_type",
        "inferred",
        "links",
        "mentions",
        "name",
        "object_line",
        "subject_line",
        "type",
        "types",
    )

    def __init__(self, name: str) -> None:
        self.name = name
        # Most entities leave some of these empty, and an empty dictionary is not small.
        self.types: Mapping[str, int] = _NOTHING
        self.inferred: Mapping[str, tuple[int, int]] = _NOTHING
        self.mentions: Mapping[str, Mentions] = _NOTHING
        self.links: Mapping[str, str] = _NOTHING
        self.flawed_type = False
        self.subject_line = 0
        self.object_line = 0
        self.type: str | None = None

    def __str__(self) -> str:
        return self.name

    @property
    def line(self) -> int:
        """The line to point at where the entity as a whole is meant."""
        return min(self.types.values(), default=0) or self.subject_line or self.object_line

    @property
    def asserted_type(self) -> str | None:
        """The type, if exactly one is asserted."""
        return next(iter(self.types)) if len(self.types) == 1 else None

    def add_type(self, type: str, line: int) -> None:
        """Note that a line asserts a type."""
        if type not in self.types:
            self.types = {**self.types, type: line}

    def infer(self, type: str, role: int, line: int) -> None:
        """Note that a relation line makes the entity one of this type, as subject (0) or object (1).

        To be called once all lines that assert types are read.
        """
        if self.types:
            return
        known = self.inferred.get(type)
        if known is None or (role, line) < known:
            self.inferred = {**self.inferred, type: (role, line)}

    def link(self, base: str, id: str) -> str:
        """Note a link to a knowledge base outside; return the first one to it."""
        if not isinstance(self.links, dict):
            self.links = {}
        return self.links.setdefault(base, id)

    def mentions_in(self, doc_id: str) -> Mentions:
        """Return the mentions in a document, which is entered if it is new."""
        mentions = self.mentions.get(doc_id)
        if mentions is None:
            mentions = Mentions()
            if isinstance(self.mentions, dict):
                self.mentions[doc_id] = mentions
            else:
                self.mentions = {doc_id: mentions}
        return mentions


class Entities:
    """All entities of a file, by name.

    Parameters
    ----------
    log : ProblemLog
    limits : Limits
    vocabulary : Vocabulary
    """

    def __init__(self, log: ProblemLog, limits: Limits, vocabulary: Vocabulary) -> None:
        self._log = log
        self._vocabulary = vocabulary
        known = vocabulary.entity_types
        nominal = [name for name in limits.nominal_types or () if name in known]
        self._nominal_types = frozenset(nominal or known)
        self._by_name: dict[str, Entity] = {}

    def __iter__(self) -> Iterator[Entity]:
        return iter(self._by_name.values())

    def __len__(self) -> int:
        return len(self._by_name)

    def get(self, name: str) -> Entity | None:
        """Return the entity of a name that is spelled with its colon, if it is known."""
        return self._by_name.get(name)

    def named(self, name: str, line: int, column: int) -> Entity | None:
        """Return the entity of a name, which is entered if it is new; None if it is no name."""
        if name.startswith('"'):
            self._log.add("STRING_USED_FOR_ENTITY", line, name, name, column=column)
            return None
        if not _NAME.fullmatch(name):
            self._log.add("ILLEGAL_ENTITY_NAME", line, name, repr(name), column=column)
            return None
        if not name.startswith(":"):
            self._log.add("COLON_OMITTED", line, name, name, column=column)
            name = f":{name}"
        entity = self._by_name.get(name)
        if entity is None:
            if len(self._by_name) == MOST_ENTITIES:
                self._log.end("TOO_LARGE", line, name, f"names more than {MOST_ENTITIES:,} entities")
            entity = self._by_name[name] = Entity(name)
        return entity

    def settle_types(self) -> None:
        """Report entities without a type, and with several; set the type of all others."""
        for entity in self:
            types = entity.types or entity.inferred
            entity.type = next(iter(types)) if len(types) == 1 else None
            if len(entity.types) > 1:
                self._check_agreement(entity, [(line, type) for type, line in entity.types.items()])
            if entity.types or entity.flawed_type:
                continue
            if not entity.inferred:
                first = self._vocabulary.entity_types[0]
                self._log.add("UNKNOWN_TYPE", entity.line, entity.name, entity.name, first)
                continue
            type, (_, line) = min(entity.inferred.items(), key=lambda item: item[1])
            self._log.add("MISSING_TYPEDEF", line, entity.name, entity.name, type)
            self._check_agreement(entity, [(line, type) for type, (_, line) in entity.inferred.items()])

    def check_use(self, entity: Entity, types: Iterable[str], line: int) -> bool:
        """Report an object whose type is none of those that its predicate takes; say whether it is one."""
        type = entity.type
        if type is None:
            return False
        if type in types:
            return True
        first = entity.types[type] if entity.types else entity.inferred[type][1]
        self._log_conflict(entity, type, first, " or ".join(types), line)
        return False

    def _check_agreement(self, entity: Entity, types: list[tuple[int, str]]) -> None:
        (line, type), *others = sorted(types)
        for other_line, other in others:
            self._log_conflict(entity, type, line, other, other_line)

    def _log_conflict(self, entity: Entity, type: str, line: int, other: str, other_line: int) -> None:
        self._log.add("MULTITYPED_ENTITY", other_line, entity.name, entity.name, type, line, other)

    def settle_mentions(self) -> None:
        """Check the mentions of every entity, and apply the repairs."""
        for entity in self:
            if not entity.mentions:
                self._log.add("NO_MENTIONS", entity.line, entity.name, entity.name)
            for doc_id, mentions in entity.mentions.items():
                mentions.settle(entity, doc_id, self._log)
            if entity.type is None or entity.type in self._nominal_types:
                continue
            for mentions in entity.mentions.values():
                for kind, _, line in mentions.asserted():
                    if kind == NOMINAL:
                        note = f" of {entity.type} in this format"
                        said = self._vocabulary.called, self._vocabulary.example, ""
                        values = ("nominal_mention", note, *said)
                        self._log.add("ILLEGAL_PREDICATE", line, entity.name, *values, column=2)


def _shown(span: Ends) -> str:
    return f"{span[0]}-{span[1] - 1}"
