"""How simulated people mark a document: as gold has it, or with mentions missed, cut or of a wrong type."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from random import Random
from typing import Any
from urllib.parse import unquote

from annotations.kinds.entities import EntitiesQuestion
from annotations.kinds.links import read_link
from annotations.texts.languages import read_language
from annotations.texts.passages import Passage
from annotations.texts.records import AnnotationRecord, MentionRecord
from kbpo.core.errors import InvalidInput
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.spans import Span


def right(asked: EntitiesQuestion, gold: AnnotationRecord) -> dict[str, object]:
    """Return the right answer to the question about a document."""
    return answer(asked, gold.mentions)


def given(asked: EntitiesQuestion, gold: AnnotationRecord, error: float, rng: Random) -> dict[str, object]:
    """Return the answer of somebody who makes mistakes, as `with_errors` says."""
    assert asked.passage is not None, "it was read to be answered"
    types = list(_ontology(asked).mention_types_by_name)
    return answer(asked, with_errors(gold.mentions, asked.passage, types, error, rng))


def answer(asked: EntitiesQuestion, mentions: Iterable[MentionRecord]) -> dict[str, Any]:
    """Return the answer that marks certain mentions, as far as an answer can.

    Spans are widened to whole words. Of mentions that may not stand beside each other the longer stays.
    Entities are mentions with the same canonical mention and type.

    Parameters
    ----------
    asked : EntitiesQuestion
        With its passage.
    mentions : iterable of MentionRecord
        Of gold; a link that is neither an address in the English Wikipedia nor a date counts as none.
    """
    passage = asked.passage
    assert passage is not None, "people mark a document"
    kept: list[MentionRecord] = []
    for mention in sorted(mentions, key=lambda one: (one.span.start - one.span.end, one)):
        span = passage.whole_words(mention.span)
        if span is not None and all(_may_stand(span, mention.type, other) for other in kept):
            canonical = passage.whole_words(mention.canonical) or span
            kept.append(MentionRecord(span, mention.type, canonical, mention.link))
    entities: dict[tuple[Span, str], list[MentionRecord]] = {}
    for mention in sorted(kept):
        entities.setdefault((mention.canonical, mention.type), []).append(mention)
    marked: list[MentionRecord] = []
    links: dict[Span, object] = {}
    for (said, _), members in entities.items():
        spans = [one.span for one in members]
        canonical = said if said in spans else min(spans, key=lambda span: (span.start - span.end, span))
        links[canonical] = _link(members, passage.language, _ontology(asked))
        marked += [MentionRecord(one.span, one.type, canonical) for one in members]
    return asked.answer(marked, links)


def with_errors(
    mentions: Sequence[MentionRecord], passage: Passage, types: Sequence[str], error: float, rng: Random
) -> list[MentionRecord]:
    """Make the mistakes of a person: each mention is missed, has a word too many or too few, or a wrong type.

    Parameters
    ----------
    mentions : sequence of MentionRecord
    passage : Passage
    types : sequence of str
        Those that there are.
    error : float
        The probability that one is missed; each of the other mistakes is half as likely.
    rng : Random
    """
    made = []
    for mention in mentions:
        missed, moved, mistyped = (rng.random() < chance for chance in (error, error / 2, error / 2))
        if missed:
            continue
        span, kind = mention.span, mention.type
        if moved:
            span = rng.choice(_other_ends(span, passage) or [span])
        if mistyped:
            kind = rng.choice([name for name in types if name != kind] or [kind])
        own = mention.canonical == mention.span or mistyped
        made.append(MentionRecord(span, kind, span if own else mention.canonical, mention.link))
    return made


def _may_stand(span: Span, kind: str, other: MentionRecord) -> bool:
    """Say whether a mention may stand beside one that is no shorter."""
    if not span.overlaps(other.span):
        return True
    return other.span.contains(span) and span != other.span and kind != other.type


def _other_ends(span: Span, passage: Passage) -> list[Span]:
    """List what a span is with a word more or less at one end."""
    whole = passage.whole_words(span)
    if whole is None:
        return []
    first, last = passage.first_of[whole.start], passage.last_of[whole.end]
    ends = [(first - 1, last), (first + 1, last), (first, last - 1), (first, last + 1)]
    return [
        Span(passage.tokens[start].start, passage.tokens[end].end)
        for start, end in ends
        if 0 <= start <= end < len(passage.tokens)
    ]


def _ontology(asked: EntitiesQuestion) -> Ontology:
    assert asked.ontology is not None, "it was read to be answered"
    return asked.ontology


def _link(members: Sequence[MentionRecord], language: str, ontology: Ontology) -> dict[str, Any]:
    pages = read_language(language).pages
    for member in members:
        of_type = ontology.find_type(member.type)
        said = unquote(member.link.removeprefix(pages))
        if of_type.link == "date" or (of_type.link == "page" and member.link.startswith(pages)):
            with suppress(InvalidInput):
                return read_link({of_type.link: said}, of_type)
    return {"none": True}
