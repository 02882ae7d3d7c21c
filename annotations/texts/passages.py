"""A document's text and words, against which answers about all of it are read. Pure."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from annotations.texts.languages import DEFAULT
from kbpo_formats.spans import Span


@dataclass(frozen=True)
class Passage:
    """A document's text and words.

    Attributes
    ----------
    text : str
    sentences : sequence of sequence of Span
        The tokens of each sentence, in order.
    language : str
        The corpus', as a tag: in whose Wikipedia titles are.
    """

    text: str
    sentences: Sequence[Sequence[Span]]
    language: str = DEFAULT

    @cached_property
    def tokens(self) -> tuple[Span, ...]:
        """All tokens, in order."""
        return tuple(chain.from_iterable(self.sentences))

    @cached_property
    def first_of(self) -> Mapping[int, int]:
        """The number of the token that starts at each offset."""
        return {token.start: number for number, token in enumerate(self.tokens)}

    @cached_property
    def last_of(self) -> Mapping[int, int]:
        """The number of the token that ends at each offset."""
        return {token.end: number for number, token in enumerate(self.tokens)}

    def words(self, span: Span) -> str:
        """Return what stands there, on one line and of bounded length."""
        text = " ".join(self.text[span.start : span.end].split())
        return text if len(text) <= 60 else f"{text[:57]}…"

    def place(self, span: Span) -> str:
        """Name a span for people: its words, and where they stand."""
        starts = [sentence[0].start for sentence in self.sentences if sentence]
        number = max(1, bisect_right(starts, span.start))
        return f"“{self.words(span)}” (sentence {number}, characters {span})"

    def whole_words(self, span: Span) -> Span | None:
        """Return the tokens that a span touches, as one span; None if it touches none."""
        touched = [token for token in self.tokens if token.overlaps(span)]
        return Span(touched[0].start, touched[-1].end) if touched else None
