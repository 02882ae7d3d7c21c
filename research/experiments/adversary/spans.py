"""Other spans for the mentions of claims."""

from collections.abc import Callable, Iterable
from functools import cache

from kbpo_formats.kbp.predictions import ReadPrediction
from kbpo_formats.spans import Span
from research.experiments.adversary.world import World

Change = Callable[[str, Span], Span]
"""From the text of a document and a span of it to another."""


@cache
def words_of(text: str) -> list[Span]:
    """Return the runs without white space of a text."""
    found, start = [], 0
    for run in text.split():
        start = text.index(run, start)
        found.append(Span(start, start + len(run)))
        start += len(run)
    return found


def first_letter(text: str, span: Span) -> Span:
    """Return the first character of a span."""
    return Span(span.start, span.start + 1)


def last_letter(text: str, span: Span) -> Span:
    """Return the last character of a span."""
    return Span(span.end - 1, span.end)


def letters(text: str, span: Span) -> list[Span]:
    """Return the characters of a span, each by itself."""
    return [Span(at, at + 1) for at in range(span.start, span.end) if not text[at].isspace()]


def pieces_by_word(text: str, span: Span) -> list[Span]:
    """Return the words of a span, each by itself."""
    return [
        Span(max(run.start, span.start), min(run.end, span.end))
        for run in words_of(text)
        if run.overlaps(span)
    ]


def wider_by_characters(number: int) -> Change:
    """Return what widens spans by characters on either side."""
    return lambda text, span: Span(max(0, span.start - number), min(len(text), span.end + number))


def whole_document(text: str, span: Span) -> Span:
    """Return the span of the whole text; the reader cuts it to 150 characters."""
    return Span(0, len(text))


def wider_by_words(before: int, after: int) -> Change:
    """Return what widens spans to whole words, and by some words on either side."""

    def widened(text: str, span: Span) -> Span:
        runs = words_of(text)
        touched = [place for place, run in enumerate(runs) if run.overlaps(span)]
        if not touched:
            return span
        return Span(
            runs[max(0, touched[0] - before)].start, runs[min(touched[-1] + after, len(runs) - 1)].end
        )

    return widened


def next_words(text: str, span: Span) -> Span:
    """Return the span from the second word that a span touches to the word after it; its own at the end."""
    runs = words_of(text)
    touched = [place for place, run in enumerate(runs) if run.overlaps(span)]
    if not touched or touched[-1] + 1 == len(runs):
        return span
    return Span(runs[touched[0] + 1].start, runs[touched[-1] + 1].end)


def respanned(world: World, claims: Iterable[ReadPrediction], change: Change) -> list[ReadPrediction]:
    """Return claims with both spans changed."""
    found = []
    for one in claims:
        text = world.data.texts[one.doc_id]
        found.append(one._replace(subject=change(text, one.subject), object=change(text, one.object)))
    return found
