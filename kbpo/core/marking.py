"""Cuts text into marked stretches: pure, so that overlapping and nested mentions are drawn sanely."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from kbpo_formats.spans import Span


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
        What stands before it in words, since colour is never alone; empty where a key says it.
    href : str
        Where the label leads; empty for nowhere.
    """

    span: Span
    kind: str
    label: str
    href: str = ""


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

    @property
    def names(self) -> str:
        """The names of its marks' spans, as a page's script finds them."""
        return " ".join(dict.fromkeys(f"m{mark.span}" for mark in self.marks))


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
    inside = sorted({mark for mark in marks if mark.span.start < end and start < mark.span.end}, key=_order)
    opening: dict[int, list[Mark]] = defaultdict(list)
    for mark in inside:
        opening[max(start, mark.span.start)].append(mark)
    edges = {start, end, *opening, *(min(end, mark.span.end) for mark in inside)}
    segments: list[Segment] = []
    covering: list[Mark] = []
    for here, there in pairwise(sorted(edges)):
        covering = [mark for mark in covering if mark.span.end > here] + opening[here]
        covering.sort(key=_order)
        segments.append(Segment(text[here:there], tuple(covering), tuple(opening[here])))
    return segments


def _order(mark: Mark) -> tuple[int, Span, str, str, str]:
    return (mark.span.start - mark.span.end, mark.span, mark.kind, mark.label, mark.href)


def merge(marks: Iterable[Mark]) -> list[Mark]:
    """Make one mark of those that stand on the same span: systems may differ on a mention's type.

    Returns
    -------
    list of Mark
        By span; kinds joined by a blank and labels by “or”, in alphabetical order of the kinds.
    """
    spans: dict[Span, dict[str, Mark]] = {}
    for mark in marks:
        spans.setdefault(mark.span, {})[mark.kind] = mark
    merged = []
    for span, kinds in sorted(spans.items()):
        same = [mark for _, mark in sorted(kinds.items())]
        labels = dict.fromkeys(mark.label for mark in same if mark.label)
        href = next((mark.href for mark in same if mark.href), "")
        merged.append(Mark(span, " ".join(mark.kind for mark in same), " or ".join(labels), href))
    return merged
