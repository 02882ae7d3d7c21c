"""TER, the translation edit rate: words to be inserted, deleted, replaced or moved until a text is another.

Moves are looked for as Tercom does, and sacrebleu after it, in the same order and under the same limits; but
edit distances are exact, not those within a beam, and a budget of our own bounds the time whatever the texts
are. A row of the table of distances is kept as differences, in the bits of integers (Myers 1999; Hyyrö 2003).
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

MOVED = 10  # words that move together, at most
FAR = 50  # places that they move, at most
MOVES = 1_000  # that are tried for two texts, at most
BUDGET = 500_000  # of work on moves, for two texts: under half a second
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

    Words are what white space sets apart, in lower case.
    """
    return count_edits(text.lower().split(), becomes.lower().split()).rate


def hter(text: str, edit: str | None) -> float:
    """Return TER between a text and what a person made of it; 0 where it needed no edit."""
    return 0.0 if edit is None else ter(text, edit)


def count_edits(words: Sequence[str], becomes: Sequence[str]) -> Edits:
    """Count the edits by which words become others."""
    if not words or not becomes:
        return Edits(max(len(words), len(becomes)), len(becomes))
    table = _Table(becomes)
    if len(words) * len(becomes) > CELLS:
        return Edits(table.distance(words), len(becomes))
    current, moves, budget = list(words), 0, _Budget()
    while True:
        rows = table.rows(current)
        moved = _best_move(rows, budget) if rows.distance else None
        if moved is None:
            return Edits(moves + rows.distance, len(becomes))
        current = moved
        moves += 1


class _Budget:
    """What may still be spent on moves."""

    def __init__(self) -> None:
        self.moves, self.work = MOVES, BUDGET

    @property
    def is_spent(self) -> bool:
        return self.moves <= 0 or self.work <= 0


class _Rows(NamedTuple):
    """The table of distances: row i is of the first i words, bit j of a row of the first j + 1 of the others.

    `rises` and `falls` are differences along a row, `grows` and `shrinks` from the row before.
    """

    table: "_Table"
    words: list[str]
    rises: list[int]
    falls: list[int]
    grows: list[int]
    shrinks: list[int]
    lasts: list[int]  # the last number of each row

    @property
    def distance(self) -> int:
        return self.lasts[-1]

    def after_move(self, lower: int, upper: int, between: Sequence[str]) -> int:
        """Return the distance where the words from `lower` to `upper` are those of `between`."""
        go_on, words, rises, falls = self.table.go_on, self.words, self.rises, self.falls
        rise, fall, last = go_on(rises[lower], falls[lower], self.lasts[lower], between)
        for place in range(upper, len(words)):
            if rise == rises[place] and fall == falls[place]:  # then all that follows is as it was
                return self.distance
            rise, fall, last = go_on(rise, fall, last, (words[place],))
        return last


class _Table:
    """The edit distances of any words to the same others."""

    def __init__(self, becomes: Sequence[str]) -> None:
        self.becomes = becomes
        self._mask = (1 << len(becomes)) - 1
        self._places = _bits(becomes)

    def distance(self, words: Sequence[str]) -> int:
        return self.go_on(self._mask, 0, len(self.becomes), words)[2]

    def go_on(self, rise: int, fall: int, last: int, words: Sequence[str]) -> tuple[int, int, int]:
        """Go down one row a word, and return the last."""
        for word in words:
            rise, fall, _, _, last = self._next(rise, fall, last, word)
        return rise, fall, last

    def rows(self, words: list[str]) -> _Rows:
        rise, fall, last = self._mask, 0, len(self.becomes)
        rows = _Rows(self, words, [rise], [fall], [0], [0], [last])
        for word in words:
            rise, fall, grow, shrink, last = self._next(rise, fall, last, word)
            for column, value in zip(rows[2:], (rise, fall, grow, shrink, last), strict=True):
                column.append(value)
        return rows

    def _next(self, rise: int, fall: int, last: int, word: str) -> tuple[int, int, int, int, int]:
        mask, end = self._mask, len(self.becomes) - 1
        same = self._places.get(word, 0) | fall
        diagonal = (((same & rise) + rise) ^ rise) | same
        shrink = rise & diagonal
        grow = (fall | ~(rise | diagonal)) & mask
        last += (grow >> end) - (shrink >> end)
        above = grow << 1 | 1
        return (shrink << 1 | ~(diagonal | above)) & mask, diagonal & above & mask, grow, shrink, last


class _Alignment(NamedTuple):
    """Where the words and the others come to stand."""

    beside: list[int]  # beside which word each of the others does; −1: before the first
    wrong: list[int]  # how many of the first i words are in error
    wrong_others: list[int]  # and of the others


