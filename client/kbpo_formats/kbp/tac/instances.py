"""From relation lines between entities to instances between mentions."""

from collections.abc import Iterable
from dataclasses import dataclass

from kbpo_formats.kbp.merging import Merger
from kbpo_formats.kbp.overlapping import find_overlapping
from kbpo_formats.kbp.predictions import Predictions, ReadPrediction
from kbpo_formats.kbp.tac.entities import Entity
from kbpo_formats.kbp.tac.lengths import Lengths
from kbpo_formats.kbp.tac.problems import ProblemLog
from kbpo_formats.kbp.tac.relations import Claim
from kbpo_formats.kbp.tac.syntax import Place
from kbpo_formats.spans import Span

_new = tuple.__new__  # a third of what a call of the class costs
End = tuple[Span, str, str, Span | None]  # mention, type, entity, canonical mention: none of a string


@dataclass(frozen=True, slots=True)
class Instances:
    """The instances of a file, and what became of its lines.

    Attributes
    ----------
    predictions : Predictions
        In the order of the lines that first claim them.
    turned : int
        Lines whose subject and object changed places.
    merged : int
        Lines that became an instance that an earlier line had claimed.
    overlapping : int
        Instances that are left out, since they overlap one that counts.
    """

    predictions: Predictions
    turned: int
    merged: int
    overlapping: int


def find_instances(claims: Iterable[Claim], lengths: Lengths, log: ProblemLog) -> Instances:
    """Find the mentions that each relation line is about, and merge the lines that are about the same.

    Parameters
    ----------
    claims : iterable of Claim
        Their entities' mentions settled.
    lengths : Lengths
        Looks at the spans of strings, and has the documents.
    log : ProblemLog
        Receives a warning for each line that is dropped, and for each claim that overlaps another.
    """
    merger = Merger()
    turned = 0
    for claim in claims:
        made = _prediction(claim, lengths, log)
        if made is None:
            continue
        turned += made.turned
        merger.add(made)
    predictions = merger.predictions
    overlapping = find_overlapping(predictions, lengths.documents)
    for place, other in overlapping.items():
        _report(predictions[place], predictions[other], log)
    if overlapping:
        predictions = predictions.without(overlapping)
    return Instances(predictions, turned, merger.merged, len(overlapping))


def _report(one: ReadPrediction, other: ReadPrediction, log: ProblemLog) -> None:
    claim = f"{one.official}({one.subject_entity}, {one.object_entity})"
    log.add("OVERLAPPING_CLAIM", one.line, claim, claim, other.line)


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
            return _new(Place, (doc_id, mention))
    for doc_id, span in places:
        mentions = entity.mentions.get(doc_id)
        if mentions is not None and (mention := mentions.first_from(span.start)):
            return Place(doc_id, mention)
    return None


def _prediction(claim: Claim, lengths: Lengths, log: ProblemLog) -> ReadPrediction | None:
    """Make the instance of a line; None if the line is dropped."""
    assertion, places = claim
    line, verb, subject, filler, provenance, confidence = assertion
    object_type = (verb.literal_type if isinstance(filler, str) else filler.type) or ""
    relation = verb.relations.get(object_type)
    if relation is None:
        log.add("PREDICATE_NOT_SCORED", line, assertion, verb, column=2)
        return None
    spans = places
    if isinstance(filler, str):
        object_place: Place | None = places[0]
        lengths.check(places[0], line, assertion)
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
        second = object_place.span, object_type, filler, None
    else:
        canonical = filler.mentions[doc_id].canonical or object_place.span
        second = object_place.span, object_type, filler.name, canonical
    turned = verb.turn == "swap" or (relation.is_symmetric and second[0] < first[0])
    if turned:
        first, second = second, first
    subject_span, subject_type, subject_entity, subject_canonical = first
    object_span, last_type, object_entity, object_canonical = second
    names = doc_id, relation.name, subject_type, last_type, subject_entity, object_entity, verb.name
    ends = subject_span, object_span, subject_canonical or subject_span, object_canonical
    return _new(ReadPrediction, (*names, provenance, *ends, line, turned, confidence))
