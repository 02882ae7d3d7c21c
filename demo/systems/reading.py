"""From plain text to sentences, mentions and who they mean: what all the example systems share.

All of it is rules on words. It is meant to be read in one sitting, not to be good: surnames go to the person
who was named last, *she* may find the wrong woman, and *the company* is whichever was last in the text.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from demo.markup import Document
from demo.systems import lexicon
from kbpo_formats.ontologies.builtin import DEFAULT, read_builtin
from kbpo_formats.spans import Span

ONTOLOGY = read_builtin(DEFAULT)
"""Of the demo's texts."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A mention that a system has found.

    Attributes
    ----------
    span : Span
    type : str
        One of `ONTOLOGY`'s.
    words : str
    canonical : Span
        The canonical mention of its entity in this document.
    name : str
        The words of the canonical mention; the same type and name are the same entity in every document.
    kind : {"name", "nominal", "pronoun", "string"}
    """

    span: Span
    type: str
    words: str
    canonical: Span
    name: str
    kind: Literal["name", "nominal", "pronoun", "string"]


@dataclass(frozen=True, slots=True)
class Claim:
    """A relation that a system says holds between two mentions of a document.

    Attributes
    ----------
    relation : str
        A name of `ONTOLOGY`'s.
    subject, object : Mention
    confidence : float
        In (0, 1].
    """

    relation: str
    subject: Mention
    object: Mention
    confidence: float


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and the mentions in it, in the order of the text."""

    span: Span
    text: str
    mentions: tuple[Mention, ...]


@dataclass(frozen=True, slots=True)
class Extraction:
    """What a system has to say of a document."""

    doc_id: str
    mentions: tuple[Mention, ...]
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class _Found:
    span: Span
    type: str
    words: str
    kind: Literal["name", "nominal", "pronoun", "string"]


_SENTENCE = re.compile(r"\S.*?(?:[.?!](?=\s+[A-Z]|\s*$)|$)", re.DOTALL | re.MULTILINE)
_WORD = r"(?:[A-Z][\w’]*(?:-[A-Z]?[\w]+)*)"
_CAPITALS = re.compile(rf"{_WORD}(?:(?:s'|s’)? (?:& )?{_WORD})*")
_LINK = re.compile(rf" (?:of|for)(?: the)? (?={_WORD})")
_MONTH = "|".join(lexicon.MONTHS)
_DATE = re.compile(rf"\b(?:(?:\d{{1,2}} )?(?:{_MONTH}) )?[12]\d{{3}}\b")
_TITLE = re.compile(rf"\b(?:{'|'.join(sorted(lexicon.TITLES, key=len, reverse=True))})\b", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:[Hh]e|[Ss]he|[Hh]is|[Hh]er|[Hh]im)\b")
_NOMINAL = re.compile(rf"\b[Tt]he (?:{'|'.join(sorted(lexicon.ORGANIZATION_NOUNS))})\b")


def read(document: Document, *, guess: bool = False) -> list[Sentence]:
    """Find the sentences of a document and the mentions in them.

    Parameters
    ----------
    document : Document
        Only its text is read.
    guess : bool
        Whether a name of which the lexicon knows nothing gets a type by its shape; otherwise it is left out.

    Returns
    -------
    list of Sentence
        In the order of the text. Mentions do not overlap.
    """
    text = document["text"]
    spans = [Span(*match.span()) for match in _SENTENCE.finditer(text)]
    found = _find(text, {span.start for span in spans}, guess=guess)
    mentions = _resolve(found, spans)
    return [
        Sentence(span, text[span.start : span.end], tuple(m for m in mentions if span.contains(m.span)))
        for span in spans
    ]


def extract_each(
    documents: Sequence[Document], claims_of: Callable[[Sentence], Iterable[Claim]], *, guess: bool = False
) -> list[Extraction]:
    """Read documents and say of each sentence what `claims_of` says of it.

    Parameters
    ----------
    documents : sequence of Document
    claims_of : callable
    guess : bool
        As for `read`.

    Returns
    -------
    list of Extraction
        One for each document, in their order.
    """
    extractions = []
    for document in documents:
        sentences = read(document, guess=guess)
        mentions = tuple(mention for sentence in sentences for mention in sentence.mentions)
        claims = tuple(claim for sentence in sentences for claim in claims_of(sentence))
        extractions.append(Extraction(document["doc_id"], mentions, claims))
    return extractions