def _align(rows: _Rows) -> _Alignment:
    """Go back through the table: rather replace than delete, rather delete than insert."""
    words, becomes = rows.words, rows.table.becomes
    row, column = len(words), len(becomes)
    beside = [0] * column
    wrong, wrong_others = [0] * row, [0] * column
    while row or column:
        step = _step_back(rows, row, column)
        if step == (1, 1):
            is_wrong = int(words[row - 1] != becomes[column - 1])
            wrong[row - 1] = wrong_others[column - 1] = is_wrong
            beside[column - 1] = row - 1
        elif step == (1, 0):
            wrong[row - 1] = 1
        else:
            wrong_others[column - 1], beside[column - 1] = 1, row - 1
        row, column = row - step[0], column - step[1]
    return _Alignment(beside, list(accumulate(wrong, initial=0)), list(accumulate(wrong_others, initial=0)))


def _step_back(rows: _Rows, row: int, column: int) -> tuple[int, int]:
    if not row or not column:
        return (1, 0) if row else (0, 1)
    if rows.words[row - 1] == rows.table.becomes[column - 1]:
        return 1, 1
    bit = column - 1
    down = (rows.grows[row] >> bit & 1) - (rows.shrinks[row] >> bit & 1)
    along = (rows.rises[row - 1] >> bit & 1) - (rows.falls[row - 1] >> bit & 1)
    if down + along == 1:
        return 1, 1
    return (1, 0) if down == 1 else (0, 1)


def _best_move(rows: _Rows, budget: _Budget) -> list[str] | None:
    """Return the words after the move that saves most; None where none saves any, or too many were tried.

    Of those that save as much it is the longest, then the first to be moved, then the one to the first place.
    """
    words, becomes = rows.words, rows.table.becomes
    beside, wrong, wrong_others = _align(rows)
    cost = 1 + len(becomes) // 250
    budget.work -= 5 * cost * len(words) + len(becomes)
    best, best_words = (0, 0, 0, 0), None
    for start, other, length in _same_runs(words, becomes, budget):
        if wrong[start + length] == wrong[start] or wrong_others[other + length] == wrong_others[other]:
            continue
        if start <= beside[other] < start + length:
            continue
        for target in _targets(beside, other, length):
            budget.moves -= 1
            if 2 * length < best[0]:  # its words are deleted here and inserted there: it saves no more
                continue
            lower, upper, between = _move(words, start, length, target)
            budget.work -= cost * (upper - lower + 4)
            saved = rows.distance - rows.after_move(lower, upper, between)
            found = (saved, length, -start, -target)
            if saved > 0 and found > best:
                best, best_words = found, [*words[:lower], *between, *words[upper:]]
        if budget.is_spent:
            return None
    return best_words


def _targets(beside: list[int], other: int, length: int) -> Iterator[int]:
    """Yield the places before which words may be put, so that they stand where the others do."""
    before = None
    for place in range(other - 1, other + length):
        target = 0 if place == -1 else beside[place] + 1
        if target != before:
            yield target
        before = target


def _move(words: list[str], start: int, length: int, target: int) -> tuple[int, int, list[str]]:
    """Return what a move changes: from where, up to where, and the words that then stand there."""
    moved = words[start : start + length]
    if target < start:
        return target, start + length, [*moved, *words[target:start]]
    # within the words that move: as far on as they are many
    upper = target if target > start + length else min(length + target, len(words))
    return start, upper, [*words[start + length : upper], *moved]


def _same_runs(words: list[str], others: Sequence[str], budget: _Budget) -> Iterator[tuple[int, int, int]]:
    """Yield where runs of the same words begin in both, not too far apart, and how long they are."""
    places = _places(others)
    for start, word in enumerate(words):
        near = places.get(word, ())
        for other in near[bisect_left(near, start - FAR) : bisect_right(near, start + FAR)]:
            longest = min(MOVED, len(words) - start, len(others) - other)
            for length in range(longest):
                if words[start + length] != others[other + length]:
                    break
                budget.work -= 1
                yield start, other, length + 1
        if budget.is_spent:
            return


def _places(words: Sequence[str]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        places.setdefault(word, []).append(place)
    return places


def _bits(words: Sequence[str]) -> dict[str, int]:
    """Return for each word an integer with a bit for each place where it stands."""
    bits = {}
    for word, places in _places(words).items():
        packed = bytearray(places[-1] // 8 + 1)
        for place in places:
            packed[place >> 3] |= 1 << (place & 7)
        bits[word] = int.from_bytes(packed, "little")
    return bits
