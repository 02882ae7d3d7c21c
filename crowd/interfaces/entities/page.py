"""The entity interface: a document as its page needs it. Pure."""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any
from urllib.parse import unquote

from annotations.kinds.links import read_link
from annotations.texts.languages import read_language
from annotations.texts.passages import Passage
from kbpo.core.errors import InvalidInput
from kbpo_formats.ontologies.ontology import MentionType, Ontology
from kbpo_formats.spans import Span


def build_page(
    passage: Passage, suggestions: Iterable[Mapping[str, Any]], ontology: Ontology
) -> dict[str, Any]:
    """Return what the page's script needs of a document, for JSON.

    Parameters
    ----------
    passage : Passage
    suggestions : iterable of mapping
        As `Document.suggestions` has them. Each is widened to whole words.
    ontology : Ontology
        The corpus', which has the types.

    Returns
    -------
    dict
        `types`: for each its name, word, key, what its mentions are linked to ("page", "date" or null), and
        the number of its colour. `language`: the corpus', without script and region. `sentences`: for each
        where it starts (in characters), its words, what stands between them, and whether a paragraph begins
        with it. `suggestions`: for each its first and last word (by their numbers in the document), type,
        canonical mention (first and last word) and link (null if it has none).
    """
    sentences: list[dict[str, Any]] = []
    end = 0
    for tokens in passage.sentences:
        text = passage.text
        sentences.append(
            {
                "start": tokens[0].start,
                "words": [text[token.start : token.end] for token in tokens],
                "gaps": [text[one.end : other.start] for one, other in pairwise(tokens)],
                "paragraph": text.count("\n", end, tokens[0].start) > 1 or not sentences,
            }
        )
        end = tokens[-1].end
    found = (_suggestion(one, passage, ontology) for one in suggestions)
    return {
        "types": [_type(one, number) for number, one in enumerate(ontology.mention_types, 1)],
        "language": read_language(passage.language).code,
        "sentences": sentences,
        "suggestions": [one for one in found if one is not None],
    }


def _type(one: MentionType, number: int) -> dict[str, Any]:
    return {
        "name": one.name,
        "word": one.word,
        "key": one.key,
        "link": one.link,
        "number": number,
    }


def _suggestion(one: Mapping[str, Any], passage: Passage, ontology: Ontology) -> dict[str, Any] | None:
    span = _words(Span(one["start"], one["end"]), passage)
    if span is None:
        return None
    canonical = _words(Span(*one["canonical"]), passage) or span
    return {
        "first": span[0],
        "last": span[1],
        "type": one["type"],
        "canonical": list(canonical),
        "link": _link(
            one.get("link") or "", ontology.find_type(one["type"]), read_language(passage.language).pages
        ),
    }


def _words(span: Span, passage: Passage) -> tuple[int, int] | None:
    whole = passage.whole_words(span)
    return whole and (passage.first_of[whole.start], passage.last_of[whole.end])


def _link(link: str, mention_type: MentionType, pages: str) -> dict[str, Any] | None:
    kind = mention_type.link
    if kind is None or (kind == "page" and not link.startswith(pages)):
        return None
    try:
        return read_link({kind: unquote(link.removeprefix(pages))}, mention_type)
    except InvalidInput:
        return None
