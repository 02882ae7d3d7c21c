"""From relation lines between entities to instances between mentions."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from evaluation.tac.entities import Entity
from evaluation.tac.problems import ProblemLog
from evaluation.tac.relations import Claim
from evaluation.tac.syntax import Place
from kbpo.core.ontology import PREDICATES, Relation
from kbpo.core.spans import Span

End = tuple[Span, str, str, Span | None]  # mention, type, entity, canonical mention: none of a string


class ReadPrediction(NamedTuple):
    """An instance that a file claims.

    Attributes
    ----------
    doc_id : str
    predicate : str
        The name it is stored under.
    subject, object : Span
        The two mentions, in the stored direction.
    subject_type, object_type : str
        PER, ORG or GPE; the object may also be DATE or TITLE.
    subject_entity, object_entity : str
        The entities' names; for a string, what stands between its quotes.
    subject_canonical : Span
    object_canonical : Span or None
        The canonical mentions in this document; None for a string.
    confidence : float
        1.0 where the file gives none.
    line : int
        The line with the largest confidence, the first of them on ties.
    official : str
        The official predicate of that line.
    turned : bool
        Whether that line's subject and object changed places.
    provenance : str
        Of that line, as it stands there.
    """

    doc_id: str
    predicate: str
    subject: Span
    object: Span
    subject_type: str
    object_type: str
    subject_entity: str
    object_entity: str
    subject_canonical: Span
    object_canonical: Span | None
    confidence: float
    line: int
    official: str
    turned: bool
    provenance: str


@dataclass(frozen=True, slots=True)
class Instances:
    """The instances of a file, and what became of its lines.

    Attributes
    ----------
    predictions : tuple of ReadPrediction
        In the order of the lines that first claim them.
    turned : int
        Lines whose subject and object changed places.
    merged : int
        Lines that became an instance that an earlier line had claimed.
    """

    predictions: tuple[ReadPrediction, ...]
    turned: int
    merged: int


def find_instances(claims: Iterable[Claim], log: ProblemLog) -> Instances:
    """Find the mentions that each relation line is about, and merge the lines that are about the same.

    Parameters
    ----------
    claims : iterable of Claim
        Their entities' mentions settled.
    log : ProblemLog
        Receives a warning for each line that is dropped.
    """
    found: dict[tuple[str, str, Span, Span], ReadPrediction] = {}
    turned = merged = 0
    for claim in claims:
        made = _prediction(claim, log)
        if made is None:
            continue
        turned += made.turned
        key = (made.doc_id, made.predicate, made.subject, made.object)
        known = found.get(key)
        if known is not None:
            merged += 1
            if made.confidence <= known.confidence:
                continue
        found[key] = made
    return Instances(tuple(found.values()), turned, merged)


def find_mention(entity: Entity, places: list[Place]) -> Place | None:
    """Find the mention of an entity that provenance is about.

    Parameters
    ----------
    entity : Entity
    places : list of Place
        The spans of provenance, in order.

    Returns
    -------
    Place or None
        The first mention inside the first span that contains one; where none does, the first that starts at
        or after a span's start, spans in order.
    """
    for doc_id, span in places:
        mentions = entity.mentions.get(doc_id)
        if mentions is not None and (mention := mentions.first_inside(span)):
            return Place(doc_id, mention)
    for doc_id, span in places:
        mentions = entity.mentions.get(doc_id)
        if mentions is not None and (mention := mentions.first_from(span.start)):
            return Place(doc_id, mention)
    return None


def _prediction(claim: Claim, log: ProblemLog) -> ReadPrediction | None:
    """Make the instance of a line; None if the line is dropped."""
    assertion, places = claim
    line, predicate, subject, filler, provenance, confidence = assertion
    relation = _relation(predicate.name, "STRING" if isinstance(filler, str) else filler.type or "")
    if relation is None:
        log.add("PREDICATE_NOT_SCORED", line, assertion, predicate.name, column=2)
        return None
    spans = places
    if isinstance(filler, str):
        object_place: Place | None = places[0]
        spans = places[1:]
    else:
        object_place = find_mention(filler, spans)
    subject_place = find_mention(subject, spans)
    if subject_place is None or object_place is None:
        lost = subject if subject_place is None else filler
        searched = ", ".join(map(str, spans)) or "the string's own span, which stands alone"
        log.add("NO_MENTION_FOUND", line, assertion, lost, searched, column=4)
        return None
    doc_id = subject_place.doc_id
    if doc_id != object_place.doc_id:
        log.add("MENTIONS_IN_TWO_DOCUMENTS", line, assertion, doc_id, object_place.doc_id, column=4)
        return None

    # Without a canonical mention or a type the file is refused, and what stands for it here goes nowhere.
    canonical = subject.mentions[doc_id].canonical or subject_place.span
    first: End = subject_place.span, subject.type or "", subject.name, canonical
    second: End
    if isinstance(filler, str):
        second = object_place.span, relation.object_types[0], filler, None
    else:
        canonical = filler.mentions[doc_id].canonical or object_place.span
        second = object_place.span, filler.type or "", filler.name, canonical
    turned = predicate.turn == "swap" or (predicate.turn == "symmetric" and second[0] < first[0])
    if turned:
        first, second = second, first
    subject_span, subject_type, subject_entity, subject_canonical = first
    object_span, object_type, object_entity, object_canonical = second
    return ReadPrediction(
        doc_id=doc_id,
        predicate=relation.name,
        subject=subject_span,
        object=object_span,
        subject_type=subject_type,
        object_type=object_type,
        subject_entity=subject_entity,
        object_entity=object_entity,
        subject_canonical=subject_canonical or subject_span,
        object_canonical=object_canonical,
        confidence=confidence,
        line=line,
        official=predicate.name,
        turned=turned,
        provenance=provenance,
    )


@lru_cache
def _relation(predicate: str, object_type: str) -> Relation | None:
    return PREDICATES[predicate].relation_for(object_type)
