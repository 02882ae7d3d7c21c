"""Cuts text into marked stretches: pure, so that overlapping and nested mentions are drawn sanely."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from kbpo.core.spans import Span


@dataclass(frozen=True, slots=True)
class Mark:
    """Something to be marked in a text.

    Attributes
    ----------
    span : Span
        Of the document's text.
    kind : str
        What it is drawn as: a mention's type, or several joined by a blank.
    label : str
        What stands before it in words, since colour is never alone.
    """

    span: Span
    kind: str
    label: str


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of text under the same marks.

    Attributes
    ----------
    text : str
    marks : tuple of Mark
        Those that cover it, the widest first; empty for plain text.
    opens : tuple of Mark
        Those of them that begin here.
    """

    text: str
    marks: tuple[Mark, ...] = ()
    opens: tuple[Mark, ...] = ()

    @property
    def inner(self) -> Mark | None:
        """The narrowest mark that covers the stretch: its kind is the one that is drawn."""
        return self.marks[-1] if self.marks else None


def cut(text: str, marks: Iterable[Mark], window: Span | None = None) -> list[Segment]:
    """Cut a text into stretches that each lie under the same marks.

    Parameters
    ----------
    text : str
        The document's text.
    marks : iterable of Mark
        In any order; they may overlap, nest or repeat. What lies outside the window is left out, what
        reaches into it is cut off at its ends and opens there.
    window : Span, optional
        The part of the text that is wanted; by default all of it.

    Returns
    -------
    list of Segment
        Their texts joined are the window's text; none is empty.

    Examples
    --------
    >>> bank = Mark(Span(0, 15), "ORG", "organization")
    >>> city = Mark(Span(8, 15), "GPE", "place")
    >>> [(s.text, [m.kind for m in s.marks]) for s in cut("Bank of England grew", [bank, city])]
    [('Bank of ', ['ORG']), ('England', ['ORG', 'GPE']), (' grew', [])]
    """
    start, end = window or Span(0, len(text))
    start, end = max(0, start), min(len(text), end)
    inside = sorted(
        {mark for mark in marks if mark.span.start < end and start < mark.span.end},
        key=lambda mark: (mark.span.start - mark.span.end, mark.span, mark.kind, mark.label),
    )
    clipped = [(max(start, mark.span.start), min(end, mark.span.end), mark) for mark in inside]
    edges = sorted({start, end, *(a for a, _, _ in clipped), *(b for _, b, _ in clipped)})
    segments = []
    for here, there in pairwise(edges):
        covering = [(first, mark) for first, last, mark in clipped if first <= here and there <= last]
        segments.append(
            Segment(
                text[here:there],
                tuple(mark for _, mark in covering),
                tuple(mark for first, mark in covering if first == here),
            )
        )
    return segments


def merge(marks: Iterable[Mark]) -> list[Mark]:
    """Make one mark of those that stand on the same span: systems may differ on a mention's type.

    Returns
    -------
    list of Mark
        By span; kinds joined by a blank and labels by “or”, in alphabetical order of the kinds.
    """
    spans: dict[Span, dict[str, str]] = {}
    for mark in marks:
        spans.setdefault(mark.span, {})[mark.kind] = mark.label
    return [
        Mark(span, " ".join(sorted(kinds)), " or ".join(label for _, label in sorted(kinds.items())))
        for span, kinds in sorted(spans.items())
    ]
