"""Extractions written as a knowledge base: as JSON Lines, or in the format of TAC KBP Cold Start 2016.

An entity is a type and a name: two documents that name somebody alike are about the same one. Offsets in a
file of TAC KBP are inclusive at both ends.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from demo.systems import lexicon
from demo.systems.reading import ONTOLOGY, Claim, Extraction, Mention
from kbpo_formats.spans import Span

# A stored place relation has an official name for each kind of place.
_PLACES = {
    "per:place_of_birth": "per:{}_of_birth",
    "per:place_of_death": "per:{}_of_death",
    "org:place_of_headquarters": "org:{}_of_headquarters",
}
_RESIDENCE = {
    "city": "per:cities_of_residence",
    "stateorprovince": "per:statesorprovinces_of_residence",
    "country": "per:countries_of_residence",
}
_DATE = re.compile(r"(?:(?:(?P<day>\d{1,2}) )?(?P<month>[A-Z][a-z]+) )?(?P<year>\d{4})")

Entity = tuple[str, str]


def write_claims(extractions: Sequence[Extraction]) -> Iterator[str]:
    """Write what is claimed as JSON Lines, a claim a line; yield the lines, without line ends.

    Parameters
    ----------
    extractions : sequence of Extraction
        One for each document.
    """
    for extraction in extractions:
        for claim in _strongest(extraction.claims):
            line = {
                "doc_id": extraction.doc_id,
                "predicate": _official(claim),
                "subject": _end(claim.subject),
                "object": _end(claim.object),
                "confidence": round(claim.confidence, 4),
            }
            yield json.dumps(line, ensure_ascii=False)


def _end(mention: Mention) -> dict[str, Any]:
    end: dict[str, Any] = {**mention.span._asdict(), "type": mention.type}
    if mention.kind == "string":
        return {**end, "value": _normalized(mention.words)} if mention.type == "DATE" else end
    if mention.canonical != mention.span:
        end["canonical"] = mention.canonical._asdict()
    return {**end, "entity": f"{mention.type} {mention.name}"}


def write_tac(extractions: Sequence[Extraction], *, run_id: str) -> Iterator[str]:
    """Write a knowledge base as TAC KBP has it: relations as they are, and by their inverses.

    Parameters
    ----------
    extractions : sequence of Extraction
        One for each document.
    run_id : str
        The first line of the file.

    Yields
    ------
    str
        The lines, without line ends.
    """
    mentions = sorted(
        {
            ((mention.type, mention.name), extraction.doc_id, mention)
            for extraction in extractions
            for mention in extraction.mentions
            if mention.kind != "string"
        },
        key=lambda item: (item[0], item[1], item[2].span, item[2].canonical),
    )
    nodes = {
        entity: f":E{number:04}" for number, entity in enumerate(dict.fromkeys(m[0] for m in mentions), 1)
    }
    yield run_id
    for entity, of_entity in groupby(mentions, key=lambda item: item[0]):
        yield ""
        yield f"{nodes[entity]}\ttype\t{entity[0]}"
        for doc_id, in_document in groupby(of_entity, key=lambda item: item[1]):
            yield from _mention_lines(nodes[entity], entity[1], doc_id, [m for _, _, m in in_document])
    for extraction in extractions:
        yield ""
        for claim in _strongest(extraction.claims):
            yield from _relation_lines(nodes, extraction.doc_id, claim)


def _mention_lines(node: str, name: str, doc_id: str, mentions: list[Mention]) -> Iterator[str]:
    canonical = min(mention.canonical for mention in mentions)
    yield f"{node}\tcanonical_mention\t{_quoted(name)}\t{_place(doc_id, canonical)}"
    named = {mention.span: mention.words for mention in mentions if mention.kind == "name"} | {
        canonical: name
    }
    for span, words in sorted(named.items()):
        yield f"{node}\tmention\t{_quoted(words)}\t{_place(doc_id, span)}"
    for mention in mentions:
        if mention.kind != "name":
            yield f"{node}\tnominal_mention\t{_quoted(mention.words)}\t{_place(doc_id, mention.span)}"


def _strongest(claims: Iterable[Claim]) -> Iterator[Claim]:
    """Give each pair of mentions and relation once, with the largest confidence."""

    def key(claim: Claim) -> tuple[str, Span, Span]:
        return claim.relation, claim.subject.span, claim.object.span

    for _, same in groupby(sorted(claims, key=key), key=key):
        yield max(same, key=lambda claim: claim.confidence)


def _relation_lines(nodes: dict[Entity, str], doc_id: str, claim: Claim) -> Iterator[str]:
    subject, obj = claim.subject, claim.object
    confidence = f"{claim.confidence:.4f}"
    name = _official(claim)
    node = nodes[subject.type, subject.name]
    if obj.kind == "string":
        filler = _normalized(obj.words) if obj.type == "DATE" else obj.words
        provenance = f"{_place(doc_id, obj.span)},{_place(doc_id, subject.span)}"
        yield f"{node}\t{name}\t{_quoted(filler)}\t{provenance}\t{confidence}"
        return
    other = nodes[obj.type, obj.name]
    provenance = f"{_place(doc_id, subject.span)},{_place(doc_id, obj.span)}"
    yield f"{node}\t{name}\t{other}\t{provenance}\t{confidence}"
    inverse = ONTOLOGY.predicates_by_name[name].inverse_for(obj.type)
    yield f"{other}\t{inverse}\t{node}\t{provenance}\t{confidence}"


def _official(claim: Claim) -> str:
    """Name the official predicate of a claim: only places have more than one."""
    words = claim.object.name
    kind = "city"
    if words in lexicon.COUNTRIES:
        kind = "country"
    elif words in lexicon.PROVINCES:
        kind = "stateorprovince"
    if claim.relation == "per:place_of_residence":
        return _RESIDENCE[kind]
    return _PLACES.get(claim.relation, claim.relation).format(kind)


def _normalized(words: str) -> str:
    """Write a date as the task wants it: ``1979-05-04``, and ``1979-XX-XX`` where only the year is known."""
    match = _DATE.fullmatch(words)
    if match is None:
        return words
    month = f"{lexicon.MONTHS.index(match['month']) + 1:02}" if match["month"] else "XX"
    return (
        f"{match['year']}-{month}-{int(match['day']):02}" if match["day"] else f"{match['year']}-{month}-XX"
    )


def _place(doc_id: str, span: Span) -> str:
    return f"{doc_id}:{span.start}-{span.end - 1}"


def _quoted(words: str) -> str:
    escaped = words.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