def _find(text: str, starts: set[int], *, guess: bool) -> list[_Found]:
    found = [_Found(Span(*m.span()), "DATE", m[0], "string") for m in _DATE.finditer(text)]
    found += _find_names(text, starts, guess=guess)
    found += [_Found(Span(*m.span()), "TITLE", m[0], "string") for m in _TITLE.finditer(text)]
    found += [_Found(Span(*m.span()), "PER", m[0], "pronoun") for m in _PRONOUN.finditer(text)]
    found += [_Found(Span(*m.span()), "ORG", m[0], "nominal") for m in _NOMINAL.finditer(text)]
    kept: list[_Found] = []
    for one in found:
        if not any(one.span.overlaps(other.span) for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda one: one.span)


def _find_names(text: str, starts: set[int], *, guess: bool) -> list[_Found]:
    spans = [span for span in _capitalized(text, starts) if text[span.start : span.end] not in lexicon.MONTHS]
    known: dict[Span, str] = {}
    for span in spans:
        kind = _type_by_words(text[span.start : span.end])
        if kind is not None:
            known[span] = kind
    people = {part for span, kind in known.items() if kind == "PER" for part in text[slice(*span)].split()}
    for span in spans:
        if span not in known and text[slice(*span)].split()[-1] in people:
            known[span] = "PER"
    if guess:
        for span in spans:
            if span not in known:
                known[span] = _type_by_shape(text, span)
    return [_Found(span, kind, text[span.start : span.end], "name") for span, kind in sorted(known.items())]


def _capitalized(text: str, starts: set[int]) -> list[Span]:
    """List the runs of capitalized words that may be names."""
    inside = {match[0] for match in re.finditer(_WORD, text) if match.start() not in starts}
    spans: list[Span] = []
    for match in _CAPITALS.finditer(text):
        start, end = match.span()
        if spans and start < spans[-1].end:
            continue
        first = text[start:end].split()[0]
        while first in lexicon.NOT_NAMES and start < end:
            start = min(end, start + len(first) + 1)
            first = (text[start:end].split() or [""])[0]
        if start >= end or (start in starts and first == text[start:end] and first not in inside | _KNOWN):
            continue
        while text[start:end].split()[-1] in lexicon.HEADS and (link := _LINK.match(text, end)):
            following = _CAPITALS.match(text, link.end())
            if following is None:
                break
            end = following.end()
        spans.append(Span(start, end))
    return spans


_KNOWN = lexicon.PLACES | lexicon.GIVEN_NAMES


def _type_by_words(name: str) -> str | None:
    words = name.split()
    if lexicon.ORGANIZATION_WORDS & set(words):
        return "ORG"
    if name in lexicon.PLACES:
        return "GPE"
    return "PER" if words[0] in lexicon.GIVEN_NAMES else None


def _type_by_shape(text: str, span: Span) -> str:
    if re.search(r"\b(?:in|at|from|to|near) $", text[: span.start]):
        return "GPE"
    return "PER" if " " in text[span.start : span.end] else "ORG"


def _resolve(found: list[_Found], sentences: list[Span]) -> list[Mention]:
    """Give each mention its canonical mention, reading from left to right."""
    mentions: list[Mention] = []
    for one in found:
        antecedent = _antecedent(one, mentions, sentences)
        if antecedent is not None:
            canonical, name = antecedent.canonical, antecedent.name
        elif one.kind in ("pronoun", "nominal"):
            continue
        else:
            canonical, name = one.span, one.words
        mentions.append(Mention(one.span, one.type, one.words, canonical, name, one.kind))
    return mentions


def _antecedent(one: _Found, before: list[Mention], sentences: list[Span]) -> Mention | None:
    """Find an earlier mention of the same entity, or None for one that is new."""
    if one.kind == "string":
        return None
    if one.kind == "pronoun":
        return _topic(one, before, sentences)
    latest_first = [mention for mention in reversed(before) if mention.type == one.type]
    if one.kind == "nominal":
        noun = one.words.split()[-1]
        named_so = [mention for mention in latest_first if noun in mention.name.lower()]
        return next(iter(named_so + latest_first), None)
    for mention in latest_first:
        if mention.name == one.words:
            return mention
    if one.type == "PER" and " " not in one.words:
        return next((mention for mention in latest_first if one.words in mention.name.split()), None)
    return None


def _topic(one: _Found, before: list[Mention], sentences: list[Span]) -> Mention | None:
    """Find the first person of this sentence, or else of the last one before that has any."""
    people = [mention for mention in before if mention.type == "PER"]
    for sentence in reversed(sentences):
        if sentence.start <= one.span.start:
            for mention in people:
                if sentence.contains(mention.span):
                    return mention
    return None
