"""Sentences and tokens, as character offsets, from rules alone."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

import spacy
from spacy.language import Language
from spacy.tokens import Doc

_LINE_BREAK = re.compile("\r\n|[\n\r\u2029]")


@dataclass(slots=True)
class SegmentedSentence:
    """A sentence: the half-open spans of its tokens, in order. White space is in no token."""

    token_starts: list[int] = field(default_factory=list)
    token_ends: list[int] = field(default_factory=list)

    @property
    def start(self) -> int:
        """Return where its first token starts."""
        return self.token_starts[0]

    @property
    def end(self) -> int:
        """Return where its last token ends."""
        return self.token_ends[-1]


def segment(texts: Sequence[str]) -> Iterator[list[SegmentedSentence]]:
    """Cut texts into sentences and tokens.

    A sentence ends as spaCy's sentencizer says, and at every blank line. Every character that is no white
    space is in exactly one token, and every token in exactly one sentence.

    Parameters
    ----------
    texts : sequence of str
        A batch that fits in memory; what was learned of its words is forgotten afterwards.

    Yields
    ------
    list of SegmentedSentence
        One list a text, in order; empty for a text of white space.
    """
    pipeline = _pipeline()
    with pipeline.memory_zone():
        for text, doc in zip(texts, pipeline.pipe(texts), strict=True):
            yield _sentences(text, doc)


@cache
def _pipeline() -> Language:
    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    pipeline.max_length = 2**31 - 1  # spaCy's limit is meant for models; rules need no such memory
    return pipeline


def _sentences(text: str, doc: Doc) -> list[SegmentedSentence]:
    sentences: list[SegmentedSentence] = []
    begins = True
    end = opened = 0  # opened: how many opening brackets and quotes stand right before, after white space
    for token in doc:
        begins = begins or bool(token.is_sent_start)
        if token.is_space:
            continue  # a sentence that begins with white space begins with the token after it
        start = token.idx
        if start > end:
            opened = 0
        if begins or len(_LINE_BREAK.findall(text, end, start)) > 1:
            sentences.append(_opening(sentences, opened))
        opened = opened + 1 if token.is_left_punct and (opened or start > end) else 0
        end = start + len(token)
        sentences[-1].token_starts.append(start)
        sentences[-1].token_ends.append(end)
        begins = False
    return sentences


def _opening(sentences: list[SegmentedSentence], opened: int) -> SegmentedSentence:
    """Begin a sentence with what opens it: the sentencizer leaves it at the end of the one before."""
    if not opened or opened == len(sentences[-1].token_starts):
        return SegmentedSentence()
    last = sentences[-1]
    sentence = SegmentedSentence(last.token_starts[-opened:], last.token_ends[-opened:])
    del last.token_starts[-opened:], last.token_ends[-opened:]
    return sentence
