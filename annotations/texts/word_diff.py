"""What was kept, removed and added as one text became another, word by word: for pages."""

from collections.abc import Sequence
from enum import StrEnum
from itertools import groupby
from typing import NamedTuple

from annotations.texts.alignment import common
from annotations.texts.tokens import TOKEN
from kbpo_formats.normal import nfc

CELLS = 30_000_000  # pairs of words above which all between the same beginning and end is replaced


class Change(StrEnum):
    """What happened to a piece of text."""

    KEPT = "kept"
    REMOVED = "removed"
    ADDED = "added"


class Piece(NamedTuple):
    """A piece of text, with the white space before it."""

    change: Change
    text: str


def word_diff(text: str, edit: str) -> list[Piece]:
    """Return the pieces of a text and of what was made of it, in order; neighbours differ in their change.

    What is kept and added, put together, is the edit; what is kept and removed has the words of the text, in
    their order. White space alone is no change: it is shown as the edit has it. Both texts are taken in NFC.

    Parameters
    ----------
    text, edit : str
    """
    text, edit = nfc(text), nfc(edit)
    before, after = _cut(text), _cut(edit)
    pieces = list[Piece]()
    row = column = 0
    for next_row, next_column in [*_kept(before, after), (len(before), len(after))]:
        pieces += [Piece(Change.REMOVED, token) for token in before[row:next_row]]
        pieces += [Piece(Change.ADDED, token) for token in after[column:next_column]]
        pieces += [Piece(Change.KEPT, token) for token in after[next_column : next_column + 1]]
        row, column = next_row + 1, next_column + 1
    if rest := edit[sum(map(len, after)) :]:
        pieces.append(Piece(Change.KEPT, rest))
    return [
        Piece(change, "".join(piece.text for piece in same))
        for change, same in groupby(pieces, key=lambda piece: piece.change)
    ]


def _cut(text: str) -> list[str]:
    """Cut a text into its words and marks, each with the white space before it."""
    ends = [found.end() for found in TOKEN.finditer(text)]
    return [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _kept(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places in both of the words that are kept, in order."""
    ones, others = [token.strip() for token in before], [token.strip() for token in after]
    shorter = min(len(ones), len(others))
    head = next((n for n in range(shorter) if ones[n] != others[n]), shorter)
    tail = next((n for n in range(shorter - head) if ones[-1 - n] != others[-1 - n]), shorter - head)
    end, other_end = len(ones) - tail, len(others) - tail
    middle = list[tuple[int, int]]()
    if (end - head) * (other_end - head) <= CELLS:
        middle = [
            (head + row, head + column) for row, column in common(ones[head:end], others[head:other_end])
        ]
    return [
        *((place, place) for place in range(head)),
        *middle,
        *zip(range(end, len(ones)), range(other_end, len(others)), strict=True),
    ]
