"""Spans of text: half-open character offsets ``[start, end)``."""

from typing import NamedTuple


class Span(NamedTuple):
    """A half-open span of characters of a document's text."""

    start: int
    end: int

    def overlaps(self, other: "Span") -> bool:
        """Say whether the two share at least one character."""
        return self.start < other.end and other.start < self.end

    def contains(self, other: "Span") -> bool:
        """Say whether `other` lies wholly inside."""
        return self.start <= other.start and other.end <= self.end

    def __str__(self) -> str:
        return f"{self.start}-{self.end}"
