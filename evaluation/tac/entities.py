"""The entities of a file: their types, mentions and links, and what is wrong with them."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from evaluation.tac.problems import ProblemLog
from evaluation.tac.syntax import Limits
from kbpo.core.spans import Span

_NAME = re.compile(r":?\w+")

CANONICAL, NAMED, NOMINAL = range(3)


class Mentions:
    """The mentions of one entity in one document.

    Attributes
    ----------
    asserted : list of tuple of int, Span and int
        Kind (`CANONICAL`, `NAMED` or `NOMINAL`), span and line, in the file's order.
    flawed : bool
        Whether a line that gives a mention here had an error, so that nothing can be said to be missing.
    shortest : dict of int to Span
        By start, in order, the shortest mention that starts there; set by `settle`.
    canonical : Span or None
        Set by `settle`.
    """

    __slots__ = ("_starts", "asserted", "canonical", "flawed", "shortest")

    def __init__(self) -> None:
        self.asserted: list[tuple[int, Span, int]] = []
        self.flawed = False
        self.shortest: dict[int, Span] = {}
        self._starts: Sequence[int] = ()
        self.canonical: Span | None = None

    def settle(self, entity: "Entity", doc_id: str, log: ProblemLog) -> None:
        """Report what is wrong among the mentions, apply the repairs, and set `shortest` and `canonical`."""
        first: tuple[dict[Span, int], dict[Span, int], dict[Span, int]] = ({}, {}, {})
        for kind, span, line in self.asserted:
            first[kind].setdefault(span, line)
        canonical, named, nominal = first
        for span in sorted(canonical.keys() | named.keys() | nominal.keys()):
            self.shortest.setdefault(span.start, span)
        for span, line in canonical.items():
            if self.canonical is None:
                self.canonical = span
            else:
                log.add("MULTIPLE_CANONICAL", line, entity.name, entity.name, doc_id, _shown(span))
            if span not in named and span not in nominal and not self.flawed:
                place = f"{doc_id}:{_shown(span)}"
                log.add("UNASSERTED_MENTION", line, entity.name, entity.name, place)
        if canonical or not self.shortest or self.flawed:
            return
        if not named and log.knows("MISSING_MENTION"):
            log.add("MISSING_MENTION", min(nominal.values()), entity.name, entity.name, doc_id)
        line = min((*named.values(), *nominal.values()))
        count = len(named) + len(nominal)
        if count > 1 and log.knows("MULTIPLE_MENTIONS_NO_CANONICAL"):
            log.add("MULTIPLE_MENTIONS_NO_CANONICAL", line, entity.name, entity.name, doc_id, count)
            return
        self.canonical = min(named or nominal)
        log.add("MISSING_CANONICAL", line, entity.name, entity.name, doc_id, _shown(self.canonical))

    def first_inside(self, span: Span) -> Span | None:
        """Return the first mention, by start and then end, that lies inside a span."""
        mention = self.shortest.get(span.start)
        if mention is not None and mention.end <= span.end:
            return mention
        starts = self._sorted_starts()
        for i in range(bisect_left(starts, span.start), len(starts)):
            mention = self.shortest[starts[i]]
            if mention.end <= span.end:
                return mention
            if mention.start >= span.end:
                break
        return None

    def first_from(self, start: int) -> Span | None:
        """Return the first mention that starts at or after an offset."""
        starts = self._sorted_starts()
        i = bisect_left(starts, start)
        return self.shortest[starts[i]] if i < len(starts) else None

    def _sorted_starts(self) -> Sequence[int]:
        if not self._starts:
            self._starts = list(self.shortest)
        return self._starts


class Entity:
    """An entity of a file.

    Attributes
    ----------
    name : str
        With its colon.
    types : dict of str to int
        The types that are asserted, and the first line of each.
    inferred : dict of str to tuple of int and int
        The types that follow from relations: 0 as subject or 1 as object, and the first such line.
    flawed_type : bool
        Whether a type line had an error, so that no type can be said to be missing.
    subject_line, object_line : int
        The first line where it is a subject or an object; 0 if there is none.
    mentions : dict of str to Mentions
        By document.
    links : dict of str to str
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
        self.types: dict[str, int] = {}
        self.inferred: dict[str, tuple[int, int]] = {}
        self.flawed_type = False
        self.subject_line = 0
        self.object_line = 0
        self.mentions: dict[str, Mentions] = {}
        self.links: dict[str, str] = {}
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

    def infer(self, type: str, role: int, line: int) -> None:
        """Note that a relation line makes the entity one of this type, as subject (0) or object (1)."""
        known = self.inferred.get(type)
        if known is None or (role, line) < known:
            self.inferred[type] = (role, line)

    def mentions_in(self, doc_id: str) -> Mentions:
        """Return the mentions in a document, which is entered if it is new."""
        mentions = self.mentions.get(doc_id)
        if mentions is None:
            mentions = self.mentions[doc_id] = Mentions()
        return mentions


class Entities:
    """All entities of a file, by name.

    Parameters
    ----------
    log : ProblemLog
    limits : Limits
    """

    def __init__(self, log: ProblemLog, limits: Limits) -> None:
        self._log = log
        self._limits = limits
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
                self._log.add("UNKNOWN_TYPE", entity.line, entity.name, entity.name)
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
        nominal_types = self._limits.nominal_types
        for entity in self:
            if not entity.mentions:
                self._log.add("NO_MENTIONS", entity.line, entity.name, entity.name)
            for doc_id, mentions in entity.mentions.items():
                mentions.settle(entity, doc_id, self._log)
            if entity.type is None or entity.type in nominal_types:
                continue
            for mentions in entity.mentions.values():
                for kind, _, line in mentions.asserted:
                    if kind == NOMINAL:
                        note = f" of {entity.type} in this format"
                        self._log.add(
                            "ILLEGAL_PREDICATE", line, entity.name, "nominal_mention", note, "", column=2
                        )


def _shown(span: Span) -> str:
    return f"{span.start}-{span.end - 1}"
