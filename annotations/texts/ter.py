"""TER, the translation edit rate: words to be inserted, deleted, replaced or moved until a text is another.

Moves are looked for as Tercom does, and sacrebleu after it, in the same order and under the same limits; but
edit distances are exact, not those within a beam, and further limits of ours bound the time, whatever the
texts are. To count edits each word is written as one character.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from annotations.texts.tokens import tokens
from kbpo_formats.normal import nfc

MOVED = 10  # words that move together, at most
FAR = 50  # places that they move, at most
MOVES = 1_000  # that are tried for two texts, at most
WORK = 400_000  # on moves, for two texts: runs of words that are looked at, and steps through a table
CELLS = 9_000_000  # pairs of words above which moves are not looked for: two texts of 3,000 words


class Edits(NamedTuple):
    """How one text becomes another.

    Attributes
    ----------
    edits : int
        Words that are inserted, deleted or replaced, and runs of words that are moved.
    words : int
        Of the text that it becomes.
    """

    edits: int
    words: int

    @property
    def rate(self) -> float:
        """Return edits by words; where there is no word, 1, or 0 if there is nothing to do."""
        return self.edits / self.words if self.words else float(self.edits > 0)


def ter(text: str, becomes: str) -> float:
    """Return the rate of edits by which a text becomes another: 0 and more, above 1 where it is far too long.

    Words are what white space sets apart, in lower case and NFC.
    """
    return count_edits(nfc(text).lower().split(), nfc(becomes).lower().split()).rate


def hter(text: str, edit: str | None) -> float:
    """Return TER between a text and what a person made of it; 0 where it needed no edit.

    Words are those of `annotations.texts.tokens` in NFC, with their capitals: a mark or a capital is an edit.
    """
    return 0.0 if edit is None else count_edits(tokens(nfc(text)), tokens(nfc(edit))).rate


def count_edits(words: Sequence[str], becomes: Sequence[str]) -> Edits:
    """Count the edits by which words become others."""
    characters = _Characters()
    text, other = characters.write(words), characters.write(becomes)
    moves, limits = 0, _Limits(moves=MOVES, work=WORK)
    distance = Levenshtein.distance(text, other)
    while distance and 0 < len(text) * len(other) <= CELLS:
        moved = _best_move(text, other, distance, limits)
        if moved is None:
            break
        moves, text = moves + 1, moved
        distance = Levenshtein.distance(text, other)
    return Edits(moves + distance, len(other))


class _Characters:
    """One character for each word; beyond a million words two may share one."""

    def __init__(self) -> None:
        self._of: dict[str, str] = {}

    def write(self, words: Sequence[str]) -> str:
        return "".join(self._of.get(word) or self._next(word) for word in words)

    def _next(self, word: str) -> str:
        code = 1 + len(self._of) % 1_000_000
        self._of[word] = chr(code if code < 0xD800 else code + 0x800)  # no half of a pair
        return self._of[word]


class _Limits:
    """What may still be done on moves."""

    def __init__(self, *, moves: int, work: int) -> None:
        self.moves, self.work = moves, work

    @property
    def are_reached(self) -> bool:
        return self.moves <= 0 or self.work <= 0


def _best_move(text: str, other: str, distance: int, limits: _Limits) -> str | None:
    """Return the text after the move that saves most; None where none saves any, or too many were tried.

    Of those that save as much it is the longest, then the first to be moved, then the one to the first place.
    """
    beside, wrong, wrong_others = _align(text, other)
    limits.work -= (len(text) + len(other)) * (1 + len(other) // 500)
    best, best_text = (0, 0, 0, 0), None
    for start, place, length in _same_runs(text, other, limits):
        if wrong[start + length] == wrong[start] or wrong_others[place + length] == wrong_others[place]:
            continue
        if start <= beside[place] < start + length:
            continue
        for target in _targets(beside, place, length):
            limits.moves -= 1
            if 2 * length < best[0]:  # what is moved is deleted here and inserted there: it saves no more
                continue
            moved = _move(text, start, length, target)
            to_beat = distance - max(best[0], 1)
            saved = distance - Levenshtein.distance(moved, other, score_cutoff=to_beat)
            found = (saved, length, -start, -target)
            if saved > 0 and found > best:
                best, best_text = found, moved
        if limits.are_reached:
            return None
    return best_text


def _targets(beside: Sequence[int], place: int, length: int) -> Iterator[int]:
    """Yield the places before which a run may be put, to stand where the same words of the other do."""
    before = None
    for one in range(place - 1, place + length):
        target = 0 if one == -1 else beside[one] + 1
        if target != before:
            yield target
        before = target


def _move(text: str, start: int, length: int, target: int) -> str:
    end = start + length
    if target < start:
        return text[:target] + text[start:end] + text[target:start] + text[end:]
    # within what moves: as far on as there are words of it before the target
    after = target if target > end else length + target
    return text[:start] + text[end:after] + text[start:end] + text[after:]


def _same_runs(text: str, other: str, limits: _Limits) -> Iterator[tuple[int, int, int]]:
    """Yield where runs of the same words begin in both, not too far apart, and how long they are."""
    places: dict[str, list[int]] = {}
    for place, word in enumerate(other):
        places.setdefault(word, []).append(place)
    for start, word in enumerate(text):
        near = places.get(word, [])
        for place in near[bisect_left(near, start - FAR) : bisect_right(near, start + FAR)]:
            for length in range(min(MOVED, len(text) - start, len(other) - place)):
                if text[start + length] != other[place + length]:
                    break
                limits.work -= 1
                yield start, place, length + 1
        if limits.are_reached:
            return


class _Alignment(NamedTuple):
    """Where the words of both come to stand."""

    beside: list[int]  # beside which word of the text each of the other stands; −1: before the first
    wrong: list[int]  # how many of the first i words of the text are in error
    wrong_others: list[int]  # and of the other


def _align(text: str, other: str) -> _Alignment:
    """Go back through the table of distances: rather replace than delete, rather delete than insert."""
    table = _Table(text, other)
    row, column = len(text), len(other)
    beside = [0] * column
    wrong, wrong_others = [0] * row, [0] * column
    while row or column:
        down, along = table.step_back(row, column)
        row, column = row - down, column - along
        is_same = down and along and text[row] == other[column]
        if down:
            wrong[row] = int(not is_same)
        if along:
            wrong_others[column] = int(not is_same)
            beside[column] = row if down else row - 1
    return _Alignment(beside, list(accumulate(wrong, initial=0)), list(accumulate(wrong_others, initial=0)))


class _Table:
    """The distances of the first i words of one text from the first j of another.

    Rows are kept as differences, in the bits of integers (Myers 1999; Hyyrö 2003): `rises` and `falls` are
    those along a row, `grows` and `shrinks` those from the row before.
    """

    def __init__(self, text: str, other: str) -> None:
        self._text, self._other = text, other
        mask = (1 << len(other)) - 1
        places: dict[str, int] = {}
        for place, word in enumerate(other):
            places[word] = places.get(word, 0) | 1 << place
        rise, fall = mask, 0
        self._rises, self._falls, self._grows, self._shrinks = [rise], [fall], [0], [0]
        for word in text:
            same = places.get(word, 0) | fall
            diagonal = (((same & rise) + rise) ^ rise) | same
            shrink = rise & diagonal
            grow = (fall | ~(rise | diagonal)) & mask
            above = grow << 1 | 1
            rise, fall = (shrink << 1 | ~(diagonal | above)) & mask, diagonal & above & mask
            self._rises.append(rise)
            self._falls.append(fall)
            self._grows.append(grow)
            self._shrinks.append(shrink)

    def step_back(self, row: int, column: int) -> tuple[int, int]:
        """Return how many rows and columns, none or one, the best way came from."""
        if not row or not column:
            return (1, 0) if row else (0, 1)
        if self._text[row - 1] == self._other[column - 1]:
            return 1, 1
        bit = column - 1
        down = (self._grows[row] >> bit & 1) - (self._shrinks[row] >> bit & 1)
        along = (self._rises[row - 1] >> bit & 1) - (self._falls[row - 1] >> bit & 1)
        if down + along == 1:
            return 1, 1
        return (1, 0) if down == 1 else (0, 1)
